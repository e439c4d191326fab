package import Catalog
package import Diagnostics
internal import XMLReading

package struct OPMLImport {
  package internal(set) var counts = Counts()
  /// The slugs of the feeds that the catalog has.
  private(set) var known: [String] = []
  package private(set) var diagnostics: [Diagnostic]
  private let fallback: String?
  private let trusts: Bool
  /// What the file says of collections that the catalog does not have, by slug.
  private var collections: [String: SeedValues]
  private var folders: OPMLFolders
  private var addresses: CatalogFeedURLs
  /// Feeds of this file by address, with their slugs.
  private var imported: [String: String] = [:]
  /// What the folders of each listing of a feed say, by address.
  private var placements: [String: [OPMLFolders.Placement]] = [:]
  /// The normalized addresses of the feeds that an export of this tool lists: each is a feed of its own.
  private let exported: Set<String>
  /// The normalized addresses of feeds by slug.
  private var urls: [String: String]
  /// The new feeds were asked.
  private var isChecked = false
  /// New feeds without a language.
  private var unspoken: (count: Int, first: OPMLFile.Entry)?
  private var slugs: SlugPool
  /// The slugs of this file's feeds in the catalog, by their slugs in the file.
  private var slugsByFileSlug: [String: String] = [:]
  private var recordNames: Set<String>
  private var retired: Set<String>
  /// What the import adds, in the order of the file.
  private var additions: [Addition] = []
  /// The attributes that need trust, by name.
  private var ignored: [String: (count: Int, first: OPMLFile.Entry)] = [:]

  private struct Addition {
    let slug: String
    let entry: OPMLFile.Entry
    /// `nil` for a feed that the catalog has.
    var feed: SeedFeed?
    let collection: (slug: String, title: String)?
  }

  /// - Parameters:
  ///   - fallback: the category of feeds whose folders name none.
  ///   - trusts: also takes the attributes that tie feeds to records or vouch for them.
  package init(
    _ file: OPMLFile, catalog: SeedCatalog, mapping: OPMLFolderMapping, fallback: String?,
    trusts: Bool = false
  ) {
    folders = OPMLFolders(file, catalog: catalog, mapping: mapping)
    self.fallback = fallback
    self.trusts = trusts
    let present = Set(catalog.collections.map(\.slug))
    collections = file.collections.filter { !present.contains($0.key) }
    diagnostics = file.diagnostics
    counts.skips = file.skips
    counts.unusable = file.unusable
    addresses = CatalogFeedURLs(catalog)
    exported = Set(file.entries.filter(\.isExported).compactMap { $0.feedURL.map(WebAddress.normalized) })
    urls = catalog.feeds.keyed(by: \.slug).mapValues { WebAddress.normalized($0.feedURL) }
    slugs = SlugPool(Set(catalog.feeds.map(\.slug)))
    retired = Set(catalog.feeds.filter(\.isRetired).map(\.slug))
    recordNames = Set(
      catalog.categories.map { $0.recordName ?? $0.slug }
        + catalog.allEntries.compactMap(\.recordName))
  }

  // MARK: Entries

  /// What an entry led to.
  private struct Reading {
    /// What was found at its page; `nil` when nothing was looked for.
    var search: FeedSearchResult?
    /// What the feed said; `nil` when it was not read.
    var answer: OPMLCheck.Answer?

    /// Other addresses of the feed.
    var trail: [String] { (answer?.moves ?? []) + (search?.choices.first?.trail ?? []) }

    /// The address to write: the one to which the entry's own redirects for good, as `seed add` does. The import of an
    /// export gives the same entries.
    func address(of entry: OPMLFile.Entry) -> String? {
      entry.isExported ? entry.feedURL : answer?.moves.last ?? entry.feedURL
    }
  }

  /// An entry without a feed's address is unusable.
  private mutating func read(_ entry: OPMLFile.Entry, _ reading: Reading) {
    guard let listed = entry.feedURL, let url = reading.address(of: entry) else {
      counts.unusable += 1
      return report(
        .noAddress,
        "'\(entry.name ?? "an outline")' has a page, but no feed\(reading.search?.problem.map { ": \($0)" } ?? "")",
        entry,
        help: reading.search?.nothingFoundHint)
    }
    let placement = folders.placement(of: entry)
    diagnostics += folders.findings(about: placement, of: entry)
    if let slug = imported[WebAddress.normalized(listed)] {
      counts.skips[.repeated, default: 0] += 1
      // An export of this tool lists a feed again in each of its collections.
      if entry.collection == nil {
        report(.repeatedFeed, "the file lists '\(slug)' more than once", entry)
      }
      additions.append(Addition(slug: slug, entry: entry, collection: placement.collection))
      return
    }
    if let known = known(entry, reading.trail) { return keep(known, entry, reading, placement) }
    let placements = placements[WebAddress.normalized(url)] ?? []
    guard let category = placements.compactMap(\.category).first ?? fallback else {
      counts.unusable += 1
      return report(
        .noCategory, "'\(entry.name ?? url)' has no category", entry,
        help: placement.unknownFolder.flatMap(folders.nearestCategory)
          .map { "Did you mean the category '\($0)'? Or name one with --category." }
          ?? "Name one for such feeds with --category.")
    }
    // A feed has one category: the others that list it become tags, as other folders do.
    let tags = placements.flatMap { place in
      place.tags.compactMap(FolderTagName.made)
        + [place.category].compactMap(\.self).filter { $0 != category && !folders.isAbove(category, $0) }
    }
    var feed = seed(entry, url: url, tags: tags)
    noteTags(folders.lost(entry.categories + placements.flatMap(\.tags)), entry)
    feed.category = category
    counts.new += 1
    if let answer = reading.answer { judge(answer, of: entry) }
    if let search = reading.search { noteChoice(of: url, from: search, for: entry) }
    if url != listed {
      report(
        .movedFeed, "\(listed) redirects permanently to \(url), the address that '\(feed.slug)' gets", entry)
    }
    note(feed.slug, entry, [listed, url])
    addresses.add(url, of: feed.slug)
    urls[feed.slug] = WebAddress.normalized(url)
    if feed.isRetired { retired.insert(feed.slug) }
    additions.append(
      Addition(slug: feed.slug, entry: entry, feed: feed, collection: placement.collection))
  }

  /// The feed that an entry is, unless an export of this tool lists both.
  private func known(_ entry: OPMLFile.Entry, _ trail: [String] = []) -> MatchingCatalogFeed? {
    guard let url = entry.feedURL, let match = addresses.known(url: url, trail: trail) else { return nil }
    let isOther = entry.isExported && urls[match.slug].map(exported.contains) ?? false
    return match.level != .same && isOther ? nil : match
  }

  private mutating func note(_ slug: String, _ entry: OPMLFile.Entry, _ urls: [String]) {
    for url in urls { imported[WebAddress.normalized(url)] = slug }
    if !entry.seed.slug.isEmpty, slugsByFileSlug[entry.seed.slug] == nil {
      slugsByFileSlug[entry.seed.slug] = slug
    }
  }

  private mutating func keep(
    _ known: MatchingCatalogFeed, _ entry: OPMLFile.Entry, _ reading: Reading,
    _ placement: OPMLFolders.Placement
  ) {
    let url = entry.feedURL ?? ""
    note(known.slug, entry, [url])
    let (feed, isProven) = ("the feed '\(known.slug)'", known.level == .proven)
    if known.level == .same {
      counts.known += 1
      self.known.append(known.slug)
    } else {
      counts.nearDuplicates += 1
      let fact =
        !isProven
        ? "is probably \(feed)"
        : reading.answer == nil ? "is \(feed) at another address" : "redirects permanently to \(feed)"
      report(
        .nearDuplicate, "\(url) \(fact)", entry,
        help: isProven ? "Nothing needs to be done: the feed is not added again." : nil)
    }
    // The collection gets the feed that the catalog has.
    additions.append(Addition(slug: known.slug, entry: entry, collection: placement.collection))
  }

  private mutating func seed(_ entry: OPMLFile.Entry, url: String, tags: [String]) -> SeedFeed {
    var feed = entry.seed
    feed.title = entry.name ?? TitleCleaner.best(feed: nil, page: nil, url: url)
    feed.feedURL = url
    // Many programs write the feed's address into both attributes.
    if !entry.isExported, let site = feed.siteURL.map(WebAddress.normalized),
      [url, entry.feedURL ?? url].map(WebAddress.normalized).contains(site)
    {
      feed.siteURL = nil
    }
    noteHazards(of: url, entry)
    if let page = KnownFeedSite.feeds(ofPage: url), let own = page.feeds.first {
      report(
        .notAFeed, "'\(feed.title)' has the address of a page, not of a feed: \(url)", entry,
        help: "Its feed is \(own).")
    }
    // An export of this tool leaves out what the seed does not have.
    if feed.values["language"] == nil, entry.seed.slug.isEmpty {
      unspoken = ((unspoken?.count ?? 0) + 1, unspoken?.first ?? entry)
    }
    if feed.slug.isEmpty || !slugs.take(feed.slug) {
      let made = slugs.suggested(forTitle: feed.title, url: url)
      feed.slug = made.slug
      if !made.isReadable { report(.madeUpSlug, feed.madeUpSlugNote.message, entry) }
    }
    let all = tags.reduce(into: feed.tags) { if !$0.contains($1) { $0.append($1) } }
    if !all.isEmpty { feed.tags = all }
    for name in takeTrusted(&feed.values, SeedFields.celestra.feed, of: "the new feed '\(feed.slug)'", entry)
    {
      ignored[name, default: (0, entry)].count += 1
    }
    return feed
  }

  /// Takes the values that need trust, or leaves them out and returns their attributes. No two seeds may have one record name.
  private mutating func takeTrusted(
    _ values: inout SeedValues, _ fields: [SeedField], of subject: String, _ entry: OPMLFile.Entry
  ) -> [String] {
    var ignored: [String] = []
    for field in fields where field.opml == .trusted {
      guard let value = values[field.key], value != field.usual, let name = field.opmlName else { continue }
      guard trusts else {
        values[field.key] = nil
        ignored.append(name)
        continue
      }
      if field.key == "recordName", let record = value.string, !recordNames.insert(record).inserted {
        values[field.key] = nil
        report(
          .unresolvedValue, "the record name '\(record)' of \(subject) already belongs to another seed", entry
        )
        continue
      }
      report(
        .needsTrust, "'\(name)' of \(subject) is taken from the file: \(value.text())", entry,
        help: "Check it before you commit the files.")
    }
    return ignored
  }

  /// Writes what was read to the seeds. Only now it is known which slug each feed of the file has.
  private mutating func finish(_ seeds: inout SeedWorkspace) throws(CommandFailure) {
    for (name, (count, entry)) in ignored.sorted(by: { $0.key < $1.key }) {
      report(
        .needsTrust,
        "'\(name)' of \(counted(count, "new feed")) is ignored\(count > 1 ? "; this is the first" : "")",
        entry)
    }
    if let unspoken {
      report(
        .noLanguage,
        "no language is known for \(counted(unspoken.count, "new feed"))\(unspoken.count > 1 ? "; this is the first" : "")",
        unspoken.first,
        help: isChecked
          ? "These feeds name none or did not answer: add \"language\" to their entries in the seed files."
          : nil)
    }
    for addition in additions {
      if var feed = addition.feed {
        resolveReferences(of: &feed, addition.entry)
        try seeds.add(feed, category: feed.category)
      }
      guard let collection = addition.collection else { continue }
      if retired.contains(addition.slug) {
        report(
          .unresolvedValue,
          "'\(addition.slug)' is retired, so it is not added to the collection '\(collection.slug)'",
          addition.entry)
      } else {
        try seeds.add(
          [addition.slug], toCollection: collection.slug, title: collection.title,
          values: values(ofCollection: collection.slug, addition.entry))
      }
    }
  }

  /// What an export of this tool says of a new collection, without what is not trusted.
  private mutating func values(ofCollection slug: String, _ entry: OPMLFile.Entry) -> SeedValues {
    guard var values = collections.removeValue(forKey: slug) else { return SeedValues() }
    for name in takeTrusted(&values, SeedFields.celestra.collection, of: "the collection '\(slug)'", entry) {
      report(.needsTrust, "'\(name)' of the collection '\(slug)' is ignored", entry)
    }
    return values
  }

  /// Replaces the file's slugs by those of the catalog. A slug that the file has no feed for is left out.
  private mutating func resolveReferences(of feed: inout SeedFeed, _ entry: OPMLFile.Entry) {
    for field in SeedFields.celestra.feed where field.opml != .outline {
      guard let value = feed.values[field.key] else { continue }
      switch field.form {
      case .reference(let kind):
        let slug = value.string.flatMap { resolved($0, kind) }
        let isUsable = slug != feed.slug && !(field.key == "replacedBy" && slug.map(retired.contains) == true)
        feed.values[field.key] = isUsable ? slug.map(JSONValue.string) : nil
        guard feed.values[field.key] == nil else { continue }
        report(
          .unresolvedValue,
          "'\(field.key)' of '\(feed.slug)' is left out: \(value.text()) is not another active \(kind.rawValue) of "
            + "the file", entry)
      case .slugs, .references:
        // A slug of no feed of the file says nothing about a feed of the catalog that has it by chance.
        let slugs = value.strings.compactMap { resolved($0, .feed) }.filter { $0 != feed.slug }.unique
        feed.values[field.key] = slugs.isEmpty ? nil : .array(slugs.map(JSONValue.string))
      default: continue
      }
    }
  }

  private func resolved(_ slug: String, _ kind: SeedKind) -> String? {
    kind == .feed ? slugsByFileSlug[slug] : folders.hasCategory(slug) ? slug : nil
  }

  mutating func report(
    _ rule: CurationRule, _ message: String, _ entry: OPMLFile.Entry, help: String? = nil
  ) {
    // What is left out of a trusted file is missed.
    let severity: Diagnostic.Severity? = trusts && rule == .unresolvedValue ? .error : nil
    diagnostics.append(
      Diagnostic(
        rule, message, at: entry.range, severity: severity, help: help ?? rule.rule.help.nonEmpty))
  }
}

