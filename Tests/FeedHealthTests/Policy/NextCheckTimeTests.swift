import FeedFetching
import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct NextCheckTimeTests {
  private let policy = FetchPolicy()

  private func wait(_ failures: Int64 = 0, _ change: (inout FetchObservation) -> Void = { _ in }) -> Duration
  {
    var observation = FetchObservation(time: .monday, outcome: .feed)
    change(&observation)
    return NextCheckTime(policy: policy).time(after: observation, failures: failures).since(.monday)
  }

  @Test("the latest wish counts, and none longer than the longest interval")
  func latest() {
    let schedule = PublisherSchedule(ttl: .seconds(3 * 3600))
    let longer = wait {
      $0.schedule = schedule
      $0.directives.freshFor = .seconds(4 * 3600)
      $0.directives.retryAfter = .seconds(5 * 3600)
    }
    #expect(longer == .seconds(5 * 3600))
    #expect(wait { $0.directives.retryAfter = .seconds(Int64.max / 4) } == policy.maxInterval)
  }

  @Test("excluded hours and days move the check to the first permitted hour")
  func excluded() {
    // Monday 12:50 would be the time; 12 and 13 o'clock are excluded.
    let hours = PublisherSchedule(skipHours: [12, 13])
    #expect(wait { $0.schedule = hours } == .seconds(2 * 3600))
    let days = PublisherSchedule(skipDays: [1, 2])
    #expect(wait { $0.schedule = days } == .seconds(36 * 3600))
  }

  @Test("a throttled feed waits ten minutes or as long as the server asks, and other content an hour")
  func reasons() {
    #expect(wait { $0.outcome = .inconclusive(.throttled) } == policy.interval)
    var quick = policy
    quick.interval = .seconds(60)
    func short(_ outcome: FetchObservation.Outcome, retryAfter: Duration? = nil) -> Duration {
      var observation = FetchObservation(time: .monday, outcome: outcome)
      observation.directives.retryAfter = retryAfter
      return NextCheckTime(policy: quick).time(after: observation, failures: 0).since(.monday)
    }
    #expect(short(.feed) == .seconds(60) && short(.inconclusive(.throttled)) == .seconds(600))
    #expect(short(.inconclusive(.throttled), retryAfter: .seconds(90)) == .seconds(90))
    #expect(short(.inconclusive(.throttled), retryAfter: .seconds(30)) == .seconds(60))
    #expect(
      short(.feed, retryAfter: .seconds(90)) == .seconds(90) && short(.inconclusive(.botWall)) == .seconds(60)
    )
    for reason in [HealthReason.htmlPage, .notAFeed, .emptyDocument] {
      #expect(short(.failed(reason)) == .seconds(3600))
    }
    #expect(short(.failed(.serverError)) == .seconds(60))
  }
}
