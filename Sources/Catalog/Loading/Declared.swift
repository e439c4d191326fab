import Diagnostics

/// Something a seed declares, with the place where it does. The place of a single key is looked up only when
/// there is something to say about it.
struct Declared<Value> {
  let value: Value
  let node: JSONNode
  let source: SourceText

  /// Where a key's value stands; the start of the object when the key is absent.
  func range(of key: String) -> SourceRange { node[key].map(range) ?? start }

  /// The object's opening brace.
  var start: SourceRange { source.range(node.range.lowerBound..<node.range.lowerBound + 1) }

  func range(of node: JSONNode) -> SourceRange { source.range(node.range) }
}

/// Everything that was read, before it is known to hold together.
struct Declarations {
  var categories: [Declared<FeedCategory>] = []
  var feeds: [Declared<PublicFeed>] = []
  var collections: [Declared<FeedCollection>] = []
  /// The categories that files give to feeds that name none.
  var fileCategories: [(slug: String, range: SourceRange)] = []
  /// False when a file could not be read: then an unknown slug proves nothing.
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
