import CloudKitModel
import Diagnostics

/// Checks seeds against each other: names must be unique, and references must resolve.
struct SeedConsistencyChecks {
  private let declared: SeedDeclarations
  private let categorySlugs: Set<String>
  /// Made only for a mistake, because a catalog has many feeds.
  private lazy var feedSlugs = Set(feeds.keys)
  private let feeds: [String: SeedFeed]
  private let parents: [String: String]
  private(set) var diagnostics: [Diagnostic] = []
  /// The number of mistakes that get a suggested spelling. Each suggestion compares all slugs, so a broken file of
  /// ten thousand lines would take a hundred million comparisons.
  private var suggestionsLeft = 50

  static func findings(in declared: SeedDeclarations) -> [Diagnostic] {
    var checks = SeedConsistencyChecks(declared)
    checks.checkSlugs()
    checks.checkUniqueness()
    checks.checkCategories()
    checks.checkFeeds()
    checks.checkCollections()
    checks.checkRetirement()
    checks.checkNearDuplicates()
    checks.checkSizes()
    return checks.diagnostics
  }

  private init(_ declared: SeedDeclarations) {
    self.declared = declared
    categorySlugs = Set(declared.categories.map(\.value.slug))
    feeds = Dictionary(declared.feeds.map { ($0.value.slug, $0.value) }) { first, _ in first }
    parents = declared.categories.map(\.value).filter { $0.parentCategory != nil }.keyed(by: \.slug)
      .compactMapValues(\.parentCategory)
  }

  // MARK: Slugs

  private mutating func checkSlugs() {
    let unnamed = declared.feeds.filter { $0.value.slug.isEmpty && !$0.value.title.isEmpty }
    var pool = SlugPool(unnamed.isEmpty ? [] : feedSlugs)
    for feed in unnamed where (feed.node["slug"]?.value ?? .null) == .null {
      let suggested = pool.suggested(forTitle: feed.value.title, url: feed.value.feedURL)
      diagnostics.report(
        SeedRule.badSlug,
        "the title '\(feed.value.title)' gives no slug: that is \(SeedValueRules.slugForm)",
        at: feed.range(of: "title"),
        help: suggested.isReadable
          ? "Add one, such as \"slug\": \"\(suggested.slug)\"."
          : "Add a \"slug\" that says in these letters what the feed is.")
    }
  }

  // MARK: Uniqueness

  private mutating func checkUniqueness() {
    unique(declared.categories, "slug", .duplicateSlug, "the category slug", \.slug)
    unique(declared.categories, "name", .duplicateName, "the category name", \.name)
    if feeds.count < declared.feeds.count {
      unique(declared.feeds, "slug", .duplicateSlug, "the feed slug", \.slug)
    }
    unique(
      declared.feeds, "title", .duplicateName, "the feed title", severity: .warning,
      except: { $0.isDeclaredDifferent(from: $1) }
    ) { $0.isRetired ? "" : $0.title }
    checkRecordNames()
    unique(declared.feeds, "feedURL", .duplicateURL, "the feed URL") { WebAddress.normalized($0.feedURL) }
    unique(declared.collections, "slug", .duplicateSlug, "the collection slug", \.slug)
    unique(declared.collections, "title", .duplicateName, "the collection title", \.title)
  }

  /// A record name is unique across types, and a category's slug is one.
  private mutating func checkRecordNames() {
    var first: [String: SourceRange] = [:]
    var found: [Diagnostic] = []
    func claim<Value>(_ item: LocatedDeclaration<Value>, _ name: String?, _ key: String = "recordName") {
      guard let name, !name.isEmpty else { return }
      if let earlier = first[name] {
        found.report(
          SeedRule.duplicateRecordName, "the record name '\(name)' is declared twice",
          at: item.range(of: key),
          notes: [Diagnostic.Note("first declared here", at: earlier)])
      } else {
        first[name] = item.range(of: key)
      }
    }
    for item in declared.categories {
      let key = item.value.recordName == nil ? "slug" : "recordName"
      // A repeated slug is already reported.
      if key == "slug", first[item.value.slug] != nil { continue }
      claim(item, item.value.recordName ?? item.value.slug, key)
    }
    for item in declared.feeds { claim(item, item.value.recordName) }
    for item in declared.collections { claim(item, item.value.recordName) }
    diagnostics += found
  }

