internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import RecordChanges

/// One feed of the catalog, with the state that a check needs. A class, because a run holds tens of thousands.
final class FeedCheckTarget: QueuedFeed {
  let recordName: String
  let feedURL: String
  let slug: String?
  let title: String?
  /// The site that the catalog names; `nil` when it names none.
  let siteURL: String?
  let host: String
  /// When the feed's record was made, if that is known.
  let created: Timestamp?
  /// The stored metadata, boxed because it is large and absent for every feed of a catalog's first run.
  private let record: StoredMetadata?
  private let changeTag: String?
  private let lastVerified: Timestamp?
  private let updateFrequency: Int64?
  private let names: SharedMapping
  private var mapping: FeedRecordMapping { names.mapping }

  init(_ record: Record, metadata: FeedMetadata, mapping names: SharedMapping) {
    self.names = names
    let mapping = names.mapping
    recordName = record.recordName
    feedURL = record[mapping.feedURL]?.string ?? ""
    slug = mapping.slug.flatMap { record[$0]?.string }
    title = record[mapping.title]?.string
    siteURL = mapping.siteURL.flatMap { record[$0]?.string }
    host = HostName.of(feedURL)
    created = record.created?.timestamp
    changeTag = record.changeTag
    lastVerified = mapping.lastVerified.flatMap { record[$0]?.timestamp }
    updateFrequency = mapping.updateFrequency.flatMap { record[$0]?.int64 }
    let isKnown = metadata.changeTag != nil && (mapping.stateType != nil || metadata.lastHealthCheck != nil)
    self.record = isKnown ? StoredMetadata(metadata) : nil
  }

  private var stored: FeedMetadata { record?.metadata ?? FeedMetadata(feed: recordName) }

  /// The state that holds for the feed's current address.
  var metadata: FeedMetadata { stored.known(of: feedURL) }

  /// `nil` for a feed that was never checked.
  var previousStatus: HealthStatus? { stored.status == .unknown ? nil : stored.status }

  var lastRequest: Timestamp? { record == nil ? nil : metadata.lastHealthCheck }
  var wasThrottled: Bool { record != nil && metadata.wasThrottled }

  /// Sorts feeds by how long they have been due: feeds never checked first, then by the time of the next check, or of
  /// the last check if all feeds are checked.
  func dueTime(force: Bool) -> Timestamp? {
    guard let metadata = record?.metadata else { return nil }
    return force ? metadata.lastHealthCheck : metadata.nextCheck
  }

  /// How the feed's host was at the last check of this address.
  var hostHistory: CheckedHost.History {
    let metadata = metadata
    guard metadata.lastHealthCheck != nil else { return .unknown }
    guard metadata.lastCheckFailed, let reason = metadata.lastReason else { return .working }
    // What a check of our own network may look like.
    let isFailing =
      reason.isConnectionFailure || reason.kind != .other || reason.isRefusal && reason != .accessDenied
      || [.timedOut, .badRedirect].contains(reason)
    return isFailing ? .failing : .working
  }

  /// The changes that write a new state: changed fields only, the state before the feed.
  func changes(to next: FeedMetadata) -> [RecordChange] {
    let ofState = stateChange(from: record?.metadata ?? FeedMetadata(feed: recordName), to: next)
    return [ofState, mapping.stateType == nil ? nil : feedChange(to: next)].compactMap(\.self)
  }

  /// True for the type of the records that keep the state.
  func keepsState(_ recordType: String) -> Bool { recordType == mapping.stateType ?? mapping.recordType }

  /// The state in a record as it is now.
  func state(in record: Record) -> FeedMetadata {
    mapping.stateType == nil
      ? FeedMetadata(feed: record, mapping: mapping, policy: FetchPolicy())
      : FeedMetadata(feed: recordName, record: record)
  }

  /// The change of the record that keeps the state, from this or another client's state of it.
  func stateChange(from stored: FeedMetadata, to next: FeedMetadata) -> RecordChange? {
    mapping.stateType == nil ? ownChange(from: stored, to: next) : metadataChange(from: stored, to: next)
  }

