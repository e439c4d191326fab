import Catalog
import FeedFetching
import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth

/// Verdicts at the boundaries of Documentation/reference/feeds.md#status-rules.
@Suite struct HealthAssessorTests {
  /// A feed, its state before a check and the check.
  private struct Case {
    var observation = FetchObservation(time: .monday, outcome: .feed)
    var metadata = FeedMetadata(feed: "a")
    var previous = FeedMetadata(feed: "a")

    init(_ outcome: FetchObservation.Outcome, _ change: (inout Case) -> Void = { _ in }) {
      observation.outcome = outcome
      (metadata.validity, metadata.idHygiene) = (1, 1)
      change(&self)
    }

    var verdict: HealthAssessment {
      HealthAssessor(
        thresholds: HealthThresholds(), observation: observation, metadata: metadata, previous: previous
      ).assess()
    }
  }

  private func reasons(_ change: (inout Case) -> Void) -> [HealthReason] {
    Case(.feed, change).verdict.reasons
  }

  private static func ago(_ seconds: Int64) -> Timestamp { .monday + .seconds(-seconds) }

  @Test("a good check makes a feed healthy, with the outcome of a whole document or of none")
  func good() {
    for outcome in [FetchObservation.Outcome.feed, .notModified] {
      let verdict = Case(outcome).verdict
      #expect(verdict.status == .healthy && verdict.reasons.isEmpty && verdict.suggestedURL == nil)
    }
  }

