package import Catalog
package import Diagnostics
internal import FeedParsing
internal import HTTPTransport

package struct FeedAddition: Sendable {
  private let category: String?
  private let collections: [String]
  /// The titles of collections to make, by slug.
  private let newCollections: [String: String]
  private let tags: [String]
  private let file: String?
  private let pick: Int?

  /// - Parameters:
  ///   - category: the slug; `nil` while it is not chosen yet.
  ///   - newCollections: the titles of those of the collections that do not exist yet, by slug.
  ///   - file: below the seed folder, or with its name before it.
  ///   - pick: the number of the feed to take, from 1, in the order of the result.
  package init(
    category: String?, collections: [String], newCollections: [String: String] = [:], tags: [String],
    file: String?, pick: Int?
  ) {
    self.category = category
    self.collections = collections
    self.newCollections = newCollections
    self.tags = tags
    self.file = file
    self.pick = pick
  }

  /// Checks the options before any request is made. Throws ``CommandFailure``.
  package func check(_ workspace: SeedWorkspace) throws(CommandFailure) {
    let catalog = workspace.catalog
    try catalog.requireCategory(category)
    for slug in collections
    where newCollections[slug] == nil && !catalog.collections.contains(where: { $0.slug == slug }) {
      var failure = CommandFailure.unknown("collection", slug, among: catalog.collections.map(\.slug))
      if Slug.isValid(slug) {
        let file: JSONValue = ["slug": slug.json, "title": "TITLE", "feeds": []]
        let advice = "To make it, write \(file.text()) into collections/\(slug).json of the seeds."
        failure.hint = [failure.hint, advice].compactMap(\.self).joined(separator: " ")
      }
      throw failure
    }
    if let bad = tags.first(where: { SeedValueRules.tag($0) != nil }) {
      throw .usage(SeedValueRules.tag(bad) ?? "'\(bad)' is not a tag")
    }
    _ = try path(in: workspace)
  }

  /// The feed to add. Throws ``CommandFailure`` when none was found, when there are several to choose from, and when the
  /// catalog or an earlier site of the run has it.
  package func choice(
    of result: FeedSearchResult, after added: [AddedFeed] = []
  ) throws(CommandFailure) -> FoundFeed {
    let found = try chosen(result)
    if let known = found.known, known.level != .likely || pick == nil {
      let isLikely = known.level == .likely
      let twin = added.first { $0.entry.slug == known.slug }.map {
        "\(isLikely ? "probably " : "")the feed of \($0.result.input), too; nothing was written"
      }
      throw CommandFailure(
        "\(found.feedURL) is \(twin ?? known.sentence)", code: "known-feed",
        hint: isLikely ? "If it is another feed, add this site alone with --pick." : nil)
    }
    return found
  }

  /// Adds the feed of ``choice(of:)`` and returns it. Throws ``CommandFailure``.
  @discardableResult
  package func add(
    _ result: FeedSearchResult, to workspace: inout SeedWorkspace
  ) throws(CommandFailure) -> AddedFeed {
    let found = try choice(of: result)
    guard let category else { throw .needsCategory(of: workspace.catalog) }
    var entry = SeedFeed(found, of: result, taken: workspace.takenSlugs)
    if !tags.isEmpty { entry.tags = tags.unique }
    workspace.add(entry, category: category, file: try path(in: workspace))
    for collection in collections {
      try workspace.add([entry.slug], toCollection: collection, title: newCollections[collection])
    }
    return AddedFeed(entry: entry, found: found, result: result)
  }

  private func chosen(_ result: FeedSearchResult) throws(CommandFailure) -> FoundFeed {
    guard !result.feeds.isEmpty else {
      let reason = result.problem.map { "\(result.input): \($0)" } ?? "no feed was found at \(result.input)"
      throw CommandFailure(
        "\(reason); nothing was written", code: "no-feed-found", hint: result.nothingFoundHint)
    }
    if let pick {
      guard result.feeds.indices.contains(pick - 1) else {
        throw .usage("--pick takes a number from 1 to \(result.feeds.count)")
      }
      return result.feeds[pick - 1]
    }
    let choices = result.choices
    guard choices.count == 1, result.isElsewhere == nil else {
      throw CommandFailure(
        result.isElsewhere.map {
          "\(result.input) \($0); other pages have \(counted(choices.count, "feed")); nothing was written"
        } ?? "\(result.input) has \(choices.count) feeds; nothing was written",
        details: result.numberedChoices.map { "\($0.number). \($0.line)" }, code: "several-feeds",
        hint: "Choose one with --pick; with several sites, add this one by itself.")
    }
    return choices[0]
  }

  /// The file's path below the seed folder.
  private func path(in workspace: SeedWorkspace) throws(CommandFailure) -> String? {
    guard let file else { return nil }
    let prefix = workspace.folder + "/"
    let path = file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : file
    let name = path.dropFirst("feeds/".count)
    guard path.hasPrefix("feeds/"), path.hasSuffix(".json"), !name.contains("/"), !name.hasPrefix(".") else {
      throw .usage("--file takes a file of the seed folder: feeds/NAME.json, not '\(file)'")
    }
    return path
  }
}