extension OPMLImport {
  /// Adds the entries of the file, once.
  ///
  /// Throws ``CommandFailure`` and `CancellationError`.
  ///
  /// - Parameters:
  ///   - finder: finds the feeds of entries that have only a page; `nil` leaves them out.
  ///   - check: reads the new feeds; `nil` takes them as they are.
  package mutating func add(
    _ entries: [OPMLFile.Entry], to seeds: inout SeedWorkspace, finder: FeedFinder?, check: OPMLCheck? = nil
  ) async throws {
    var answers: [String: OPMLCheck.Answer] = [:]
    if let check {
      isChecked = true
      let new = entries.filter { known($0) == nil }.compactMap(\.feedURL).unique
      answers = Dictionary(uniqueKeysWithValues: zip(new, try await check.answers(of: new)))
    }
    var entries = entries
    var readings = Array(repeating: Reading(), count: entries.count)
    for index in entries.indices {
      readings[index].answer = entries[index].feedURL.flatMap { answers[$0] }
      if let answer = readings[index].answer, answer.problem == nil { entries[index].complete(with: answer) }
      if entries[index].feedURL == nil, let page = entries[index].seed.siteURL, let finder {
        let search = try await finder.find(page)
        readings[index].search = search
        let best = search.choices.first
        entries[index].feedURL = best.flatMap { TitleCleaner.address($0.feedURL) }
        if entries[index].seed.values["language"] == nil,
          let code = best?.language.flatMap(LanguageCodes.code)
        {
          entries[index].seed.language = code
        }
      }
      guard let url = readings[index].address(of: entries[index]) else { continue }
      placements[WebAddress.normalized(url), default: []].append(folders.placement(of: entries[index]))
    }
    for (entry, reading) in zip(entries, readings) { read(entry, reading) }
    try finish(&seeds)
  }
}
