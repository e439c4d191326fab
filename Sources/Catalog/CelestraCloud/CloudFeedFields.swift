internal import CloudKitModel
internal import SchemaLanguage

/// What seeding writes of a record of the type Feed, and what it leaves to celestra-cloud
/// (Documentation/reference/catalog.md#feeds-of-celestra-cloud).
enum CloudFeedFields {
  /// The keys of seeds with a field of the same name that celestra-cloud never writes, or only as it read it.
  private static let keys = ["siteURL", "imageURL", "language", "tags", "isFeatured", "isVerified"]
  /// 0 in the record of a retired feed; since May 2026.
  private static let isActive = "isActive"

  /// The fields that celestra-cloud or a job computes. Their values do not keep a record from being deleted by an undo.
  static let ofProgram: Set<String> = [
    "attemptedTimestamp", "description", "etag", "failureCount", "lastAttempted", "lastFailureReason",
    "lastModified", "minUpdateInterval", "qualityScore", "subscriberCount", "successfulAttempts", "title",
    "totalAttempts", "updateFrequency", "usageCount", "verifiedTimestamp",
  ]

  /// The fields that seeds use and a schema may lack, because they came in May 2026.
  static let ofMay2026 = [isActive, "language", "tags"]

  /// The type of each field that seeding reads or writes. Only those of ``required`` must be there.
  static let types: [String: FieldType] = [
    "feedURL": .scalar(.string), "title": .scalar(.string), "description": .scalar(.string),
    "category": .scalar(.string), "siteURL": .scalar(.string), "imageURL": .scalar(.string),
    "language": .scalar(.string), "tags": .list(.string), "isFeatured": .scalar(.int64),
    "isVerified": .scalar(.int64), isActive: .scalar(.int64), "qualityScore": .scalar(.int64),
    "subscriberCount": .scalar(.int64), "totalAttempts": .scalar(.int64),
    "successfulAttempts": .scalar(.int64), "failureCount": .scalar(.int64),
  ]

  /// Without one of them celestra-cloud cannot read the record, and then reads none.
  static let required: Set<String> = ["feedURL", "title"]

  /// What a record must say. A text that the seed leaves out stays as it is.
  ///
  /// - Parameters:
  ///   - category: the name of the feed's category, as that program's apps write it.
  ///   - hasMoved: the record that the seed names has another address, so it gets the seed's.
  static func editorial(
    _ feed: SeedFeed, category: String?, hasMoved: Bool
  ) -> [(key: String, value: FieldValue?)] {
    var fields: [(key: String, value: FieldValue?)] = SeedFields.celestra.feed
      .filter { keys.contains($0.key) }
      .compactMap { row in
        row.stored(feed.values.published(row), SeedRecordNames()).map { (row.key, $0) }
      }
    if let category { fields.append(("category", .string(category))) }
    if hasMoved { fields.append(("feedURL", .string(feed.feedURL))) }
    // A feed that the program stopped stays stopped.
    if feed.isRetired { fields.append((isActive, .flag(false))) }
    return fields
  }

  /// What only a new record gets: the values with which celestra-cloud adds a feed. `minUpdateInterval` is what the feed's
  /// document asks for, so it is absent until that program has read it.
  static func atCreation(_ feed: SeedFeed) -> [(key: String, value: FieldValue?)] {
    let counts = ["subscriberCount", "totalAttempts", "successfulAttempts", "failureCount"]
    return [
      ("feedURL", .string(feed.feedURL)), ("title", .string(feed.title)),
      ("description", feed.subtitle.map(FieldValue.string)), (isActive, .flag(true)),
      ("qualityScore", .int64(50)),
    ] + counts.map { ($0, .int64(0)) }
  }
}