  private func metadataChange(from stored: FeedMetadata, to next: FeedMetadata) -> RecordChange? {
    .making(
      fieldChanges(from: stored, to: next), recordType: mapping.stateType ?? mapping.recordType,
      recordName: CatalogRecordNames.metadata(feed: recordName), isNew: stored.changeTag == nil,
      changeTag: stored.changeTag, label: feedURL)
  }

  /// The change of a feed whose own record keeps the state.
  private func ownChange(from stored: FeedMetadata, to next: FeedMetadata) -> RecordChange? {
    var next = next
    // There is no field for the status: after a success no reason is left.
    if !next.lastCheckFailed { next.lastFailureReason = nil }
    let fields = fieldChanges(from: stored, to: next).merging(feedFieldChanges(to: next)) { $1 }
    return .making(
      fields, recordType: mapping.recordType, recordName: recordName, isNew: false,
      changeTag: stored.changeTag ?? changeTag, label: feedURL)
  }

  private func fieldChanges(from stored: FeedMetadata, to next: FeedMetadata) -> [String: FieldChange] {
    let isKnown = stored.changeTag != nil
    var fields = [String: FieldChange](minimumCapacity: names.rows.count)
    for (row, field) in names.rows {
      let old = mapping.stored(isKnown ? row.write(stored) : nil, in: field)
      fields.note(FieldChange(from: old, to: mapping.stored(row.write(next), in: field)), of: field)
    }
    return fields
  }

  private func feedChange(to next: FeedMetadata) -> RecordChange? {
    .making(
      feedFieldChanges(to: next), recordType: mapping.recordType, recordName: recordName, isNew: false,
      changeTag: changeTag, label: feedURL)
  }

  /// What readers see of the check. `lastVerified` moves once a day rather than with every check, so that their devices
  /// need not fetch the whole catalog again.
  private func feedFieldChanges(to next: FeedMetadata) -> [String: FieldChange] {
    var fields: [String: FieldChange] = [:]
    // Of a feed that keeps its own state, the last success of other checks is only derived.
    if let field = mapping.lastVerified, let success = next.lastFetchSuccess,
      success.day != lastVerified?.day,
      mapping.stateType != nil || success == next.lastHealthCheck
    {
      fields.note(
        FieldChange(from: lastVerified.map(FieldValue.timestamp), to: .timestamp(success)), of: field)
    }
    if let field = mapping.updateFrequency {
      let hours = next.medianItemGap.map { FieldValue.int64(Self.hours($0)) }
      fields.note(FieldChange(from: updateFrequency.map(FieldValue.int64), to: hours), of: field)
    }
    return fields
  }

  /// The schema's unit: hours between items, rounded, at least 1.
  private static func hours(_ gap: Duration) -> Int64 { max(1, Int64((gap.inSeconds / 3600).rounded())) }
}

/// The names of record types and fields, in one object that all feeds of a run share.
final class SharedMapping: Sendable {
  let mapping: FeedRecordMapping
  let rows: [(row: FeedMetadataFields.Row, field: String)]

  init(_ mapping: FeedRecordMapping) {
    self.mapping = mapping
    rows = mapping.rows
  }
}

/// Boxes the stored metadata of one feed.
private final class StoredMetadata: Sendable {
  let metadata: FeedMetadata

  init(_ metadata: FeedMetadata) { self.metadata = metadata }
}

extension SeedFeed {
  /// - Parameter known: the container's feeds by normalized address.
  func isNew(among known: [String: KnownFeed]) -> Bool { known[WebAddress.normalized(feedURL)] == nil }

  /// The target for a feed that the container does not have. Reports show its slug as the record name.
  var target: FeedCheckTarget {
    var fields: [String: FieldValue] = ["feedURL": .string(feedURL), "title": .string(title)]
    fields["siteURL"] = siteURL.map(FieldValue.string)
    let record = Record(recordType: CatalogRecordType.publicFeed, recordName: slug, fields: fields)
    return FeedCheckTarget(
      record, metadata: FeedMetadata(feed: slug), mapping: SharedMapping(.celestra))
  }
}
