internal import Catalog
internal import CloudKitModel
internal import RecordChanges

/// One feed of the catalog, with the state that a check needs. A class, because a run holds tens of thousands.
final class FeedCheckTarget: Sendable {
  static let desiredKeys = ["feedURL", "title", "lastVerified", "updateFrequency"]

  let recordName: String
  let feedURL: String
  let title: String?
  let host: String
  /// The stored metadata, boxed because it is large and absent for every feed of a catalog's first run.
  private let record: StoredMetadata?
  private let metadataName: String
  private let changeTag: String?
  private let lastVerified: Timestamp?
  private let updateFrequency: Int64?

  /// - Parameter metadataName: the name of the feed's FeedMetadata record, which costs a hash to compute.
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

  /// The state that holds for the feed's current address.
  var metadata: FeedMetadata { stored.known(of: feedURL) }

  /// `nil` for a feed that was never checked.
  var previousStatus: HealthStatus? { stored.status == .unknown ? nil : stored.status }

  /// The changes that write a new state: changed fields only, FeedMetadata before PublicFeed.
  func changes(to next: FeedMetadata) -> [RecordChange] {
    [metadataChange(from: stored, to: next), feedChange(to: next)].compactMap(\.self)
  }

  /// The change of the feed's FeedMetadata record from another client's state of it.
  func metadataChange(from stored: FeedMetadata, to next: FeedMetadata) -> RecordChange? {
    let isNew = stored.changeTag == nil
    let changes = FeedMetadataFields.rows.map { row in
      (name: row.name, change: FieldChange(from: isNew ? nil : row.write(stored), to: row.write(next)))
    }
    return .making(
      changes, recordType: CatalogRecordType.feedMetadata, recordName: metadataName, isNew: isNew,
      changeTag: stored.changeTag, label: feedURL)
  }

  /// `lastVerified` moves once a day rather than with every check, so that readers' devices need not fetch the whole
  /// catalog again.
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

  /// The schema's unit (Documentation/reference/catalog.md#values): hours between items, rounded, at least 1.
  private static func hours(_ gap: Duration) -> Int64 { max(1, Int64((gap.inSeconds / 3600).rounded())) }
}

/// Boxes the stored metadata of one feed.
private final class StoredMetadata: Sendable {
  let metadata: FeedMetadata

  init(_ metadata: FeedMetadata) { self.metadata = metadata }
}
