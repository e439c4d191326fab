package import Catalog
package import CloudKitModel
package import FeedFetching

/// The recorded health of one feed: the FeedMetadata record in Swift types.
///
/// ``FeedMetadataFields`` defines how each field is stored.
package struct FeedMetadata: Sendable, Hashable {
  package var feedRecordName: String
  /// `nil` when there is no record yet.
  package var changeTag: String?
  package var feedReference: Reference?
  /// Unknown, and not stored, until the feed is first judged.
  package var status = HealthStatus.unknown
  package var statusSince: Timestamp?
  /// The last check, successful or not.
  package var lastHealthCheck: Timestamp?
  /// When the next check is due, from the publisher's requests and our own interval.
  package var nextCheck: Timestamp?
  /// Checks that ended in success or failure, ever.
  package var totalAttempts: Int64 = 0
  /// Those that succeeded; 304 counts.
  package var successfulAttempts: Int64 = 0
  /// Failures in a row; 0 after a success.
  package var failureCount: Int64 = 0
  /// At most 30 packed days: day number since 1970 (32 bits), successes (16), failures (16).
  package var history = DailyCheckHistory()
  /// The refused checks of each day, counted as failures; at most 45 packed days.
  package var refusals = DailyCheckHistory()
  /// When the feed last became down, oldest first, at most 5 times.
  package var falls = FallHistory()
  /// The reasons of the last check's verdict, the most important first.
  package var reasons: [HealthReason] = []
  /// The HTTP status of the last check; `nil` when no server answered.
  package var httpStatus: Int64?
  /// The first failure or refusal since the last success; `nil` after one.
  package var failureBegan: Timestamp?
  package var suggestedURL: String?
  /// 0...100: the successful share of the checks in ``history``. With refusals, from 5 such checks on.
  package var uptimePercentage: Double?
  package var lastFetchSuccess: Timestamp?
  /// Whether that is only a moment that is late enough, because the feed keeps none.
  package private(set) var isLastSuccessDerived = false
  package var lastFetchFailure: Timestamp?
  /// The code and words of the last failure, and since when the feed fails so; kept afterwards.
  package var lastFailureReason: String?
  /// The feedURL that was checked. Everything but the history holds for this address only.
  package var checkedURL: String?
  /// Of the last full answer, quotes included, sent back as it is.
  package var etag: String?
  package var lastModified: String?
  /// Where redirects led when these came, the only address that they are sent to; `nil` for ``checkedURL``.
  package var validatorsURL: String?
  /// Until when no validators are sent, because the feed came only without them; past after the first such check.
  package var validatorsRefused: Timestamp?
  /// What the last document asks: seconds to keep a copy, and hours and days (UTC) without requests, as bits.
  package var schedule: PublisherSchedule?
  /// Where permanent redirects lead; `nil` without one.
  package var redirectURL: String?
  /// Checks in a row that saw that same target.
  package var redirectCount: Int64 = 0
  /// The newest item's date, at most the time of the check; dates over two days ahead do not count.
  package var newestItem: Timestamp?
  /// The median of the dates in the document; stored in seconds.
  package var medianItemGap: Duration?
  /// Standard deviation of the gaps between items, divided by their mean; from 5 dates on.
  package var itemGapVariation: Double?
  /// Items a week over the last 28 days, or the part of them that the document covers; `nil` when unknown.
  package var averageArticlesPerWeek: Double?
  /// 1 well-formed, 0.5 read with repairs; 0.2 less for a wrong encoding.
  package var validity: Double?
  /// 0...1: share of the feed's and items' expected parts present.
  package var completeness: Double?
  /// 0...1: share of items with at least 500 bytes of content.
  package var fullContent: Double?
  /// 0...1: a quarter each for https, a validator, compression, and 304 being honored (half while unknown).
  package var transportQuality: Double?
  /// 0...1: distinct ids / items; `nil` for a feed without items.
  package var idHygiene: Double?
  /// Which document the stored articles cover: version of the rules, content level, digests of validators, items, size.
  package var articlesValidator: String?
  /// Digests of stored items without a usable date, at most 500, so that none returns after its purge.
  package var undatedItems: [Int64] = []
  /// 1...5: by which parts of its items the guids of the feed's articles are made; it never falls.
  package var itemIDRule: Int64?

  /// A feed that was never checked.
  package init(feed recordName: String) { feedRecordName = recordName }
}

