import Catalog
import CloudKitModel
import FeedFetching
import Testing

@testable import FeedState

@Suite struct FeedMetadataTests {
  private static let checked = Timestamp(milliseconds: 1_772_452_800_000)

  private static func hoursEarlier(_ hours: Int64) -> Timestamp {
    Timestamp(milliseconds: checked.milliseconds - hours * 3_600_000)
  }

  /// A state in which every property has a value of its own.
  private static let filled: FeedMetadata = {
    var state = FeedMetadata(feed: "feed-1")
    state.feedReference = Reference("feed-1")
    (state.status, state.statusSince, state.lastHealthCheck) = (.degraded, hoursEarlier(9), checked)
    state.nextCheck = hoursEarlier(-3)
    (state.totalAttempts, state.successfulAttempts, state.failureCount) = (17, 11, 4)
    state.history = DailyCheckHistory([DailyCheckCounts(day: 20_514, successes: 3, failures: 2)])
    state.refusals = DailyCheckHistory([DailyCheckCounts(day: 20_513, failures: 5)])
    state.falls = FallHistory([hoursEarlier(30), hoursEarlier(10)])
    state.reasons = [.serverError, .stale]
    (state.httpStatus, state.failureBegan) = (503, hoursEarlier(8))
    state.suggestedURL = "https://new.example/feed"
    (state.uptimePercentage, state.validity, state.completeness) = (61.5, 0.5, 0.75)
    (state.fullContent, state.transportQuality, state.idHygiene) = (0.25, 0.625, 0.875)
    (state.lastFetchSuccess, state.lastFetchFailure) = (hoursEarlier(7), hoursEarlier(6))
    state.lastFailureReason = "FH0206 words"
    state.checkedURL = "https://old.example/feed"
    (state.etag, state.lastModified) = ("\"tag\"", "Mon, 02 Mar 2026 12:00:00 GMT")
    (state.redirectURL, state.redirectCount) = ("https://moved.example/feed", 2)
    (state.newestItem, state.medianItemGap) = (hoursEarlier(5), .seconds(5400))
    (state.itemGapVariation, state.averageArticlesPerWeek) = (1.5, 6.5)
    (state.validatorsRefused, state.validatorsURL) = (Timestamp(milliseconds: 21), "https://cdn.example/feed")
    (state.articlesValidator, state.undatedItems) = ("1 excerpt", [5, 8])
    state.itemIDRule = 3
    state.schedule = PublisherSchedule(ttl: .seconds(300), skipHours: [0, 23], skipDays: [7])
    return state
  }()

  /// The record that holds a state, its articles included.
  private func record(_ state: FeedMetadata) -> Record {
    let rows = FeedMetadataFields.rows
    let fields = rows.map { ($0.name, $0.write(state)) }
    return Record(
      recordType: "FeedMetadata", recordName: "m",
      fields: Dictionary(uniqueKeysWithValues: fields).compactMapValues(\.self))
  }

  @Test("what is written is read back, field by field, and the example has every field")
  func roundTrip() {
    let record = record(Self.filled)
    let rows = FeedMetadataFields.rows
    #expect(record.fields.count == rows.count)
    let read = FeedMetadata(feed: "feed-1", record: record)
    for row in rows { #expect(row.write(read) == row.write(Self.filled), "\(row.name)") }
    #expect(read == Self.filled)
  }

  @Test("a feed that was never checked writes no field but its counts")
  func empty() {
    let state = FeedMetadata(feed: "feed-1")
    #expect(
      record(state).fields.filter { $0.key != "undatedItems" } == [
        "failureCount": .int64(0), "redirectCount": .int64(0), "successfulAttempts": .int64(0),
        "totalAttempts": .int64(0),
      ])
    #expect(FeedMetadata(feed: "feed-1", record: record(state)) == state)
  }

  @Test("a value of another type counts as absent, and one field's value is read into no other")
  func wrongTypes() {
    for row in FeedMetadataFields.rows {
      var record = record(Self.filled)
      record.fields[row.name] = .bytes([1])
      let read = FeedMetadata(feed: "feed-1", record: record)
      #expect(row.write(read) == row.write(FeedMetadata(feed: "feed-1")), "\(row.name)")
      for other in FeedMetadataFields.rows where other.name != row.name {
        #expect(other.write(read) == other.write(Self.filled), "\(row.name) changes \(other.name)")
      }
    }
  }

