public import Catalog
public import Diagnostics

/// The choice of what the folders of an OPML file become: categories, collections or tags.
public enum OPMLFolderMapping: String, Sendable, CaseIterable {
  /// The deepest folder that is a known category is the category; else the deepest is a collection; the others are
  /// tags.
  case auto
  case category, collection, tags, none
}

/// Imports the entries of an OPML file into seed files.
public struct OPMLImport {
  /// The numbers of entries by what the import did with them.
  public struct Counts: Sendable, Hashable {
    public var new = 0
    public var known = 0
    public var nearDuplicates = 0
    public var unusable = 0
    /// Neither folders nor feeds, or feeds that the file repeats.
    public var skipped = 0
  }

  public private(set) var counts = Counts()
  public private(set) var diagnostics: [Diagnostic]
  private let mapping: OPMLFolderMapping
  private let fallback: String?
  private let categories: [String: String]
  private let categoryNames: [String]
  private var addresses: CatalogFeedURLs
  /// Feeds of this file by address, with their slugs.
  private var imported: [String: String] = [:]
  private var comparable: [FeedURLComparisonKey: String] = [:]
  private var unknownFolders: Set<String> = []
  /// Names of folders that stand below different folders, by key.
  private let sharedFolderNames: Set<String>

  /// - Parameters:
  ///   - fallback: the category of feeds whose folders name none.
  public init(_ file: OPMLFile, catalog: SeedCatalog, mapping: OPMLFolderMapping, fallback: String?) {
    self.mapping = mapping
    self.fallback = fallback
    diagnostics = file.diagnostics
    counts.skipped = file.skipped
    counts.unusable = file.unusable
    categoryNames = catalog.categories.map(\.name)
    categories = Dictionary(
      catalog.categories.flatMap { [($0.slug, $0.slug), (Self.key($0.name), $0.slug)] },
      uniquingKeysWith: { first, _ in first })
    addresses = CatalogFeedURLs(catalog)
    let paths = Set(file.entries.map { $0.folders.map(Self.key) })
    sharedFolderNames = Set(Dictionary(grouping: paths) { $0.last ?? "" }.filter { $1.count > 1 }.keys)
  }

