package import Catalog
package import CloudKitModel
package import FeedFetching

/// The recorded health of one feed: the FeedMetadata record in Swift types.
///
/// ``FeedMetadataFields`` defines what each field means and how it is stored.
package struct FeedMetadata: Sendable, Hashable {
  package var feedRecordName: String
  /// `nil` when there is no record yet.
  package var changeTag: String?
  package var feedReference: Reference?
  package var status = HealthStatus.unknown
  package var statusSince: Timestamp?
  package var lastHealthCheck: Timestamp?
  package var nextCheck: Timestamp?
  package var totalAttempts: Int64 = 0
  package var successfulAttempts: Int64 = 0
  package var failureCount: Int64 = 0
  package var history = DailyCheckHistory()
  /// The refused checks of each day, counted as failures.
  package var refusals = DailyCheckHistory()
  package var falls = FallHistory()
  /// The reasons of the last check's verdict, the most important first.
  package var reasons: [HealthReason] = []
  package var httpStatus: Int64?
  package var failureBegan: Timestamp?
  package var suggestedURL: String?
  package var uptimePercentage: Double?
  package var lastFetchSuccess: Timestamp?
  /// Whether that is only a moment that is late enough, because the feed keeps none.
  package private(set) var isLastSuccessDerived = false
  package var lastFetchFailure: Timestamp?
  package var lastFailureReason: String?
  package var checkedURL: String?
  package var etag: String?
  package var lastModified: String?
  package var validatorsURL: String?
  package var validatorsRefused: Timestamp?
  package var schedule: PublisherSchedule?
  package var redirectURL: String?
  package var redirectCount: Int64 = 0
  package var newestItem: Timestamp?
  package var medianItemGap: Duration?
  package var itemGapVariation: Double?
  package var averageArticlesPerWeek: Double?
  package var validity: Double?
  package var completeness: Double?
  package var fullContent: Double?
  package var transportQuality: Double?
  package var idHygiene: Double?
  package var articlesValidator: String?
  package var undatedItems: [Int64] = []
  package var itemIDRule: Int64?

  package init(feed recordName: String) { feedRecordName = recordName }
}

