internal import Catalog
internal import CloudKitModel
internal import Diagnostics

/// The entries of a container's catalog, each with the slug that it has or gets in the seeds.
struct ContainerCatalog {
  /// A category, feed or collection of the container, as a seed.
  struct Entry {
    let kind: SeedFile.Kind
    let slug: String
    let recordName: String
    var fields: EditorialSeedFields
    /// Whether the seeds already have the entry.
    var isKnown: Bool

    /// The record name that the seed would get without an explicit `recordName`.
    var derivedName: String {
      switch kind {
      case .categories: slug
      case .feeds: CatalogRecordNames.feed(url: fields["feedURL"]?.string ?? "")
      case .collection: CatalogRecordNames.collection(slug: slug)
      }
    }
  }

  private(set) var entries: [Entry] = []
  private(set) var diagnostics: [Diagnostic] = []
  private var categorySlugs: [String: String] = [:]
  private var feedSlugs: [String: String] = [:]
  private var known: Set<String> = []

  init(_ records: [Record], seeds: SeedCatalog) {
    let byType = Dictionary(grouping: records.sorted { $0.recordName < $1.recordName }, by: \.recordType)
    let categories = byType[CatalogRecordType.feedCategory] ?? []
    let feeds = byType[CatalogRecordType.publicFeed] ?? []
    nameCategories(categories, seeds)
    nameFeeds(feeds, seeds)
    entries += categories.compactMap { category($0) }.sorted { $0.slug < $1.slug }
    entries += feeds.compactMap { feed($0, seeds) }.sorted { $0.slug < $1.slug }
    addCollections(byType[CatalogRecordType.feedCollection] ?? [], seeds)
  }

  // MARK: Names

  private mutating func nameCategories(_ records: [Record], _ seeds: SeedCatalog) {
    var taken = Set(seeds.categories.map(\.slug))
    let named = Dictionary(
      seeds.categories.compactMap { item in item.recordName.map { ($0, item.slug) } }, uniquingKeysWith: min)
    let slugs = taken
    for record in records {
      let slug = record["slug"]?.string ?? record.recordName
      if let found = named[record.recordName] ?? (slugs.contains(slug) ? slug : nil) {
        categorySlugs[record.recordName] = found
        known.insert(record.recordName)
      } else {
        let free = Slug.isValid(slug) && !taken.contains(slug)
        let chosen =
          free
          ? slug
          : Slug.suggested(forTitle: record["name"]?.string ?? "", url: record.recordName, taken: taken).slug
        categorySlugs[record.recordName] = chosen
        taken.insert(chosen)
      }
    }
  }

  private mutating func nameFeeds(_ records: [Record], _ seeds: SeedCatalog) {
    let declared = Dictionary(
      seeds.feeds.compactMap { feed in feed.recordName.map { ($0, feed.slug) } }, uniquingKeysWith: min)
    let byURL = Dictionary(
      seeds.feeds.filter { $0.recordName == nil }.map { (WebAddress.normalized($0.feedURL), $0.slug) },
      uniquingKeysWith: min)
    let holders = Dictionary(grouping: records) { WebAddress.normalized($0["feedURL"]?.string ?? "") }
    var taken = Set(seeds.feeds.map(\.slug))
    var given: Set<String> = []
    func claim(_ record: Record, _ slug: String?) {
      guard let slug, feedSlugs[record.recordName] == nil, given.insert(slug).inserted else { return }
      feedSlugs[record.recordName] = slug
      known.insert(record.recordName)
    }
    for record in records { claim(record, declared[record.recordName]) }
    var shared: [(url: String, records: [Record])] = []
    for (url, held) in holders {
      let free = held.filter { feedSlugs[$0.recordName] == nil }
      if free.count > 1 {
        shared.append((url, free))
      } else if let only = free.first {
        claim(only, byURL[url])
      }
    }
    for (url, records) in shared.sorted(by: { $0.url < $1.url }) { reportTwins(records, url) }
    // The record of a feed whose URL was changed in the container.
    let derived = Dictionary(
      seeds.feeds.filter { $0.recordName == nil && !given.contains($0.slug) }
        .map { (CatalogRecordNames.feed(url: $0.feedURL), $0.slug) }, uniquingKeysWith: min)
    for record in records { claim(record, derived[record.recordName]) }
    // The same after a move: the record then has the name of another URL than the seed's.
    let rest = seeds.feeds.filter { $0.recordName == nil && !given.contains($0.slug) }
    let free = records.filter { feedSlugs[$0.recordName] == nil && !twins.contains($0.recordName) }
    let moved = MovedFeedSearch(rest, free, redirects: [:]).moves().certain
    let slugs = Dictionary(moved.map { ($0.recordName, $0.slug) }, uniquingKeysWith: min)
    for record in free { claim(record, slugs[record.recordName]) }
    for record in records where feedSlugs[record.recordName] == nil && !twins.contains(record.recordName) {
      let title = record["title"]?.string ?? ""
      let suggested = Slug.suggested(forTitle: title, url: record["feedURL"]?.string ?? "", taken: taken)
      feedSlugs[record.recordName] = suggested.slug
      taken.insert(suggested.slug)
      if !suggested.isReadable {
        report(
          .madeUpSlug, "'\(title)' has no slug in the container; it gets the slug '\(suggested.slug)'",
          help: "Rename it before you apply the seeds.")
      }
    }
  }

