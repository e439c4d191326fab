package import CloudKitModel

/// A field of the type Feed, which celestra-cloud writes too: what seeds and jobs write there, and what it is read as. Seeds,
/// plans, health checks, recounts, `status` and the table of the reference follow these rows, so that what one part of the
/// tool writes another reads (Documentation/reference/catalog.md#feeds-of-celestra-cloud).
package struct CloudFeedField: Sendable {
  package enum Version: Sendable, Hashable {
    case december2025, may2026

    /// A field of the feeds that no earlier version has.
    package var distinctiveField: String? { self == .may2026 ? "attemptedTimestamp" : nil }
  }

  enum Seeds: Sendable, Hashable {
    case nothing
    /// The value of the seed's key of the same name. A text that the seed leaves out stays as it is.
    case sameKey
    /// The name of the seed's category, as that program's apps write it.
    case category
    /// The address: in a new record, and in one that the seed names.
    case address
    /// 1 in a new record, 0 for a retired feed. A feed that the program stopped stays stopped.
    case activity
    /// Only in a new record: the value of this key.
    case newFromKey(String)
    /// Only in a new record: this number, with which celestra-cloud adds a feed.
    case new(Int64)
  }

  package enum Meaning: Sendable, Hashable {
    case address, title, site, category, readers, score, isVerified
    /// 0 for a feed that is neither checked nor shown.
    case activity
    /// The seconds that a feed asks for between two checks.
    case minimumInterval
    /// The last success, which moves once a day.
    case lastVerified
    /// The fact of FeedMetadata with this name.
    case fact(String)
    /// As ``fact(_:)``, but only in runs that store articles: what another run wrote here would make celestra-cloud miss
    /// items.
    case validator(String)
    case notRead
  }

  package let name: String
  package let type: FieldType
  /// The only version with this row; `nil` for both.
  let version: Version?
  let seeds: Seeds
  let job: CatalogJob?
  package let meaning: Meaning

  private init(
    _ name: String, _ type: FieldType, in version: Version? = nil, seeds: Seeds = .nothing,
    job: CatalogJob? = nil, as meaning: Meaning = .notRead
  ) {
    self.name = name
    self.type = type
    self.version = version
    self.seeds = seeds
    self.job = job
    self.meaning = meaning
  }

  private static let text = FieldType.scalar(.string)
  private static let number = FieldType.scalar(.int64)
  private static let moment = FieldType.scalar(.timestamp)

  static let all = [
    Self("feedURL", text, seeds: .address, as: .address),
    Self("title", text, seeds: .newFromKey("title"), as: .title),
    Self("description", text, seeds: .newFromKey("subtitle")),
    Self("category", text, seeds: .category, as: .category),
    Self("siteURL", text, seeds: .sameKey, as: .site),
    Self("imageURL", text, seeds: .sameKey),
    Self("language", text, in: .may2026, seeds: .sameKey),
    Self("tags", .list(.string), in: .may2026, seeds: .sameKey),
    Self("isFeatured", number, seeds: .sameKey),
    Self("isVerified", number, seeds: .sameKey, as: .isVerified),
    Self("isActive", number, in: .may2026, seeds: .activity, as: .activity),
    Self("qualityScore", number, seeds: .new(50), job: .quality, as: .score),
    Self("subscriberCount", number, seeds: .new(0), job: .subscribers, as: .readers),
    Self("totalAttempts", number, seeds: .new(0), job: .health, as: .fact("totalAttempts")),
    Self("successfulAttempts", number, seeds: .new(0), job: .health, as: .fact("successfulAttempts")),
    Self("failureCount", number, seeds: .new(0), job: .health, as: .fact("failureCount")),
    Self("lastFailureReason", text, job: .health, as: .fact("lastFailureReason")),
    Self("lastAttempted", moment, in: .december2025, job: .health, as: .fact("lastHealthCheck")),
    Self("attemptedTimestamp", moment, in: .may2026, job: .health, as: .fact("lastHealthCheck")),
    Self("verifiedTimestamp", moment, in: .may2026, job: .health, as: .lastVerified),
    // Seconds; in the newer schema items a day, which celestra-cloud keeps.
    Self(
      "updateFrequency", .scalar(.double), in: .december2025, job: .health, as: .fact("medianItemGap")),
    Self("updateFrequency", .scalar(.double), in: .may2026),
    Self("minUpdateInterval", .scalar(.double), as: .minimumInterval),
    Self("etag", text, job: .ingest, as: .validator("etag")),
    Self("lastModified", text, job: .ingest, as: .validator("lastModified")),
    // The older name of subscriberCount, which the project file may choose.
    Self("usageCount", number),
  ]

  package static func fields(in version: Version) -> [Self] {
    all.filter { $0.version == nil || $0.version == version }
  }

  /// The field that has a meaning in both versions.
  package static func name(of meaning: Meaning) -> String {
    guard let field = all.first(where: { $0.meaning == meaning }) else {
      preconditionFailure("no field of Feed is read as \(meaning)")
    }
    return field.name
  }

  // MARK: - Seeding

  /// The fields that seeding reads or writes. Only those of ``required`` must be there.
  static let seeded = all.filter { $0.seeds != .nothing }

  /// Without one of them celestra-cloud cannot read the record, and then reads none.
  static let required: Set<String> = ["feedURL", "title"]

  /// The fields of seeds that an older schema lacks.
  static let seededSinceMay2026 = seeded.filter { $0.version == .may2026 }.map(\.name)

  /// Whether only celestra-cloud or a job writes the field after the record was made. Such a value does not keep a record
  /// from being deleted by an undo.
  static func isComputed(_ name: String) -> Bool {
    all.contains { field in
      guard field.name == name else { return false }
      switch field.seeds {
      case .nothing, .newFromKey, .new: return true
      case .sameKey, .category, .address, .activity: return false
      }
    }
  }

  /// What seeds write into this field; `nil` for what stays as it is.
  ///
  /// - Parameters:
  ///   - category: the name of the feed's category.
  ///   - current: whether the record exists, and if so whether it has another address than the seed that names it.
  func seedValue(
    from feed: SeedFeed, category: String?, existing current: (isNew: Bool, hasMoved: Bool)
  ) -> FieldValue? {
    switch seeds {
    case .nothing: nil
    case .sameKey: Self.value(of: name, feed)
    case .category: category.map(FieldValue.string)
    case .address: current.isNew || current.hasMoved ? .string(feed.feedURL) : nil
    case .activity: feed.isRetired ? .flag(false) : current.isNew ? .flag(true) : nil
    case .newFromKey(let key): current.isNew ? Self.value(of: key, feed) : nil
    case .new(let number): current.isNew ? .int64(number) : nil
    }
  }

  private static func value(of key: String, _ feed: SeedFeed) -> FieldValue? {
    SeedFields.celestra.feed.first { $0.key == key }.flatMap { row in
      row.stored(feed.values.published(row), SeedRecordNames())
    }
  }
}
