import FeedFetching
import FeedState
import RecordChanges
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct FeedCheckTargetTests {
  private static func ago(_ seconds: Int64) -> Timestamp { .monday + .seconds(-seconds) }

  /// A feed of the catalog; without a change tag its state is not stored.
  private func target(
    fields: [String: FieldValue] = [:], created: Timestamp? = nil, isStored: Bool = true,
    mapping: FeedRecordMapping = .celestra,
    _ change: (inout FeedMetadata) -> Void = { _ in }
  ) -> FeedCheckTarget {
    var state = FeedMetadata(feed: "a")
    state.changeTag = isStored ? "t" : nil
    change(&state)
    let record = Record(
      recordType: mapping.recordType, recordName: "a",
      fields: ["feedURL": .string("http://A.example/feed"), "title": .string("T")].merging(fields) { $1 },
      created: created.map { RecordStamp(timestamp: $0, userRecordName: "u", deviceID: "") })
    return FeedCheckTarget(record, metadata: state, mapping: SharedMapping(mapping))
  }

  @Test("what is due longest comes first: by the next check, or by the last one if all are checked")
  func dueTimes() {
    let known = target { ($0.nextCheck, $0.lastHealthCheck) = (Self.ago(1), Self.ago(2)) }
    #expect(known.dueTime(force: false) == Self.ago(1) && known.dueTime(force: true) == Self.ago(2))
    #expect(target(isStored: false) { $0.nextCheck = Self.ago(1) }.dueTime(force: false) == nil)
    #expect(target(mapping: .celestraCloud) { $0.nextCheck = Self.ago(1) }.dueTime(force: false) == nil)
    #expect(
      target(mapping: .celestraCloud) { ($0.nextCheck, $0.lastHealthCheck) = (Self.ago(1), Self.ago(2)) }
        .dueTime(force: false) == Self.ago(1))
    let feeds = [
      target { $0.nextCheck = Self.ago(1) }, target { $0.nextCheck = Self.ago(5) }, target(isStored: false),
      target { $0.nextCheck = Self.ago(5) },
    ]
    let sorted = FeedCheckTargetLoader.longestDueFirst(feeds, force: false)
    #expect(sorted.map { feed in feeds.firstIndex { $0 === feed } } == [2, 1, 3, 0])
  }

  @Test("a feed is due at its next check, and when that is more than eight days ahead")
  func deferrals() {
    for (ahead, isDeferred) in [
      (0, false), (1, true), (-1, false), (8 * 86_400, true), (8 * 86_400 + 1, false),
    ] as [(Int64, Bool)] {
      let feed = target { $0.nextCheck = Self.ago(-ahead) }
      #expect((feed.deferral(at: .monday, HealthOptions()) != nil) == isDeferred, "\(ahead)")
      var options = HealthOptions()
      options.force = true
      #expect(feed.deferral(at: .monday, options) == nil)
    }
    #expect(target().deferral(at: .monday, HealthOptions()) == nil)
  }

  @Test("a host was working, failing or unknown at the last check")
  func histories() {
    func history(_ reason: HealthReason?, failures: Int64 = 1, isChecked: Bool = true)
      -> OutageDetector.History
    {
      target {
        $0.lastHealthCheck = isChecked ? Self.ago(1) : nil
        ($0.failureCount, $0.lastFailureReason) = (failures, reason.map { "\($0.code) words" })
      }.hostHistory
    }
    #expect(history(nil, failures: 0) == .working && history(nil, isChecked: false) == .unknown)
    for reason in [HealthReason.hostNotFound, .connectionFailed, .tlsFailed, .timedOut] {
      #expect(history(reason) == .failing, "\(reason)")
    }
    for reason in [HealthReason.serverError, .notFound, .htmlPage] {
      #expect(history(reason) == .working, "\(reason)")
    }
    #expect(history(.timedOut, failures: 0) == .working && history(.timedOut, isChecked: false) == .unknown)
  }

  @Test("a new feed whose last check failed is not a failing one")
  func failing() {
    #expect(target { $0.lastHealthCheck = Self.ago(1) }.lastCheckFailed && !target().lastCheckFailed)
    #expect(!target(isStored: false) { $0.lastHealthCheck = Self.ago(1) }.lastCheckFailed)
    #expect(
      !target { ($0.lastHealthCheck, $0.lastFetchSuccess) = (Self.ago(1), Self.ago(1)) }.lastCheckFailed)
  }

  @Test("the day of the last success and the hours between items are written when they change")
  func feedFields() {
    func fields(_ stored: [String: FieldValue], success: Timestamp?, gap: Int64? = nil) -> [String:
      FieldChange]
    {
      var next = FeedMetadata(feed: "a")
      (next.lastFetchSuccess, next.medianItemGap) = (success, gap.map { .seconds($0) })
      return target(fields: stored).changes(to: next).first { $0.recordType == "PublicFeed" }?.fields ?? [:]
    }
    #expect(
      fields([:], success: nil).isEmpty && fields([:], success: .monday).keys.sorted() == ["lastVerified"])
    #expect(fields(["lastVerified": .timestamp(Self.ago(12 * 3600))], success: .monday).isEmpty)
    #expect(fields(["lastVerified": .timestamp(Self.ago(12 * 3600 + 1))], success: .monday).count == 1)
    for (gap, hours) in [(0, 1), (1799, 1), (3600, 1), (5399, 1), (5400, 2), (86_400, 24)] as [(Int64, Int64)]
    {
      #expect(
        fields([:], success: nil, gap: gap)["updateFrequency"] == FieldChange(to: .int64(hours)), "\(gap)")
    }
    #expect(fields(["updateFrequency": .int64(24)], success: nil, gap: 86_400).isEmpty)
  }

  @Test("a feed is neglected when it has gone three intervals without a check, and was due")
  func neglected() {
    func isNeglected(
      _ seconds: Int64, next: Int64? = nil, reason: SkippedFeed.Reason = .budget, isCreated: Bool = false
    ) -> Bool {
      let last = Self.ago(seconds)
      let feed = target(created: isCreated ? last : nil) {
        $0.lastHealthCheck = isCreated ? nil : last
        $0.nextCheck = next.map { last + .seconds($0) }
      }
      return SkippedFeed(feed, reason, now: .monday, policy: FetchPolicy()).isNeglected
    }
    #expect(
      !isNeglected(9000) && isNeglected(9001) && isNeglected(9001, isCreated: true)
        && !isNeglected(9000, isCreated: true))
    #expect(
      !isNeglected(12_000, next: 4000) && isNeglected(12_001, next: 4000) && isNeglected(9001, next: 60))
    #expect(!isNeglected(259_200, next: 900_000) && isNeglected(259_201, next: 900_000))
    #expect(!isNeglected(9001, reason: .notDue(until: .monday)) && isNeglected(9001, reason: .robots))
    #expect(!SkippedFeed(target(), .budget, now: .monday, policy: FetchPolicy()).isNeglected)
  }
}