  private mutating func unique<Value>(
    _ items: [LocatedDeclaration<Value>], _ key: String, _ rule: SeedRule, _ what: String,
    severity: Diagnostic.Severity? = nil, except isKnown: (Value, Value) -> Bool = { _, _ in false },
    _ identity: (Value) -> String
  ) {
    let repeated = items.repeated { item in
      let value = identity(item.value)
      return value.isEmpty ? nil : value
    }
    for (item, first) in repeated where !isKnown(item.value, first.value) {
      diagnostics.report(
        rule, "\(what) '\(identity(item.value))' is declared twice", at: item.range(of: key),
        severity: severity, notes: [Diagnostic.Note("first declared here", at: first.range(of: key))])
    }
  }

  // MARK: References

  private mutating func checkCategories() {
    for category in declared.categories {
      guard let parent = category.value.parentCategory else { continue }
      checkCategory(parent, at: category.range(of: "parentCategory"), above: category.value.slug)
    }
    checkCycles()
  }

  private mutating func checkFeeds() {
    for (slug, range) in declared.fileCategories { checkCategory(slug, at: range) }
    for feed in declared.feeds where feed.node["category"]?.string != nil {
      checkCategory(feed.value.category, at: feed.range(of: "category"))
    }
    for feed in declared.feeds where feed.node["differentFrom"] != nil {
      let (own, others) = (feed.value.slug, feed.value.differentFrom)
      checkFeeds(listedBy: feed, "differentFrom", "in 'differentFrom'") { $0 != own && !others.contains($0) }
    }
  }

  private mutating func checkCategory(_ slug: String, at range: SourceRange, above child: String? = nil) {
    guard declared.categoriesComplete, !categorySlugs.contains(slug) else { return }
    let parents = parents
    reportUnknown(.unknownCategory, "category", slug, at: range, among: categorySlugs) { candidate in
      var above: Set<String> = [candidate]
      var slug = candidate
      while let parent = parents[slug], above.insert(parent).inserted { slug = parent }
      return child.map { !above.contains($0) } ?? true
    }
  }

  private mutating func checkCollections() {
    for collection in declared.collections {
      let (listed, feeds) = (collection.value.feeds, feeds)
      checkFeeds(listedBy: collection, "feeds", "in this collection") {
        !listed.contains($0) && feeds[$0]?.isRetired == false
      }
    }
  }

  private mutating func checkFeeds<Entry: SeedEntry>(
    listedBy item: LocatedDeclaration<Entry>, _ key: String, _ place: String,
    where isAccepted: (String) -> Bool
  ) {
    var seen = Set<String>()
    for element in item.node[key]?.elements ?? [] {
      guard let slug = element.string else { continue }
      let range = item.range(of: element)
      if !seen.insert(slug).inserted {
        diagnostics.report(
          SeedRule.repeatedFeed, "the feed '\(slug)' is listed twice \(place)", at: range)
      } else if Entry.kind == .feed, slug == item.value.slug {
        diagnostics.report(
          SeedRule.unknownFeed, "the feed '\(slug)' cannot be different from itself", at: range)
      } else if declared.feedsComplete, feeds[slug] == nil {
        reportUnknown(.unknownFeed, "feed", slug, at: range, among: feedSlugs, where: isAccepted)
      }
    }
  }

  // MARK: Retired feeds and near-duplicates

  private mutating func checkRetirement() {
    guard declared.feeds.contains(where: { $0.value.isRetired || $0.value.replacedBy != nil }) else { return }
    let places = declared.feeds.keyed { $0.value.slug }
    for feed in declared.feeds {
      guard let target = feed.value.replacedBy, declared.feedsComplete else { continue }
      let range = feed.range(of: "replacedBy")
      if target == feed.value.slug {
        diagnostics.append(
          Diagnostic(SeedRule.badReplacement, "the feed '\(target)' cannot replace itself", at: range))
      } else if let replacement = feeds[target] {
        guard replacement.isRetired else { continue }
        diagnostics.report(
          SeedRule.badReplacement, "the replacement '\(target)' is retired, too", at: range,
          notes: places[target].map { [Diagnostic.Note("retired here", at: $0.range(of: "retired"))] } ?? [],
          help: successor(of: target, besides: [feed.value.slug]).map {
            "Did you mean '\($0)', which replaces it?"
          })
      } else {
        let (slug, feeds) = (feed.value.slug, feeds)
        reportUnknown(.badReplacement, "feed", target, at: range, among: feedSlugs) {
          $0 != slug && feeds[$0]?.isRetired == false
        }
      }
    }
    for collection in declared.collections {
      for element in collection.node["feeds"]?.elements ?? [] {
        guard let slug = element.string, let feed = feeds[slug], feed.isRetired else { continue }
        diagnostics.report(
          SeedRule.retiredFeed, "the feed '\(slug)' is retired, so a collection must not list it",
          at: collection.range(of: element),
          help: successor(of: slug, besides: collection.value.feeds).map {
            "List '\($0)', which replaces it."
          }
            ?? "Remove it from the collection.")
      }
    }
  }