  @Test("three failures in a row make a feed down, and a feed that is down stays so")
  func failures() {
    for (count, isDown) in [(1, false), (2, false), (3, true), (4, true)] {
      let verdict = Case(.failed(.serverError)) { $0.metadata.failureCount = Int64(count) }.verdict
      #expect(verdict.status == (isDown ? .down : .degraded), "\(count)")
      #expect(verdict.reasons == (isDown ? [.serverError, .failingRepeatedly] : [.serverError]))
    }
    for (previous, expected) in [
      (HealthStatus.down, HealthStatus.down), (.degraded, .degraded), (.unknown, .degraded),
    ] {
      #expect(Case(.failed(.serverError)) { $0.previous.status = previous }.verdict.status == expected)
    }
    #expect(
      Case(.failed(.gone)).verdict.status == .down && Case(.failed(.notFound)).verdict.status == .degraded)
  }

  /// The state of a feed that fails with a reason since some seconds.
  private func failing(_ reason: HealthReason, since seconds: Int64, lastSuccess: Int64? = nil)
    -> HealthAssessment
  {
    Case(.failed(reason)) {
      $0.metadata.failureCount = 1
      $0.metadata.lastFailureReason = "\(reason.code) words, since \(Self.ago(seconds).iso8601)"
      $0.previous.lastFetchSuccess = lastSuccess.map(Self.ago)
    }.verdict
  }

  @Test("a host that fails for a day makes its feeds down, other failures do not")
  func hosts() {
    for (seconds, isDown) in [(0, false), (86_399, false), (86_400, true)] as [(Int64, Bool)] {
      for reason in [HealthReason.hostNotFound, .tlsFailed] {
        #expect(
          failing(reason, since: seconds).reasons == (isDown ? [reason, .failingForLong] : [reason]),
          "\(seconds)")
        #expect(failing(reason, since: seconds).status == (isDown ? .down : .degraded))
      }
    }
    #expect(failing(.timedOut, since: 90_000).status == .degraded)
  }

  @Test("a feed that worked in the last seven days must serve other content for an hour")
  func content() {
    let week: Int64 = 604_800
    for (since, success, isDown) in [
      (0, nil, true), (0, 60, false), (0, week, false), (0, week + 1, true), (3599, 60, false),
      (3600, 60, true),
    ] as [(Int64, Int64?, Bool)] {
      for reason in [HealthReason.htmlPage, .notAFeed] {
        let verdict = failing(reason, since: since, lastSuccess: success)
        #expect(verdict.status == (isDown ? .down : .degraded) && verdict.reasons == [reason], "\(since)")
      }
    }
    #expect(failing(.gone, since: 0, lastSuccess: 60).status == .down)
    let third = Case(.failed(.emptyDocument)) {
      $0.metadata.failureCount = 3
      $0.previous.lastFetchSuccess = Self.ago(60)
    }.verdict
    #expect(third.status == .degraded && third.reasons == [.emptyDocument])
  }

  @Test("what says nothing about a feed makes it degraded, unless it was down for another reason")
  func inconclusive() {
    for outcome in [
      FetchObservation.Outcome.inconclusive(.throttled), .inconclusive(.botWall),
      .refusedHere(.addressForbidden),
    ] {
      #expect(Case(outcome).verdict.status == .degraded)
      #expect(Case(outcome) { $0.previous.status = .down }.verdict.status == .down)
    }
  }

  @Test("a feed is down when it was refused 30 days ago and fewer than 5 % of the checks succeeded")
  func refusedForLong() {
    func isDown(first days: Int64, refused: Int64, successes: Int64) -> Bool {
      let today = Timestamp.monday.day
      let verdict = Case(.inconclusive(.accessDenied)) {
        $0.metadata.refusals = DailyCheckHistory([
          DailyCheckCounts(day: today - days, failures: 1), DailyCheckCounts(day: today, failures: refused),
        ])
        $0.metadata.history = DailyCheckHistory([DailyCheckCounts(day: today, successes: successes)])
      }.verdict
      #expect(
        verdict.reasons == (verdict.status == .down ? [.accessDenied, .refusedForLong] : [.accessDenied]))
      return verdict.status == .down
    }
    #expect(isDown(first: 30, refused: 20, successes: 0) && isDown(first: 40, refused: 20, successes: 0))
    #expect(!isDown(first: 29, refused: 20, successes: 0))
    #expect(!isDown(first: 30, refused: 19, successes: 1) && isDown(first: 30, refused: 20, successes: 1))
  }

  @Test("each finding about a document makes a feed degraded")
  func documents() {
    #expect(reasons { $0.metadata.validity = 0.8 } == [.encodingMismatch])
    #expect(reasons { $0.metadata.validity = 0.5 } == [.illFormed])
    #expect(reasons { $0.metadata.validity = 0.3 } == [.illFormed, .encodingMismatch])
    #expect(reasons { $0.metadata.validity = nil } == [])
    #expect(reasons { $0.metadata.idHygiene = nil } == [.noItems])
    #expect(
      reasons { $0.metadata.idHygiene = 0.9 } == [.itemIdentity]
        && reasons { $0.metadata.idHygiene = 0.91 } == [])
    #expect(reasons { $0.previous.status = .down } == [.recovering])
    #expect(reasons { $0.observation.flaws = [.tooLarge, .truncated] } == [.tooLarge, .truncated])
  }

  @Test("a feed is stale after 30 days, or five times its usual gap if that is longer")
  func stale() {
    let month: Int64 = 2_592_000
    for (age, gap, isStale) in [
      (month, nil, false), (month + 1, nil, true), (month + 1, 60, true), (month + 1, month / 5, true),
      (month + 1, month / 5 + 1, false),
      (month + 5, month / 5 + 1, false), (month + 6, month / 5 + 1, true),
    ] as [(Int64, Int64?, Bool)] {
      let found = reasons {
        $0.metadata.newestItem = Self.ago(age)
        $0.metadata.medianItemGap = gap.map { .seconds($0) }
      }
      #expect(found == (isStale ? [.stale] : []), "\(age)")
    }
    #expect(
      reasons {
        $0.metadata.newestItem = Self.ago(month + 1)
        $0.observation.flaws = [.ended]
      } == [.ended])
  }

  @Test("an answer is slow after 10 seconds, for a degraded feed after 8")
  func slow() {
    for (milliseconds, status, isSlow) in [
      (10_000, .healthy, false), (10_001, .healthy, true), (8000, .degraded, false), (8001, .degraded, true),
      (8001, .unknown, false),
    ] as [(Int64, HealthStatus, Bool)] {
      let found = reasons {
        $0.observation.duration = .milliseconds(milliseconds)
        $0.previous.status = status
      }
      #expect(found == (isSlow ? [.slow] : []), "\(milliseconds)")
    }
  }

  @Test("a feed is unreliable with 80 % of five checks or more, a degraded one with 82 %")
  func unreliable() {
    for (successes, failures, status, isUnreliable) in [
      (4, 1, .healthy, true), (5, 1, .healthy, false), (0, 4, .healthy, false), (0, 5, .healthy, true),
      (3, 1, .healthy, false),
      (41, 9, .degraded, true), (42, 9, .degraded, false), (41, 9, .healthy, false),
    ] as [(Int64, Int64, HealthStatus, Bool)] {
      let found = reasons {
        $0.metadata.history = DailyCheckHistory([
          DailyCheckCounts(day: Timestamp.monday.day, successes: successes, failures: failures)
        ])
        $0.previous.status = status
      }
      #expect(found == (isUnreliable ? [.unreliable] : []), "\(successes), \(failures)")
    }
  }

  @Test(
    "a redirect is reported at once, and its target proposed after three sightings; https only without one")
  func addresses() {
    for (count, isProposed) in [(1, false), (2, false), (3, true), (4, true)] as [(Int64, Bool)] {
      let verdict = Case(.feed) {
        $0.metadata.redirectURL = "http://b.example/"
        $0.metadata.redirectCount = count
      }.verdict
      #expect(
        verdict.reasons == [.movedPermanently]
          && verdict.suggestedURL == (isProposed ? "http://b.example/" : nil))
    }
    for (isAvailable, moved, expected) in [
      (true, nil, [.httpsAvailable]), (false, nil, []), (true, "x", [.movedPermanently]),
    ] as [(Bool, String?, [HealthReason])] {
      let found = reasons {
        $0.observation.transport = TransportDetails(
          isHTTPS: false, isCompressed: false, httpsAvailable: isAvailable)
        $0.metadata.redirectURL = moved
      }
      #expect(found == expected)
    }
  }

  @Test("a proposal stays while the feed fails, unless the site was searched or it is a redirect's target")
  func kept() {
    func suggestion(_ outcome: FetchObservation.Outcome, _ change: (inout Case) -> Void = { _ in }) -> String?
    {
      Case(outcome) {
        $0.previous.suggestedURL = "http://s/"
        change(&$0)
      }.verdict.suggestedURL
    }
    for outcome in [
      FetchObservation.Outcome.failed(.notFound), .inconclusive(.botWall), .inconclusive(.throttled),
    ] {
      #expect(suggestion(outcome) == "http://s/")
      #expect(suggestion(outcome) { $0.observation.searchedSite = true } == nil)
      #expect(suggestion(outcome) { $0.previous.redirectURL = "http://s/" } == nil)
      #expect(suggestion(outcome) { $0.previous.redirectURL = "http://r/" } == "http://s/")
    }
    #expect(suggestion(.failed(.notFound)) { $0.observation.discoveredURL = "http://d/" } == "http://d/")
    #expect(suggestion(.feed) == nil)
  }
}