/// The fields of FeedMetadata that health checks own: the name of each, and how it is read and written. Fields of other
/// owners (`subscriberCount`, `averageRating`, `ratingCount`) are not listed.
package enum FeedMetadataFields {
  package struct Row: Sendable {
    package let name: String
    package let read: @Sendable (FieldValue, inout FeedMetadata) -> Void
    package let write: @Sendable (FeedMetadata) -> FieldValue?
  }

  package static let rows: [Row] = [
    optional("feedReference", \.feedReference, read: \.reference, write: FieldValue.reference),
    status(),
    moment("statusSince", \.statusSince),
    moment("lastHealthCheck", \.lastHealthCheck),
    moment("nextCheck", \.nextCheck),
    count("totalAttempts", \.totalAttempts),
    count("successfulAttempts", \.successfulAttempts),
    count("failureCount", \.failureCount),
    moment("failingSince", \.failureBegan),
    history("dailyChecks", \.history),
    history("dailyRefusals", \.refusals),
    number("uptimePercentage", \.uptimePercentage),
    falls(),
    reasons(),
    optional("lastHTTPStatus", \.httpStatus, read: \.int64, write: FieldValue.int64),
    text("suggestedURL", \.suggestedURL),
    moment("lastFetchSuccess", \.lastFetchSuccess),
    moment("lastFetchFailure", \.lastFetchFailure),
    text("lastFailureReason", \.lastFailureReason),
    text("checkedURL", \.checkedURL),
    text("etag", \.etag),
    text("lastModified", \.lastModified),
    text("validatorsURL", \.validatorsURL),
    optional(
      "publisherSchedule", \.schedule, read: { $0.string.flatMap { PublisherSchedule($0) } },
      write: { $0.text.map(FieldValue.string) }),
    text("redirectURL", \.redirectURL),
    count("redirectCount", \.redirectCount),
    moment("newestItem", \.newestItem),
    seconds("medianItemGap", \.medianItemGap),
    number("itemGapVariation", \.itemGapVariation),
    number("averageArticlesPerWeek", \.averageArticlesPerWeek),
    number("validity", \.validity),
    number("completeness", \.completeness),
    number("fullContent", \.fullContent),
    number("transportQuality", \.transportQuality),
    number("idHygiene", \.idHygiene),
    moment("validatorsRefused", \.validatorsRefused),
    text("articlesValidator", \.articlesValidator),
    undated(),
    optional("itemIDRule", \.itemIDRule, read: \.int64, write: FieldValue.int64),
  ]

  package static var names: [String] { rows.map(\.name) }
}

extension FeedMetadata {
  /// From the record of a feed; a value of the wrong type counts as absent.
  package init(feed recordName: String, record: Record?) {
    self.init(feed: recordName)
    guard let record else { return }
    changeTag = record.changeTag
    for row in FeedMetadataFields.rows {
      if let value = record.fields[row.name] { row.read(value, &self) }
    }
  }

  /// From the record of a feed that keeps the state itself. What it does not keep is derived: the status from the
  /// failures in a row and the reason of the last one, the next check from the interval.
  package init(feed record: Record, mapping: FeedRecordMapping, policy: FetchPolicy) {
    self.init(feed: record.recordName)
    changeTag = record.changeTag
    for (row, field) in mapping.rows {
      if let value = record.fields[field] { row.read(value, &self) }
    }
    guard let last = lastHealthCheck else { return }
    feedReference = nil
    status = derivedStatus(at: last, mapping.thresholds)
    if failureCount > 0 { lastFetchFailure = last }
    if status == .healthy {
      lastFetchSuccess = last
    } else {
      statusSince = lastSightingBegan
      // Some time before what is wrong now began.
      let before = (statusSince ?? last) + .milliseconds(-1)
      let verified = mapping.lastVerified.flatMap { record[$0]?.timestamp }.flatMap { $0 < before ? $0 : nil }
      lastFetchSuccess = verified ?? (successfulAttempts > 0 ? before : nil)
      isLastSuccessDerived = verified == nil
    }
    nextCheck = last + max(policy.backOff(failures: failureCount), mapping.asked(by: record, policy))
  }

  /// Where the publisher redirects for good, once enough checks in a row saw that.
  package func provenRedirect(_ thresholds: HealthThresholds) -> String? {
    redirectCount >= Int64(thresholds.redirectSightings) ? redirectURL : nil
  }

  private func derivedStatus(at last: Timestamp, _ thresholds: HealthThresholds) -> HealthStatus {
    // A wall does not count as a failure.
    guard failureCount > 0 else { return lastReason?.isInconclusive == true ? .degraded : .healthy }
    if failureCount >= thresholds.failuresUntilDown { return .down }
    guard let reason = failingReason, reason.isDecisive else { return .degraded }
    let lasted = lastSightingBegan.map { last.since($0) } ?? .zero
    let mayBeMomentary =
      reason.kind == .content && successfulAttempts > 0 && lasted < thresholds.contentUntilDown
    return mayBeMomentary ? .degraded : .down
  }
}

