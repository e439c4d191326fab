internal import Catalog
internal import Diagnostics

/// The choice of what the folders of an OPML file become: categories, collections or tags.
package enum OPMLFolderMapping: String, Sendable, CaseIterable {
  /// The deepest folder that is a known category is the category; else the deepest is a collection; the others are
  /// tags.
  case auto
  case category, collection, tags, none
}

/// What the folders of an OPML file are in the catalog.
struct OPMLFolders {
  struct Placement {
    var category: String?
    var collection: (slug: String, title: String)?
    /// The names of folders that become tags.
    var tags: [String] = []
    /// The innermost folder, when none is a known category, and it is not a collection of the catalog.
    var unknownFolder: String?
  }

  private let mapping: OPMLFolderMapping
  /// The slugs of categories, and these by name and by slug.
  private let categorySlugs: Set<String>
  private let categories: [String: String]
  private let categoryNames: [String]
  /// The slugs of collections, and these by title.
  private let collectionSlugs: Set<String>
  private let collections: [String: String]
  /// The slugs of the file's new collections by title.
  private var newSlugs: [String: String] = [:]
  private var pool: SlugPool
  /// The parents of categories by slug.
  private let parents: [String: String]
  /// Names of folders that stand below different folders, by key.
  private let sharedNames: Set<String>
  /// Those that were reported, by their path.
  private var unknown: Set<[String]> = []
  private var untagged: Set<String> = []

  init(_ file: OPMLFile, catalog: SeedCatalog, mapping: OPMLFolderMapping) {
    self.mapping = mapping
    categoryNames = catalog.categories.map(\.name)
    parents = catalog.categories.keyed(by: \.slug).compactMapValues(\.parentCategory)
    categorySlugs = Set(catalog.categories.map(\.slug))
    categories = Dictionary(
      catalog.categories.map { (Self.key($0.name), $0.slug) } + catalog.categories.map { ($0.slug, $0.slug) },
      uniquingKeysWith: { first, _ in first })
    collectionSlugs = Set(catalog.collections.map(\.slug))
    collections = catalog.collections.keyed { Self.key($0.title) }.mapValues(\.slug)
    pool = SlugPool(collectionSlugs.union(file.collections.keys))
    // A plain folder may stand before the collection of an export that has its title.
    for entry in file.entries {
      guard let slug = entry.collection, !collectionSlugs.contains(slug), let name = entry.folders.last else {
        continue
      }
      newSlugs[Self.key(name)] = newSlugs[Self.key(name)] ?? slug
    }
    let paths = Set(file.entries.map { $0.folders.map(Self.key) })
    sharedNames = Set(Dictionary(grouping: paths) { $0.last ?? "" }.filter { $1.count > 1 }.keys)
  }

  private static func key(_ name: String) -> String {
    name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  func hasCategory(_ slug: String) -> Bool { categorySlugs.contains(slug) }

  /// The findings about an entry's folder that is not a category, once for each folder.
  mutating func findings(about placement: Placement, of entry: OPMLFile.Entry) -> [Diagnostic] {
    guard let folder = placement.unknownFolder, entry.collection == nil,
      unknown.insert(entry.folders).inserted
    else { return [] }
    let (collection, place) = (placement.collection, entry.folderRange ?? entry.range)
    var findings: [Diagnostic] = []
    findings.report(
      CurationRule.unknownFolder,
      "the folder '\(folder)' of the OPML file is not a category of the catalog", at: place,
      help: nearestCategory(to: folder).map { "Did you mean '\($0)'?" }
        ?? collection.map { "Its feeds go into the collection '\($0.slug)'; --folders-as chooses otherwise." }
    )
    if let collection, !collectionSlugs.contains(collection.slug),
      !Slug.base(forTitle: collection.title, url: collection.title).isReadable
    {
      findings.report(
        CurationRule.madeUpSlug,
        "the collection '\(collection.title)' gets the slug '\(collection.slug)', because its title is not all in Latin letters",
        at: place, help: "Choose another slug for the collection before you apply the seeds.")
    }
    return findings
  }

  /// The texts that cannot be tags, once for each.
  mutating func lost(_ tags: [String]) -> [String] {
    tags.filter { FolderTagName.isLost($0) && untagged.insert($0).inserted }
  }

  func nearestCategory(to folder: String) -> String? {
    SpellingSuggestion.nearest(to: folder, among: categoryNames)
  }

  mutating func placement(of entry: OPMLFile.Entry) -> Placement {
    let folders = entry.folders
    var placement = Placement()
    let isCategory = entry.category.map(hasCategory) ?? false
    let known =
      isCategory
      ? folders.indices.last
      : entry.collection == nil ? folders.lastIndex { categories[Self.key($0)] != nil } : nil
    switch mapping {
    case .none: break
    case .tags: placement.tags = folders
    case .category, .auto:
      placement.category =
        isCategory ? entry.category : known.flatMap { categories[Self.key(folders[$0])] }
      let others = folders.indices.filter { $0 != known }.map { folders[$0] }
        .filter { !isAbove(placement.category, $0) }
      if mapping == .auto, known == nil { placement.collection = collection(entry) }
      placement.tags = placement.collection == nil ? others : others.dropLast()
      if known == nil, placement.collection.map({ !collectionSlugs.contains($0.slug) }) ?? true {
        placement.unknownFolder = folders.last
      }
    case .collection:
      placement.category = known.flatMap { categories[Self.key(folders[$0])] }
      placement.collection = collection(entry)
      placement.tags = folders.dropLast()
    }
    return placement
  }

  /// Whether a folder is a category above another one, which says it already.
  func isAbove(_ category: String?, _ folder: String) -> Bool {
    guard let folder = categories[Self.key(folder)] else { return false }
    var seen: Set<String> = []
    var category = category.flatMap { parents[$0] }
    while let slug = category, seen.insert(slug).inserted {
      if slug == folder { return true }
      category = parents[slug]
    }
    return false
  }

  /// The collection of the innermost folder. Folders of one name below different folders are different ones.
  private mutating func collection(_ entry: OPMLFile.Entry) -> (slug: String, title: String)? {
    let folders = entry.folders
    guard let name = folders.last else { return nil }
    if let slug = entry.collection, collectionSlugs.contains(slug) { return (slug, name) }
    let isShared = entry.collection == nil && sharedNames.contains(Self.key(name))
    let title = isShared ? TitleCleaner.shortened(folders.joined(separator: " / "), to: 500) : name
    // Two collections of one title would be an error, and titles such as C++ and C# have one slug.
    let key = Self.key(title)
    let known = collections[key] ?? entry.collection ?? newSlugs[key]
    let slug =
      known ?? (collectionSlugs.contains(key) ? key : pool.suggested(forTitle: title, url: title).slug)
    newSlugs[key] = slug
    return (slug, title)
  }
}

/// Converts names of folders and categories to tags.
enum FolderTagName {
  /// In lower case, with hyphens for spaces; `nil` for a text that cannot be a tag.
  static func made(from text: String) -> String? {
    let tag = hyphenated(text)
    return SeedValueRules.tag(tag) == nil ? tag : nil
  }

  /// Whether a text says something and cannot be a tag.
  static func isLost(_ text: String) -> Bool { !hyphenated(text).isEmpty && made(from: text) == nil }

  private static func hyphenated(_ text: String) -> String {
    TitleCleaner.plain(text).lowercased().split { $0.isWhitespace || $0 == "," }.joined(separator: "-")
  }
}