  @Test(
    "counts of other programs are bounded, so that adding to them cannot overflow",
    arguments: [Int64.min, -1, .max])
  func bounds(_ stored: Int64) {
    let names = ["totalAttempts", "successfulAttempts", "failureCount", "redirectCount"]
    let record = Record(
      recordType: "FeedMetadata", recordName: "m",
      fields: Dictionary(uniqueKeysWithValues: names.map { ($0, .int64(stored)) }))
    let read = FeedMetadata(feed: "feed-1", record: record)
    let expected: Int64 = stored < 0 ? 0 : 1 << 40
    #expect(
      [read.totalAttempts, read.successfulAttempts, read.failureCount, read.redirectCount]
        == Array(repeating: expected, count: 4))
  }

  @Test("after an editor changed the address, only the history of the feed is kept")
  func newAddress() {
    #expect(Self.filled.known(of: "https://old.example/feed") == Self.filled)
    let moved = Self.filled.known(of: "https://other.example/feed")
    #expect(moved.totalAttempts == 17 && moved.history == Self.filled.history)
    #expect(moved.status == .unknown && moved.etag == nil && moved.redirectURL == nil)
    #expect(moved.failureCount == 0 && moved.nextCheck == nil && moved.suggestedURL == nil)
  }

  /// A feed of celestra-cloud, which keeps its state in its own record.
  private func stored(_ failures: Int64, _ reason: String?) -> FeedMetadata {
    var fields: [String: FieldValue] = [
      "lastAttempted": .timestamp(Self.checked), "totalAttempts": .int64(10),
      "successfulAttempts": .int64(10 - failures), "failureCount": .int64(failures),
    ]
    fields["lastFailureReason"] = reason.map(FieldValue.string)
    let record = Record(recordType: "Feed", recordName: "f", fields: fields)
    return FeedMetadata(feed: record, mapping: .celestraCloud, policy: FetchPolicy())
  }

  @Test("where the feed keeps its state, the status follows from the failures in a row and their reason")
  func derivedStatus() {
    let limit = Int64(HealthThresholds().failuresUntilDown)
    #expect(stored(0, nil).status == .healthy)
    #expect(stored(0, nil).lastFetchSuccess == Self.checked)
    #expect(stored(1, "\(HealthReason.serverError.code) words").status == .degraded)
    #expect(stored(limit - 1, nil).status == .degraded)
    #expect(stored(limit, nil).status == .down)
    #expect(stored(1, "\(HealthReason.gone.code) words").status == .down)
    #expect(stored(0, "\(HealthReason.botWall.code) words").status == .degraded)
    #expect(stored(1, nil).lastFetchFailure == Self.checked)
    #expect(stored(1, nil).nextCheck != nil)
  }

  @Test("of a feed at a new address, its record, its counts and its last moments are kept")
  func newAddressKeeps() {
    var state = Self.filled
    state.changeTag = "t"
    let moved = state.known(of: "https://other.example/feed")
    var expected = FeedMetadata(feed: "feed-1")
    (expected.changeTag, expected.feedReference) = ("t", Reference("feed-1"))
    (expected.totalAttempts, expected.successfulAttempts, expected.history) = (17, 11, state.history)
    (expected.lastFetchSuccess, expected.lastFetchFailure) = (Self.hoursEarlier(7), Self.hoursEarlier(6))
    (expected.lastFailureReason, expected.undatedItems) = ("FH0206 words", [5, 8])
    expected.itemIDRule = 3
    #expect(moved == expected)
    var unchecked = state
    unchecked.checkedURL = nil
    #expect(unchecked.known(of: "https://other.example/feed") == unchecked)
  }

  @Test("other content makes a feed that once worked down after an hour, and any other at once")
  func derivedFromContent() {
    func status(_ reason: HealthReason, failures: Int64, successes: Int64, began: Int64?) -> HealthStatus {
      let since =
        began.map { ", since \(Timestamp(milliseconds: Self.checked.milliseconds - $0).iso8601)" } ?? ""
      let record = Record(
        recordType: "Feed", recordName: "f",
        fields: [
          "lastAttempted": .timestamp(Self.checked), "successfulAttempts": .int64(successes),
          "failureCount": .int64(failures), "lastFailureReason": .string("\(reason.code) words\(since)"),
        ])
      return FeedMetadata(feed: record, mapping: .celestraCloud, policy: FetchPolicy()).status
    }
    for reason in [HealthReason.htmlPage, .notAFeed] {
      #expect(status(reason, failures: 1, successes: 1, began: 3_599_000) == .degraded)
      #expect(status(reason, failures: 1, successes: 1, began: 3_600_000) == .down)
      #expect(status(reason, failures: 1, successes: 1, began: nil) == .degraded)
      #expect(status(reason, failures: 1, successes: 0, began: 0) == .down)
      #expect(status(reason, failures: 0, successes: 0, began: 3_600_000) == .healthy)
    }
    #expect(status(.gone, failures: 1, successes: 1, began: 0) == .down)
    #expect(status(.emptyDocument, failures: 2, successes: 0, began: 3_600_000) == .degraded)
    #expect(status(.emptyDocument, failures: 3, successes: 9, began: 0) == .down)
    #expect(status(.throttled, failures: 0, successes: 1, began: 0) == .degraded)
  }

  @Test("what a feed does not keep is derived: the last success, the last failure and the next check")
  func derivedMoments() {
    let healthy = stored(0, nil)
    #expect(healthy.lastFetchFailure == nil && healthy.statusSince == nil)
    #expect(healthy.nextCheck == Timestamp(milliseconds: Self.checked.milliseconds + 3_000_000))
    let failing = stored(2, "FH0206 words, since 2026-03-02T11:00:00Z")
    #expect(failing.statusSince == Self.hoursEarlier(1) && failing.lastFetchFailure == Self.checked)
    #expect(failing.lastFetchSuccess == Timestamp(milliseconds: Self.hoursEarlier(1).milliseconds - 1))
    #expect(failing.nextCheck == Timestamp(milliseconds: Self.checked.milliseconds + 6_000_000))
    #expect(stored(1, "words").lastFetchSuccess == Timestamp(milliseconds: Self.checked.milliseconds - 1))
    #expect(stored(10, "words").lastFetchSuccess == nil)
    #expect(stored(9, "words").lastFetchSuccess != nil)
    let unchecked = Record(recordType: "Feed", recordName: "f", fields: ["failureCount": .int64(3)])
    let state = FeedMetadata(feed: unchecked, mapping: .celestraCloud, policy: FetchPolicy())
    #expect(state.status == .unknown && state.nextCheck == nil && state.failureCount == 3)
  }
}