private typealias Row = FeedMetadataFields.Row
private typealias Path<Value> = any WritableKeyPath<FeedMetadata, Value> & Sendable

/// A field that is absent without a value.
private func optional<Value>(
  _ name: String, _ path: Path<Value?>, read: @escaping @Sendable (FieldValue) -> Value?,
  write: @escaping @Sendable (Value) -> FieldValue?
) -> Row {
  Row(
    name: name, read: { $1[keyPath: path] = read($0) },
    write: { $0[keyPath: path].flatMap(write) })
}

private func moment(_ name: String, _ path: Path<Timestamp?>) -> Row {
  optional(name, path, read: \.timestamp, write: FieldValue.timestamp)
}

private func text(_ name: String, _ path: Path<String?>) -> Row {
  optional(name, path, read: \.string, write: FieldValue.string)
}

private func number(_ name: String, _ path: Path<Double?>) -> Row {
  optional(name, path, read: \.number, write: FieldValue.double)
}

private func count(_ name: String, _ path: Path<Int64>) -> Row {
  Row(
    name: name, read: { $1[keyPath: path] = $0.int64?.bounded ?? 0 },
    write: { .int64($0[keyPath: path]) })
}

private func seconds(_ name: String, _ path: Path<Duration?>) -> Row {
  optional(
    name, path,
    read: { value in
      let whole = value.int64 ?? value.number.flatMap { Int64(exactly: $0.rounded()) }
      return whole.map { .seconds($0.bounded) }
    }, write: { .int64($0.components.seconds) })
}

private func history(_ name: String, _ path: Path<DailyCheckHistory>) -> Row {
  Row(
    name: name,
    read: {
      $1[keyPath: path] = DailyCheckHistory(
        ($0.elements ?? []).compactMap { $0.int64.map(DailyCheckCounts.init(packed:)) })
    },
    write: { .nonEmptyList(of: .int64, $0[keyPath: path].days.map { .int64($0.packed) }) })
}

private func status() -> Row {
  Row(
    name: "healthStatus",
    read: { $1.status = $0.string.flatMap(HealthStatus.init) ?? .unknown },
    write: { $0.status == .unknown ? nil : .string($0.status.rawValue) })
}

private func falls() -> Row {
  Row(
    name: "lastFalls",
    read: { $1.falls = FallHistory(($0.elements ?? []).compactMap(\.timestamp)) },
    write: { .nonEmptyList(of: .timestamp, $0.falls.moments.map(FieldValue.timestamp)) })
}

private func reasons() -> Row {
  Row(
    name: "healthReasons",
    read: { $1.reasons = ($0.elements ?? []).compactMap { $0.string.flatMap(HealthReason.init) } },
    write: { .nonEmptyList(of: .string, $0.reasons.map { .string($0.code) }) })
}

private func undated() -> Row {
  Row(
    name: "undatedItems",
    read: { $1.undatedItems = ($0.elements ?? []).compactMap(\.int64) },
    write: { .list(of: .int64, $0.undatedItems.map(FieldValue.int64)) })
}

extension FieldValue {
  /// `nil` for an empty list, which is the same as an absent one to every reader.
  fileprivate static func nonEmptyList(of type: ScalarType, _ elements: [FieldValue]) -> FieldValue? {
    elements.isEmpty ? nil : .list(of: type, elements)
  }
}

extension Int64 {
  /// Bounds a value that another program may have written, so that adding to it cannot overflow.
  fileprivate var bounded: Int64 { Swift.min(Swift.max(0, self), 1 << 40) }
}

extension Container {
  /// What the container records about feeds, in the order of the feeds, for each profile: from the record beside a feed,
  /// with at most one lookup for each 200, or from the feed's own record. Throws the errors of the lookup, but not those
  /// for absent records.
  ///
  /// - Parameters:
  ///   - mapping: with the names that the container's schema has; see ``FeedRecordMapping/matching(_:)``.
  ///   - policy: the interval from which the next check of a feed follows when it is not stored.
  package func states(
    of feeds: [Record], _ mapping: FeedRecordMapping, policy: FetchPolicy = FetchPolicy()
  ) async throws -> [FeedMetadata] {
    guard !feeds.isEmpty else { return [] }
    guard let type = mapping.stateType else {
      return feeds.map { FeedMetadata(feed: $0, mapping: mapping, policy: policy) }
    }
    let names = feeds.map { CatalogRecordNames.metadata(feed: $0.recordName) }
    let outcomes = try await lookupAll(names, desiredKeys: mapping.stateFieldNames, of: type)
    return try zip(feeds, outcomes).map { feed, outcome in
      FeedMetadata(feed: feed.recordName, record: try outcome.found)
    }
  }
}
