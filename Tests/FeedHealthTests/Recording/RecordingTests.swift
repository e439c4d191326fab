import Catalog
import FeedFetching
import FeedParsing
import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth

/// What one more check changes in the recorded state.
@Suite struct RecordingTests {
  private static let url = "http://a.example/feed"

  private func observation(
    _ outcome: FetchObservation.Outcome, _ change: (inout FetchObservation) -> Void = { _ in }
  )
    -> FetchObservation
  {
    var observation = FetchObservation(time: .monday, outcome: outcome)
    change(&observation)
    return observation
  }

  private func state(_ change: (inout FeedMetadata) -> Void = { _ in }) -> FeedMetadata {
    var state = FeedMetadata(feed: "a")
    (state.totalAttempts, state.successfulAttempts, state.failureCount) = (7, 5, 2)
    state.failureBegan = .monday + .seconds(-7200)
    state.lastFailureReason = "FH0206 words, since \((Timestamp.monday + .seconds(-3600)).iso8601)"
    state.lastHealthCheck = .monday + .seconds(-60)
    state.lastFetchSuccess = .monday + .seconds(-9000)
    change(&state)
    return state
  }

  @Test("a success ends the failures in a row, a failure adds one, and what is neither changes no count")
  func counts() {
    let today = Timestamp.monday.day
    for (outcome, counts, successes, failures) in [
      (.feed, [8, 6, 0], 1, 0), (.notModified, [8, 6, 0], 1, 0), (.failed(.serverError), [8, 5, 3], 0, 1),
      (.inconclusive(.throttled), [7, 5, 2], 0, 0), (.refusedHere(.addressForbidden), [7, 5, 2], 0, 0),
    ] as [(FetchObservation.Outcome, [Int64], Int64, Int64)] {
      let next = state().recording(observation(outcome) { $0.httpStatus = 200 }, of: Self.url)
      #expect([next.totalAttempts, next.successfulAttempts, next.failureCount] == counts)
      let day = next.history.days.first ?? DailyCheckCounts(day: today)
      #expect(day.successes == successes && day.failures == failures)
      #expect(next.lastHealthCheck == .monday && next.checkedURL == Self.url && next.httpStatus == 200)
      #expect(next.feedReference?.recordName == "a")
      let isSuccess = outcome == .feed || outcome == .notModified
      #expect((next.lastFetchSuccess == .monday) == isSuccess && (next.failureBegan == nil) == isSuccess)
      #expect((next.lastFetchFailure == .monday) == (outcome == .failed(.serverError)))
      let counted = state().counting(observation(outcome))
      #expect(
        counted.totalAttempts == counts[0] && counted.successfulAttempts == counts[1]
          && counted.failureCount == 2)
      #expect(counted.history == next.history)
    }
  }

  @Test(
    "a failure of the same kind keeps its beginning, another begins now; the text has 200 characters of detail"
  )
  func failureTexts() {
    let began = (Timestamp.monday + .seconds(-3600)).iso8601
    let now = Timestamp.monday.iso8601
    func text(_ reason: HealthReason, _ change: (inout FetchObservation) -> Void = { _ in }) -> String? {
      state().recording(observation(.failed(reason), change), of: Self.url).lastFailureReason
    }
    #expect(text(.timedOut) == "FH0105 the server took too long, since \(began)")
    #expect(text(.hostNotFound)?.hasSuffix(", since \(now)") == true)
    #expect(
      text(.timedOut) { $0.httpStatus = 500 } == "FH0105 the server took too long (500), since \(began)")
    let words = String(repeating: "a", count: 201)
    #expect(
      text(.timedOut) { ($0.httpStatus, $0.detail) = (500, words) }
        == "FH0105 the server took too long (\(words.dropLast())), since \(began)")
    var first = FeedMetadata(feed: "a")
    first = first.recording(observation(.failed(.timedOut)), of: Self.url)
    #expect(first.failingSince == .monday && first.failureBegan == .monday && first.failureCount == 1)
  }

  @Test(
    "what is inconclusive is recorded of a feed that does not fail, with the beginning of the same trouble")
  func inconclusiveTexts() {
    let began = Timestamp.monday + .seconds(-3600)
    func text(_ reason: HealthReason, _ change: (inout FeedMetadata) -> Void) -> String? {
      state(change).recording(observation(.inconclusive(reason)), of: Self.url).lastFailureReason
    }
    #expect(text(.throttled) { _ in }?.hasPrefix("FH0206") == true)
    #expect(text(.throttled) { $0.failureCount = 0 }?.hasSuffix("since \(Timestamp.monday.iso8601)") == true)
    for (success, since) in [(-9000, began), (-60, .monday)] as [(Int64, Timestamp)] {
      let same = text(.throttled) {
        $0.failureCount = 0
        $0.lastFailureReason = "FH0204 words, since \(began.iso8601)"
        $0.lastFetchSuccess = .monday + .seconds(success)
      }
      #expect(same?.hasSuffix("since \(since.iso8601)") == true)
    }
  }

  @Test("a refusal is counted by days, 45 of which are kept")
  func refusals() {
    let today = Timestamp.monday.day
    let days = [45, 44, 1].map { DailyCheckCounts(day: today - $0, failures: 1) }
    let next = state { $0.refusals = DailyCheckHistory(days) }.recording(
      observation(.inconclusive(.botWall)), of: Self.url)
    #expect(next.refusals.days.map(\.day) == [today - 44, today - 1, today] && next.failureCount == 2)
    #expect(next.refusals.days.last?.failures == 1)
    #expect(
      state { $0.lastFailureReason = "FH0203 words" }.recording(
        observation(.inconclusive(.throttled)), of: Self.url
      )
      .refusals.days.isEmpty)
  }

  @Test("with refusals the uptime needs five judged checks")
  func uptime() {
    let today = Timestamp.monday.day
    for (checks, refused, expected) in [(4, 0, 100), (4, 1, nil), (5, 1, 100), (0, 0, nil), (6, 9, 100)]
      as [(Int64, Int64, Double?)]
    {
      let state = state {
        $0.history = DailyCheckHistory([DailyCheckCounts(day: today, successes: checks)])
        $0.refusals = DailyCheckHistory(refused == 0 ? [] : [DailyCheckCounts(day: today, failures: refused)])
      }
      #expect(state.uptime(on: today) == expected, "\(checks), \(refused)")
    }
  }

  @Test("sightings of one redirect are counted, and others begin anew")
  func redirects() {
    func next(_ target: String?, _ known: String?, _ count: Int64, named: Bool = false) -> [String] {
      let next = state {
        ($0.redirectURL, $0.redirectCount, $0.validatorsURL) = (known, count, named ? Self.url : known)
      }.recording(
        observation(.notModified) { $0.movedTo = target }, of: Self.url)
      return [next.redirectURL ?? "-", "\(next.redirectCount)"]
    }
    #expect(
      next("x", nil, 0) == ["x", "1"] && next("x", "x", 1) == ["x", "2"] && next("x", "y", 5) == ["x", "1"])
    #expect(next(nil, "x", 5) == ["-", "0"] && next(nil, "x", 5, named: true) == ["x", "6"])
  }

  @Test("a whole document replaces the validators, a 304 changes none, and flaws drop them")
  func validators() {
    func next(
      _ outcome: FetchObservation.Outcome, _ etag: String?, _ date: String?, flaws: [HealthReason] = []
    ) -> [String?] {
      let next = state { ($0.etag, $0.lastModified) = ("e", "m") }.recording(
        observation(outcome) {
          $0.transport = TransportDetails(
            isHTTPS: true, isCompressed: true, etag: etag, lastModified: date)
          $0.isConditional = true
          $0.flaws = flaws
        }, of: Self.url)
      return [next.etag, next.lastModified]
    }
    #expect(next(.feed, "f", nil) == ["f", nil] && next(.feed, nil, nil) == [nil, nil])
    #expect(next(.notModified, "f", nil) == ["e", "m"] && next(.notModified, nil, "n") == ["e", "m"])
    #expect(next(.feed, "f", "n", flaws: [.slow]) == [nil, nil])
  }

  @Test("a document without its end keeps no validators, and what it does not show is not gone")
  func withoutEnd() {
    let head = "<rss><channel><item><guid>1</guid><pubDate>Mon, 02 Jan 2006 08:00:00 GMT</pubDate></item>"
    for text in [head, "<rss><channel><title>T</title><item>"] {
      let content = FeedContent(FeedParser.parse(text.utf8), at: .monday)
      let before = state {
        ($0.etag, $0.newestItem, $0.idHygiene, $0.averageArticlesPerWeek) = ("e", .monday, 1, 3)
      }
      let next = before.recording(
        observation(.feed) {
          ($0.content, $0.isComplete) = (content, false)
          $0.transport = TransportDetails(
            isHTTPS: true, isCompressed: true, etag: "f", lastModified: nil)
        }, of: Self.url)
      #expect(next.validators.isEmpty && next.newestItem == .monday && next.idHygiene == 1)
    }
  }

  @Test("a document that was cut says nothing about its end")
  func cut() {
    let ill = FeedContent(FeedParser.parse("<rss><channel><item><guid>1</guid></item>".utf8), at: .monday)
    let well = FeedContent(
      FeedParser.parse("<rss><channel><item><guid>1</guid></item></channel></rss>".utf8), at: .monday)
    for (content, flaws, expected) in [
      (ill, [], 0.5), (ill, [.tooLarge], 0.25), (ill, [.truncated], 0.25), (ill, [.ended], 0.5),
      (well, [.tooLarge], 1),
    ] as [(FeedContent, [HealthReason], Double)] {
      let next = state { $0.validity = 0.25 }.recording(
        observation(.feed) { ($0.content, $0.flaws) = (content, flaws) }, of: Self.url)
      #expect(next.validity == expected && next.idHygiene == 1)
    }
  }
}