/// The fields of FeedMetadata that health checks own: each field's name, meaning and unit, and how it is read and
/// written. Fields of other owners (`subscriberCount`, `averageRating`, `ratingCount`) are not listed.
package enum FeedMetadataFields {
  /// One row: a stored field and what it means.
  package struct Row: Sendable {
    package let name: String
    /// One sentence, with unit and range.
    package let meaning: String
    package let read: @Sendable (FieldValue, inout FeedMetadata) -> Void
    package let write: @Sendable (FeedMetadata) -> FieldValue?
  }

  package static let rows: [Row] = [
    optional(
      "feedReference", \.feedReference, "The feed.", read: \.reference, write: FieldValue.reference),
    status(),
    moment("statusSince", \.statusSince, "When healthStatus last changed."),
    moment("lastHealthCheck", \.lastHealthCheck, "The last check, successful or not."),
    moment(
      "nextCheck", \.nextCheck,
      "When the next check is due, from the publisher's requests and our own interval."),
    count("totalAttempts", \.totalAttempts, "Checks that ended in success or failure, ever."),
    count("successfulAttempts", \.successfulAttempts, "Those that succeeded; 304 counts."),
    count("failureCount", \.failureCount, "Failures in a row; 0 after a success."),
    moment(
      "failingSince", \.failureBegan, "The first failure or refusal since the last success; absent after one."
    ),
    history(
      "dailyChecks", \.history,
      "At most 30 packed days: day number since 1970 (32 bits), successes (16), failures (16)."),
    history(
      "dailyRefusals", \.refusals,
      "At most 45 packed days: day number since 1970 (32 bits), 16 bits of 0, refused checks (16)."),
    number(
      "uptimePercentage", \.uptimePercentage,
      "0...100: the successful share of the checks in dailyChecks. With refusals, from 5 such checks on."),
    falls(),
    reasons(),
    optional(
      "lastHTTPStatus", \.httpStatus,
      "The HTTP status of the last check; absent when no server answered.", read: \.int64,
      write: FieldValue.int64),
    text(
      "suggestedURL", \.suggestedURL,
      "The address that the last check proposes for the feed; an editor decides about it."),
    moment("lastFetchSuccess", \.lastFetchSuccess, "The last check that succeeded."),
    moment("lastFetchFailure", \.lastFetchFailure, "The last check that failed."),
    text(
      "lastFailureReason", \.lastFailureReason,
      "The code and words of the last failure, and since when the feed fails so; kept afterwards."),
    text(
      "checkedURL", \.checkedURL,
      "The feedURL that was checked. Everything but the history holds for this address only."),
    text("etag", \.etag, "The ETag of the last full answer, quotes included, sent back as it is."),
    text("lastModified", \.lastModified, "Its Last-Modified, sent back as it is."),
    text(
      "validatorsURL", \.validatorsURL,
      "Where redirects led when these two came, and the only address that they are sent to; absent for checkedURL."
    ),
    optional(
      "publisherSchedule", \.schedule,
      "What the last document asks: seconds to keep a copy, and hours and days (UTC) without requests, as bits.",
      read: { $0.string.flatMap { PublisherSchedule($0) } }, write: { $0.text.map(FieldValue.string) }),
    text("redirectURL", \.redirectURL, "Where permanent redirects lead; absent without one."),
    count("redirectCount", \.redirectCount, "Checks in a row that saw that same target."),
    moment(
      "newestItem", \.newestItem,
      "The newest item's date, at most the time of the check; dates over two days ahead do not count."),
    seconds("medianItemGap", \.medianItemGap, "Seconds between items, median of the dates in the document."),
    number(
      "itemGapVariation", \.itemGapVariation,
      "Standard deviation of the gaps between items, divided by their mean; from 5 dates on."),
    number(
      "averageArticlesPerWeek", \.averageArticlesPerWeek,
      "Items a week over the last 28 days, or the part of them that the document covers; absent when unknown."
    ),
    number("validity", \.validity, "1 well-formed, 0.5 read with repairs; 0.2 less for a wrong encoding."),
    number("completeness", \.completeness, "0...1: share of the feed's and items' expected parts present."),
    number("fullContent", \.fullContent, "0...1: share of items with at least 500 bytes of content."),
    number(
      "transportQuality", \.transportQuality,
      "0...1: a quarter each for https, a validator, compression, and 304 being honored (half while unknown)."
    ),
    number("idHygiene", \.idHygiene, "0...1: distinct ids / items; absent for a feed without items."),
    moment(
      "validatorsRefused", \.validatorsRefused,
      "Until when no validators are sent, because the feed came only without them; past after the first such check."
    ),
    text(
      "articlesValidator", \.articlesValidator,
      "Which document the stored articles cover: version of the rules, content level, digests of validators, items and bytes."
    ),
    undated(),
    optional(
      "itemIDRule", \.itemIDRule,
      "1...5: by which parts of its items the guids of the feed's articles are made; it never falls.",
      read: \.int64, write: FieldValue.int64),
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
  _ name: String, _ path: Path<Value?>, _ meaning: String, read: @escaping @Sendable (FieldValue) -> Value?,
  write: @escaping @Sendable (Value) -> FieldValue?
) -> Row {
  Row(
    name: name, meaning: meaning, read: { $1[keyPath: path] = read($0) },
    write: { $0[keyPath: path].flatMap(write) })
}

private func moment(_ name: String, _ path: Path<Timestamp?>, _ meaning: String) -> Row {
  optional(name, path, meaning, read: \.timestamp, write: FieldValue.timestamp)
}

private func text(_ name: String, _ path: Path<String?>, _ meaning: String) -> Row {
  optional(name, path, meaning, read: \.string, write: FieldValue.string)
}

private func number(_ name: String, _ path: Path<Double?>, _ meaning: String) -> Row {
  optional(name, path, meaning, read: \.number, write: FieldValue.double)
}

private func count(_ name: String, _ path: Path<Int64>, _ meaning: String) -> Row {
  Row(
    name: name, meaning: meaning, read: { $1[keyPath: path] = $0.int64?.bounded ?? 0 },
    write: { .int64($0[keyPath: path]) })
}

private func seconds(_ name: String, _ path: Path<Duration?>, _ meaning: String) -> Row {
  optional(
    name, path, meaning,
    read: { value in
      let whole = value.int64 ?? value.number.flatMap { Int64(exactly: $0.rounded()) }
      return whole.map { .seconds($0.bounded) }
    }, write: { .int64($0.components.seconds) })
}

private func status() -> Row {
  Row(
    name: "healthStatus", meaning: "healthy, degraded or down; absent until the feed is first judged.",
    read: { $1.status = $0.string.flatMap(HealthStatus.init) ?? .unknown },
    write: { $0.status == .unknown ? nil : .string($0.status.rawValue) })
}

private func undated() -> Row {
  Row(
    name: "undatedItems",
    meaning:
      "Digests of stored items without a usable date, at most 500, so that none returns after its purge.",
    read: { $1.undatedItems = ($0.elements ?? []).compactMap(\.int64) },
    write: { .list(of: .int64, $0.undatedItems.map(FieldValue.int64)) })
}

private func history(_ name: String, _ path: Path<DailyCheckHistory>, _ meaning: String) -> Row {
  Row(
    name: name, meaning: meaning,
    read: {
      $1[keyPath: path] = DailyCheckHistory(
        ($0.elements ?? []).compactMap { $0.int64.map(DailyCheckCounts.init(packed:)) })
    },
    write: { .nonEmptyList(of: .int64, $0[keyPath: path].days.map { .int64($0.packed) }) })
}

private func falls() -> Row {
  Row(
    name: "lastFalls", meaning: "When the feed last became down, oldest first, at most 5 times.",
    read: { $1.falls = FallHistory(($0.elements ?? []).compactMap(\.timestamp)) },
    write: { .nonEmptyList(of: .timestamp, $0.falls.moments.map(FieldValue.timestamp)) })
}

private func reasons() -> Row {
  Row(
    name: "healthReasons", meaning: "The codes of the reasons for healthStatus, the most important first.",
    read: { $1.reasons = ($0.elements ?? []).compactMap { $0.string.flatMap(HealthReason.init) } },
    write: { .nonEmptyList(of: .string, $0.reasons.map { .string($0.code) }) })
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