extension CommandFailure {
  package static func needsCategory(of catalog: SeedCatalog) -> CommandFailure {
    CommandFailure(
      "the feed needs a category", details: catalog.categoryList, code: "no-category",
      hint: "Name one with --category.", status: .usage)
  }
}

extension SeedCatalog {
  package var categoryList: [String] { categories.map { "\($0.slug)  \($0.name)" } }

  /// Throws ``CommandFailure`` when there is no such category; `nil` names none.
  package func requireCategory(_ slug: String?) throws(CommandFailure) {
    guard let slug, !categories.contains(where: { $0.slug == slug }) else { return }
    var failure = CommandFailure.unknown("category", slug, among: categories.map(\.slug))
    failure.details = categoryList
    throw failure
  }
}

extension SeedFeed {
  init(_ found: FoundFeed, of result: FeedSearchResult, taken: Set<String>) {
    let title = TitleCleaner.best(feed: found.feed.title, page: result.pageTitle, url: found.feedURL)
    let url = TitleCleaner.address(found.feedURL) ?? found.feedURL
    var slugs = SlugPool(taken)
    self.init(slug: slugs.suggested(forTitle: title, url: url).slug, title: title, feedURL: url)
    let page = found.origin == .input || found.origin == .siteRule ? nil : result.page
    siteURL = found.feed.siteURL.flatMap(TitleCleaner.address) ?? page.flatMap(TitleCleaner.address)
    values["subtitle"] = found.feed.description.map(TitleCleaner.plain).flatMap {
      $0.isEmpty || $0 == title ? nil : $0
    }
    .map { JSONValue.string(TitleCleaner.shortened($0, to: 200)) }
    values["imageURL"] = result.imageURL.flatMap(TitleCleaner.address).map(JSONValue.string)
    if let code = found.language.flatMap(LanguageCodes.code) { language = code }
  }
}

/// What an editor should see of a feed's address before it goes into a public catalog.
enum FeedAddressHazard {
  /// The rules that an address breaks, each with a sentence about the feed of this name.
  static func all(
    in address: ComparableAddress, of name: String
  ) -> [(rule: CurationRule, sentence: String)] {
    guard let host = address.address?.host else { return [] }
    let url = address.text
    var found: [(rule: CurationRule, sentence: String)] = []
    if hasSecret(url) {
      found.append((.secretAddress, "the address of '\(name)' has a value that looks like a secret"))
    }
    // RFC 6761: no name below `test` exists for everyone.
    if !IPAddressPolicy.publicOnly.allows(host: host) || host.hasSuffix(".test") {
      found.append((.privateAddress, "the host of '\(name)', \(host), is in a private network"))
    }
    if url.utf8.contains(UInt8(ascii: "#")) {
      found.append((.addressFragment, "the address of '\(name)' has a part after '#'"))
    }
    return found
  }

  /// Whether a value in the query is named like a key to the feed.
  private static func hasSecret(_ url: String) -> Bool {
    let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: "#") }
    return query.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }.contains { pair in
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
      return parts.count == 2 && AddressSecrets.parameters.contains(Substring(parts[0]).lowercased())
    }
  }
}
