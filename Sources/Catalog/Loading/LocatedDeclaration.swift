import Diagnostics

/// A declaration with its place in the seed file. The place of a key is only looked up for a finding.
struct LocatedDeclaration<Value> {
  let value: Value
  let node: JSONNode
  let source: SourceText

  /// Where a key's value stands; the start of the object when the key is absent.
  func range(of key: String) -> SourceRange { node[key].map(range) ?? start }

  /// The object's opening brace.
  var start: SourceRange { source.range(node.range.lowerBound..<node.range.lowerBound + 1) }

  func range(of node: JSONNode) -> SourceRange { source.range(node.range) }
}

/// All declarations as read, before they are checked against each other.
struct SeedDeclarations {
  var categories: [LocatedDeclaration<SeedCategory>] = []
  var feeds: [LocatedDeclaration<SeedFeed>] = []
  var collections: [LocatedDeclaration<SeedCollection>] = []
  /// The default categories of files, for feeds without a category.
  var fileCategories: [(slug: String, range: SourceRange)] = []
  /// False if a file could not be read: then an unknown slug may be declared there.
  var categoriesComplete = true
  var feedsComplete = true
  var hasFeedsFolder = true

  var catalog: SeedCatalog {
    var catalog = SeedCatalog(
      categories: categories.map(\.value), feeds: feeds.map(\.value), collections: collections.map(\.value))
    catalog.hasFeedsFolder = hasFeedsFolder
    return catalog
  }
}
