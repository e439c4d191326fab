internal import Catalog
internal import CloudKitModel
internal import RecordChanges

/// One feed of the catalog, with what the check needs to know of it. A class, as a run holds tens of thousands and
/// passes each from hand to hand.
final class FeedSubject: Sendable {
  static let desiredKeys = ["feedURL", "title", "lastVerified", "updateFrequency"]

  let recordName: String
  let feedURL: String
  let title: String?
  let host: String
  /// As the container has it. Behind a pointer, as it is large and a catalog's first run knows it of no feed.
  private let record: StoredMetadata?
  private let metadataName: String
  private let changeTag: String?
  private let lastVerified: Timestamp?
  private let updateFrequency: Int64?

  /// - Parameter metadataName: the name of its FeedMetadata record; making it is not free.
  init(_ record: Record, metadata: FeedMetadata, metadataName: String) {
    self.metadataName = metadataName
    recordName = record.recordName
    feedURL = record["feedURL"]?.string ?? ""
    title = record["title"]?.string
    host = HostName.of(feedURL)
    changeTag = record.changeTag
    lastVerified = record["lastVerified"]?.timestamp
    updateFrequency = record["updateFrequency"]?.int64
    self.record = metadata.changeTag == nil ? nil : StoredMetadata(metadata)
  }

  private var stored: FeedMetadata { record?.metadata ?? FeedMetadata(feed: recordName) }

  /// What is known of the feed at its present address.
  var metadata: FeedMetadata { stored.known(of: feedURL) }

  /// `nil` for a feed that was never judged.
  var previousStatus: HealthStatus? { stored.status == .unknown ? nil : stored.status }

  /// What writes a new state of the feed: changed fields only, FeedMetadata before PublicFeed.
  func changes(to next: FeedMetadata) -> [RecordChange] {
    [metadataChange(to: next), feedChange(to: next)].compactMap(\.self)
  }

  private func metadataChange(to next: FeedMetadata) -> RecordChange? {
    let stored = stored
    let isNew = stored.changeTag == nil
    let changes = FeedMetadataFields.rows.map { row in
      (name: row.name, change: FieldChange(from: isNew ? nil : row.write(stored), to: row.write(next)))
    }
    return .making(
      changes, recordType: CatalogRecordType.feedMetadata, recordName: metadataName, isNew: isNew,
      changeTag: stored.changeTag, label: feedURL)
  }

  /// The catalog's readers see `lastVerified` move once a day rather than with every check, which would make
  /// each of their devices fetch the whole catalog again.
  private func feedChange(to next: FeedMetadata) -> RecordChange? {
    var desired: [String: FieldValue?] = [:]
    if let success = next.lastFetchSuccess, success.day != lastVerified?.day {
      desired["lastVerified"] = .timestamp(success)
    }
    if let gap = next.medianItemGap { desired["updateFrequency"] = .int64(Self.hours(gap)) }
    guard !desired.isEmpty else { return nil }
    var fields: [String: FieldValue] = [:]
    fields["lastVerified"] = lastVerified.map(FieldValue.timestamp)
    fields["updateFrequency"] = updateFrequency.map(FieldValue.int64)
    let type = CatalogRecordType.publicFeed
    let existing = Record(recordType: type, recordName: recordName, fields: fields, changeTag: changeTag)
    return .toward(desired, recordType: type, recordName: recordName, existing: existing, label: feedURL)
  }

  /// The schema's unit (needs.md C5): hours between items, rounded, at least 1.
  private static func hours(_ gap: Duration) -> Int64 { max(1, Int64((gap.inSeconds / 3600).rounded())) }
}

/// What is stored of one feed.
private final class StoredMetadata: Sendable {
  let metadata: FeedMetadata

  init(_ metadata: FeedMetadata) { self.metadata = metadata }
}
