internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState

/// One feed of the catalog, with the state that a check needs. A class, because a run holds tens of thousands.
final class FeedCheckTarget: Sendable {
  let recordName: String
  let feedURL: String
  let slug: String?
  let title: String?
  /// The site that the catalog names; `nil` when it names none.
  let siteURL: String?
  /// As `HostName.of(_:)` returns it.
  let host: String
  let isRetired: Bool
  /// When the feed's record was made, if that is known.
  let created: Timestamp?
  /// The stored metadata; `nil` for a feed that was never checked.
  private let known: FeedMetadata?
  let changeTag: String?
  let lastVerified: Timestamp?
  let updateFrequency: Int64?

  init(_ record: Record, metadata: FeedMetadata, _ mapping: FeedRecordMapping) {
    recordName = record.recordName
    feedURL = record[mapping.feedURL]?.string ?? ""
    slug = mapping.slug.flatMap { record[$0]?.string }
    title = record[mapping.title]?.string
    siteURL = mapping.siteURL.flatMap { record[$0]?.string }
    host = HostName.of(feedURL)
    isRetired = mapping.isRetired(record)
    created = record.created?.timestamp
    changeTag = record.changeTag
    lastVerified = mapping.lastVerified.flatMap { record[$0]?.timestamp }
    updateFrequency = mapping.updateFrequency.flatMap { record[$0]?.int64 }
    let isKnown = metadata.changeTag != nil && (mapping.stateType != nil || metadata.lastHealthCheck != nil)
    known = isKnown ? metadata : nil
  }

  var stored: FeedMetadata { known ?? FeedMetadata(feed: recordName) }

  /// The state that holds for the feed's current address.
  var metadata: FeedMetadata { stored.known(of: feedURL) }

  /// `nil` for a feed that was never checked.
  var previousStatus: HealthStatus? { stored.status == .unknown ? nil : stored.status }

  /// When this address was last requested; `nil` for never.
  var lastRequest: Timestamp? { known == nil ? nil : metadata.lastHealthCheck }
  /// The host answered that request with 429.
  var wasThrottled: Bool { known != nil && metadata.wasThrottled }

  /// Sorts feeds by how long they have been due: feeds never checked first, then by the time of the next check, or of
  /// the last check if all feeds are checked.
  func dueTime(force: Bool) -> Timestamp? {
    guard let known else { return nil }
    return force ? known.lastHealthCheck : known.nextCheck
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
}

extension SeedFeed {
  /// The target for a feed that the container does not have. Reports show its slug as the record name.
  var target: FeedCheckTarget {
    var fields: [String: FieldValue] = ["feedURL": .string(feedURL), "title": .string(title)]
    fields["siteURL"] = siteURL.map(FieldValue.string)
    let record = Record(recordType: CatalogRecordType.publicFeed, recordName: slug, fields: fields)
    return FeedCheckTarget(record, metadata: FeedMetadata(feed: slug), .celestra)
  }
}