  /// The feed that takes the place of a retired one in the end; `nil` without one, or if it is one of the others.
  private func successor(of slug: String, besides others: [String]) -> String? {
    var seen: Set<String> = []
    var slug = slug
    while let feed = feeds[slug], feed.isRetired {
      guard let next = feed.replacedBy, seen.insert(slug).inserted else { return nil }
      slug = next
    }
    return feeds[slug] == nil || others.contains(slug) || !Slug.isValid(slug) ? nil : slug
  }

  private mutating func checkNearDuplicates() {
    let repeated = declared.feeds.repeated {
      $0.value.isRetired ? nil : FeedURLComparisonKey($0.value.feedURL)
    }
    for (feed, earlier) in repeated {
      let isSame = WebAddress.normalized(feed.value.feedURL) == WebAddress.normalized(earlier.value.feedURL)
      guard !isSame, !feed.value.isDeclaredDifferent(from: earlier.value) else { continue }
      diagnostics.report(
        SeedRule.nearDuplicate,
        "'\(feed.value.slug)' has almost the same address as '\(earlier.value.slug)'",
        at: feed.range(of: "feedURL"),
        notes: [Diagnostic.Note("the other address", at: earlier.range(of: "feedURL"))],
        help:
          "Merge them, or add \"differentFrom\": [\"\(earlier.value.slug)\"] if they are different feeds.")
    }
  }

  private mutating func reportUnknown(
    _ rule: SeedRule, _ kind: String, _ slug: String, at range: SourceRange, among known: Set<String>,
    where isAccepted: (String) -> Bool
  ) {
    let nearest =
      suggestionsLeft > 0
      ? titled(slug).first { known.contains($0) && isAccepted($0) }
        ?? SpellingSuggestion.nearest(to: slug, among: known.filter { Slug.isValid($0) && isAccepted($0) })
      : nil
    suggestionsLeft -= 1
    diagnostics.report(
      rule, "\(kind) '\(slug)' not found", at: range, help: nearest.map { "Did you mean '\($0)'?" },
      fix: nearest.map { Diagnostic.Fix(replacing: range, with: "\"\($0)\"") })
  }

  /// The slugs of entries whose name gives this slug: an entry got a slug of its own, and is known by the one before.
  private func titled(_ slug: String) -> [String] {
    declared.feeds.filter { Slug.derived(fromTitle: $0.value.title) == slug }.map(\.value.slug)
      + declared.categories.filter { Slug.derived(fromTitle: $0.value.name) == slug }.map(\.value.slug)
  }

  /// Reports each circle once, at the member that is reached first.
  private mutating func checkCycles() {
    let declarations = declared.categories.keyed { $0.value.slug }
    for circle in parents.circles(from: declared.categories.map(\.value.slug)) {
      let places = circle.compactMap { declarations[$0]?.range(of: "parentCategory") }
      let names = (circle + [circle[0]]).joined(separator: " > ")
      diagnostics.report(
        SeedRule.cyclicParent, "the category '\(circle[0])' is its own ancestor: \(names)", at: places.first,
        notes: places.dropFirst().map { Diagnostic.Note("another parent of the cycle", at: $0) })
    }
  }

  // MARK: Size

  private mutating func checkSizes() {
    for category in declared.categories { checkSize(category) }
    // No text is stored in more than three times the bytes that it has in its file.
    for feed in declared.feeds where feed.node.range.count > ContainerLimits.recordSize / 4 {
      checkSize(feed)
    }
    for collection in declared.collections {
      // A reference takes the size of its target's record name, whose length only the container knows.
      var names = SeedRecordNames()
      for slug in collection.value.feeds { names[.feed, slug] = String(repeating: "x", count: 36) }
      checkSize(collection, names)
    }
  }

  private mutating func checkSize<Entry: SeedEntry>(
    _ item: LocatedDeclaration<Entry>, _ names: SeedRecordNames = SeedRecordNames()
  ) {
    let record = DesiredRecord(item.value, recordName: "", SeedFields.celestra[Entry.kind], names)
    guard record.size > ContainerLimits.recordSize else { return }
    diagnostics.report(
      SeedRule.recordTooLarge,
      "the record would take \(record.size) bytes; CloudKit allows at most \(ContainerLimits.recordSize)",
      at: item.start, help: "Shorten its longest text.")
  }
}
