internal import Articles
internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import RecordChanges

/// A feed's new state. The record changes, ten times as large, are made only when they are written. A class, because
/// queues hold thousands of them.
final class FeedStateUpdate: Sendable {
  enum Event: Sendable {
    case checked(FetchObservation)
    /// The feed was skipped, and is not asked before this moment.
    case deferred(until: Timestamp, SkippedFeed.Reason)
  }

  let target: FeedCheckTarget
  let next: FeedMetadata
  private let event: Event
  private let document: StoredDocument?
  private let checker: FeedChecker
  private var mapping: FeedRecordMapping { checker.options.mapping }

  init(
    _ target: FeedCheckTarget, after event: Event, next: FeedMetadata, by checker: FeedChecker,
    document: StoredDocument? = nil
  ) {
    self.target = target
    self.event = event
    self.checker = checker
    self.document = document
    self.next = document.map { checker.state(next, after: target.metadata, with: $0) } ?? next
  }

  /// The same update, with the document that the stored articles cover.
  func covering(_ document: StoredDocument) -> FeedStateUpdate {
    document.isRecorded(in: next, after: target.metadata)
      ? self : FeedStateUpdate(target, after: event, next: next, by: checker, document: document)
  }

  /// The changes that write the state: changed fields only, the state before the feed.
  var changes: [RecordChange] {
    let feed: RecordChange? =
      mapping.stateType == nil
      ? nil
      : .making(
        feedChanges(to: next), recordType: mapping.recordType, recordName: target.recordName, isNew: false,
        changeTag: target.changeTag, label: target.feedURL)
    return [stateChange(from: target.stored, to: next), feed].compactMap(\.self)
  }

  /// The change of one of the feed's records, made from the record as it is now, so that no count of another client is
  /// overwritten; `nil` when nothing is left to write.
  func change(_ change: RecordChange, from current: Record) -> RecordChange? {
    guard change.recordType == mapping.stateType ?? mapping.recordType else {
      return change.reapplied(to: current)
    }
    let stored =
      mapping.stateType == nil
      ? FeedMetadata(feed: current, mapping: mapping, policy: FetchPolicy())
      : FeedMetadata(feed: target.recordName, record: current)
    let known = stored.known(of: target.feedURL)
    let next = checker.state(after: event, of: target, from: known)
    return stateChange(
      from: stored, to: document.map { checker.state(next, after: known, with: $0) } ?? next)
  }

  /// The change of the record that keeps the state, from this or another client's state of it.
  private func stateChange(from stored: FeedMetadata, to next: FeedMetadata) -> RecordChange? {
    if let type = mapping.stateType {
      return .making(
        fieldChanges(from: stored, to: next), recordType: type,
        recordName: CatalogRecordNames.metadata(feed: target.recordName), isNew: stored.changeTag == nil,
        changeTag: stored.changeTag, label: target.feedURL)
    }
    var next = next
    // There is no field for the status: after a success no reason is left.
    if !next.lastCheckFailed { next.lastFailureReason = nil }
    return .making(
      fieldChanges(from: stored, to: next).merging(feedChanges(to: next)) { $1 },
      recordType: mapping.recordType, recordName: target.recordName, isNew: false,
      changeTag: stored.changeTag ?? target.changeTag, label: target.feedURL)
  }

  private func fieldChanges(from stored: FeedMetadata, to next: FeedMetadata) -> [String: FieldChange] {
    let isKnown = stored.changeTag != nil
    var fields = [String: FieldChange](minimumCapacity: checker.fields.count)
    for (row, field) in checker.fields {
      let old = mapping.stored(isKnown ? row.write(stored) : nil, in: field)
      fields.note(FieldChange(from: old, to: mapping.stored(row.write(next), in: field)), of: field)
    }
    return fields
  }

  /// What readers see of the check. `lastVerified` moves once a day rather than with every check, so that their devices
  /// need not fetch the whole catalog again.
  private func feedChanges(to next: FeedMetadata) -> [String: FieldChange] {
    var fields: [String: FieldChange] = [:]
    // Of a feed that keeps its own state, the last success of other checks is only derived.
    if let field = mapping.lastVerified, let success = next.lastFetchSuccess,
      success.day != target.lastVerified?.day,
      mapping.stateType != nil || success == next.lastHealthCheck
    {
      let former = target.lastVerified.map(FieldValue.timestamp)
      fields.note(FieldChange(from: former, to: .timestamp(success)), of: field)
    }
    if let field = mapping.updateFrequency {
      // The schema's unit: hours between items, rounded, at least 1.
      let hours = next.medianItemGap.map { FieldValue.int64(max(1, Int64(($0.inSeconds / 3600).rounded()))) }
      fields.note(FieldChange(from: target.updateFrequency.map(FieldValue.int64), to: hours), of: field)
    }
    return fields
  }
}