  /// Several records have the same URL, so the feed's record is unknown.
  private var twins: Set<String> = []

  private mutating func reportTwins(_ records: [Record], _ url: String) {
    twins.formUnion(records.map(\.recordName))
    report(
      .twinRecords,
      "\(records.count) records have the feed URL \(url): \(records.map(\.recordName).joined(separator: ", "))",
      help: "Run 'celestra-admin seed duplicates', and decide which one to keep.")
  }

  private mutating func report(_ rule: CurationRule, _ message: String, help: String? = nil) {
    diagnostics.append(Diagnostic(rule, message, help: help))
  }

  // MARK: Entries

  private mutating func category(_ record: Record) -> Entry? {
    guard let slug = categorySlugs[record.recordName], let name = text(record, "name") else { return nil }
    var category = SeedCategory(slug: slug, name: name)
    category.icon = text(record, "icon") ?? SeedFieldDefaults.categoryIcon
    category.color = text(record, "color") ?? SeedFieldDefaults.categoryColor
    category.sortOrder = record.integer("sortOrder") ?? SeedFieldDefaults.categorySortOrder
    category.description = text(record, "description")
    category.parentCategory = record["parentCategory"]?.reference.flatMap { categorySlugs[$0.recordName] }
    return Entry(
      kind: .categories, slug: slug, recordName: record.recordName, fields: EditorialSeedFields(category),
      isKnown: known.contains(record.recordName))
  }

  private mutating func feed(_ record: Record, _ seeds: SeedCatalog) -> Entry? {
    guard let slug = feedSlugs[record.recordName] else { return nil }
    guard let title = text(record, "title"), let url = address(record, "feedURL"),
      let category = record["category"]?.reference.flatMap({ categorySlugs[$0.recordName] })
    else {
      report(
        .unusableRecord,
        "the feed '\(slug)' (\(record.recordName)) has no usable title, URL or category in the container",
        help: "Correct the record, then pull again.")
      return nil
    }
    var feed = SeedFeed(slug: slug, title: title, feedURL: url, category: category)
    feed.siteURL = address(record, "siteURL")
    feed.subtitle = text(record, "subtitle")
    feed.imageURL = address(record, "imageURL")
    feed.language = record["language"]?.string.flatMap(LanguageCodes.code) ?? SeedFieldDefaults.language
    feed.tags = tags(record)
    feed.isRetired = record.integer("isRetired") == 1
    feed.isFeatured = record.integer("isFeatured") == 1
    feed.isVerified = record.integer("isVerified") == 1
    feed.replacedBy = record["replacedBy"]?.reference.flatMap { feedSlugs[$0.recordName] }
    return Entry(
      kind: .feeds, slug: slug, recordName: record.recordName, fields: EditorialSeedFields(feed),
      isKnown: known.contains(record.recordName))
  }

  private mutating func addCollections(_ records: [Record], _ seeds: SeedCatalog) {
    let byName = Dictionary(
      seeds.collections.map { ($0.recordName ?? CatalogRecordNames.collection(slug: $0.slug), $0.slug) },
      uniquingKeysWith: min)
    var taken = Set(seeds.collections.map(\.slug))
    var found: [Entry] = []
    for record in records {
      guard let title = text(record, "title") else { continue }
      let slug =
        byName[record.recordName]
        ?? Slug.suggested(forTitle: title, url: record.recordName, taken: taken).slug
      taken.insert(slug)
      let names = record["feeds"]?.elements?.compactMap { $0.reference?.recordName } ?? []
      let missing = names.filter { feedSlugs[$0] == nil }
      if !missing.isEmpty {
        report(
          .danglingFeed,
          "the collection '\(slug)' lists records that are not feeds: \(missing.joined(separator: ", "))",
          help: "Run 'celestra-admin container verify'.")
      }
      var collection = SeedCollection(
        slug: slug, title: title, feeds: names.compactMap { feedSlugs[$0] }.distinct)
      collection.description = text(record, "description")
      collection.coverImageURL = address(record, "coverImageURL")
      collection.curatorName = text(record, "curatorName")
      collection.isFeatured = record.integer("isFeatured") == 1
      collection.tags = tags(record)
      found.append(
        Entry(
          kind: .collection, slug: slug, recordName: record.recordName,
          fields: EditorialSeedFields(collection),
          isKnown: byName[record.recordName] != nil))
    }
    entries += found.sorted { $0.slug < $1.slug }
  }

  // MARK: Values

  /// A text for a seed; a blank one counts as absent.
  private func text(_ record: Record, _ field: String) -> String? {
    guard let text = record[field]?.string?.composed, text.contains(where: { !$0.isWhitespace }) else {
      return nil
    }
    return text
  }

  private func address(_ record: Record, _ field: String) -> String? {
    guard let text = record[field]?.string, WebAddress.problem(with: text) == nil else { return nil }
    return text
  }

  private func tags(_ record: Record) -> [String] {
    (record["tags"]?.elements?.compactMap { $0.string?.composed } ?? []).filter {
      SeedValueRules.tag($0) == nil
    }.distinct
  }
}

extension Record {
  fileprivate func integer(_ field: String) -> Int64? {
    if case .int64(let value)? = self[field] { value } else { nil }
  }
}

extension [String] {
  fileprivate var distinct: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