  private static func key(_ name: String) -> String {
    name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  // MARK: Entries

  /// Adds an entry to the seeds. An entry without a feed's address is unusable.
  public mutating func add(_ entry: OPMLFile.Entry, to seeds: inout SeedWorkspace) throws(CommandFailure) {
    guard let url = entry.feedURL, let address = FeedURLComparisonKey(url) else {
      counts.unusable += 1
      return report(.noAddress, "'\(entry.name ?? "an outline")' has a page, but no feed", entry)
    }
    let placement = placement(of: entry)
    if let slug = imported[WebAddress.normalized(url)] {
      counts.skipped += 1
      report(.repeatedFeed, "the file lists '\(slug)' more than once", entry)
      if let collection = placement.collection { try add(slug, to: collection, &seeds) }
      return
    }
    let likely = comparable[address].map { MatchingCatalogFeed(slug: $0, level: .likely) }
    if let known = addresses.known(url: url, trail: []) ?? likely {
      return try keep(known, entry, url, placement, &seeds)
    }
    guard let category = placement.category ?? fallback else {
      counts.unusable += 1
      return report(
        .noCategory, "'\(entry.name ?? url)' has no category", entry,
        help: placement.suggestion ?? "Name one for such feeds with --category.")
    }
    var seed = self.seed(entry, url: url, placement: placement, taken: seeds.takenSlugs)
    seed.category = category
    try seeds.add(seed, category: category)
    imported[WebAddress.normalized(url)] = seed.slug
    comparable[address] = seed.slug
    counts.new += 1
    if let collection = placement.collection { try add(seed.slug, to: collection, &seeds) }
  }

  private mutating func keep(
    _ known: MatchingCatalogFeed, _ entry: OPMLFile.Entry, _ url: String, _ placement: Placement,
    _ seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    imported[WebAddress.normalized(url)] = known.slug
    if known.level == .same {
      counts.known += 1
      if let collection = placement.collection { try add(known.slug, to: collection, &seeds) }
    } else {
      counts.nearDuplicates += 1
      report(.nearDuplicate, "\(url) is probably the feed '\(known.slug)'", entry)
    }
  }

  private func seed(
    _ entry: OPMLFile.Entry, url: String, placement: Placement, taken: Set<String>
  ) -> SeedFeedEntry {
    let title = entry.name ?? TitleCleaner.best(feed: nil, page: nil, url: url)
    let wanted = entry.slug.flatMap { Slug.isValid($0) && !taken.contains($0) ? $0 : nil }
    var seed = SeedFeedEntry(
      slug: wanted ?? Slug.suggested(forTitle: title, url: url, taken: taken).slug, title: title, feedURL: url
    )
    seed.siteURL = entry.siteURL
    seed.subtitle = entry.subtitle
    seed.imageURL = entry.imageURL
    seed.language = entry.language
    seed.recordName = entry.recordName.flatMap { CatalogRecordNames.isValid($0) ? $0 : nil }
    seed.isFeatured = entry.isFeatured
    seed.isVerified = entry.isVerified
    seed.tags = placement.tags.reduce(into: entry.tags) { if !$0.contains($1) { $0.append($1) } }
    return seed
  }

  private func add(
    _ slug: String, to collection: (slug: String, title: String), _ seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    try seeds.add([slug], toCollection: collection.slug, title: collection.title)
  }

  private mutating func report(
    _ rule: CurationRule, _ message: String, _ entry: OPMLFile.Entry, help: String? = nil
  ) {
    diagnostics.append(Diagnostic(rule, message, at: entry.range, help: help ?? rule.rule.help.nonBlank))
  }

  // MARK: Folders

  /// Where the folders of an entry put its feed in the catalog.
  private struct Placement {
    var category: String?
    var collection: (slug: String, title: String)?
    var tags: [String] = []
    var suggestion: String?
  }

  private mutating func placement(of entry: OPMLFile.Entry) -> Placement {
    var placement = Placement()
    let folders = entry.folders
    let known = folders.lastIndex { categories[Self.key($0)] != nil }
    switch mapping {
    case .none: break
    case .tags: placement.tags = folders.compactMap(FolderTagName.made)
    case .category, .auto:
      placement.category = known.flatMap { categories[Self.key(folders[$0])] }
      let others = folders.indices.filter { $0 != known }.map { folders[$0] }
      if mapping == .auto, known == nil { placement.collection = collection(folders) }
      placement.tags = (placement.collection == nil ? others : others.dropLast()).compactMap(
        FolderTagName.made)
      if known == nil, let folder = folders.last { noteUnknown(folder, entry, &placement) }
    case .collection:
      placement.category = known.flatMap { categories[Self.key(folders[$0])] }
      placement.collection = collection(folders)
      placement.tags = folders.dropLast().compactMap(FolderTagName.made)
    }
    return placement
  }

  /// The collection of the innermost folder. Folders of one name below different folders are different ones.
  private func collection(_ folders: [String]) -> (slug: String, title: String)? {
    guard let name = folders.last else { return nil }
    let isShared = sharedFolderNames.contains(Self.key(name))
    let title = isShared ? TitleCleaner.shortened(folders.joined(separator: " / "), to: 500) : name
    return (Slug.suggested(forTitle: title, url: title, taken: []).slug, title)
  }

  private mutating func noteUnknown(_ folder: String, _ entry: OPMLFile.Entry, _ placement: inout Placement) {
    let nearest = SpellingSuggestion.nearest(to: folder, among: categoryNames)
    placement.suggestion = nearest.map { "Did you mean the category '\($0)'? Or name one with --category." }
    guard unknownFolders.insert(folder).inserted else { return }
    report(
      .unknownFolder, "the folder '\(folder)' of the OPML file is not a category of the catalog", entry,
      help: nearest.map { "Did you mean '\($0)'?" })
  }
}

extension String {
  fileprivate var nonBlank: String? { isEmpty ? nil : self }
}

extension OPMLImport {
  /// Adds all entries. With a finder, those that have only a page get the best feed that it finds.
  ///
  /// Throws ``CommandFailure`` and `CancellationError`.
  public mutating func add(
    _ entries: [OPMLFile.Entry], to seeds: inout SeedWorkspace, finder: FeedFinder?
  ) async throws {
    for var entry in entries {
      if entry.feedURL == nil, let page = entry.siteURL, let finder {
        let best = try await finder.find(page).choices.first
        entry.feedURL = best.flatMap { TitleCleaner.address($0.feedURL) }
        entry.language = entry.language ?? best?.language.flatMap(LanguageCodes.code)
      }
      try add(entry, to: &seeds)
    }
  }
}

extension SeedWorkspace {
  /// Throws ``CommandFailure`` when there is no such category.
  public func requireCategory(_ slug: String?) throws(CommandFailure) {
    guard let slug, !catalog.categories.contains(where: { $0.slug == slug }) else { return }
    throw .unknown("category", slug, among: catalog.categories.map(\.slug))
  }
}
