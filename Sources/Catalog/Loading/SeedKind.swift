/// The three things a seed declares, and the keys each may have.
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

  /// Editorial fields, and what only the seed files know.
  static let keys: [SeedKind: Set<String>] = [
    .category: editorialFields(.category).union(["recordName"]),
    .feed: editorialFields(.feed).subtracting(["isRetired"])
      .union(["slug", "recordName", "retired", "differentFrom"]),
    .collection: editorialFields(.collection).union(["slug", "recordName"]),
  ]

  private static func editorialFields(_ kind: SeedKind) -> Set<String> {
    Set(FieldOwnership.fields(of: kind.recordType, ownedBy: .editorial))
  }
}
