/// The kinds of seeds: categories, feeds and collections, with their keys.
enum SeedKind: String {
  case category, feed, collection

  var recordType: String {
    switch self {
    case .category: CatalogRecordType.feedCategory
    case .feed: CatalogRecordType.publicFeed
    case .collection: CatalogRecordType.feedCollection
    }
  }

  /// With its article, for a message.
  var phrase: String { "a \(rawValue)" }

  /// The keys of editorial fields, and keys that only exist in seed files.
  static let keys: [SeedKind: Set<String>] = [
    .category: editorialFields(.category).union(["recordName"]),
    .feed: editorialFields(.feed).subtracting(["isRetired"])
      .union(["slug", "recordName", "retired", "differentFrom"]),
    .collection: editorialFields(.collection).union(["slug", "recordName"]),
  ]

  /// Keys of fields that have another name in the container.
  static let keysOfFields = ["isRetired": "retired"]

  private static func editorialFields(_ kind: SeedKind) -> Set<String> {
    Set(FieldOwnership.fields(of: kind.recordType, ownedBy: .editorial))
  }
}
