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

  @Test("without directives the interval is our own")
  func plain() { #expect(wait() == policy.interval) }

  @Test("the latest wish counts")
  func latest() {
    let schedule = PublisherSchedule(ttl: .seconds(3 * 3600))
    #expect(wait { $0.schedule = schedule } == .seconds(3 * 3600))
    let longer = wait {
      $0.schedule = schedule
      $0.directives.freshFor = .seconds(4 * 3600)
      $0.directives.retryAfter = .seconds(5 * 3600)
    }
    #expect(longer == .seconds(5 * 3600))
  }

  @Test("no wish holds longer than the longest interval")
  func bounded() {
    #expect(wait { $0.directives.retryAfter = .seconds(Int64.max / 4) } == policy.maxInterval)
  }

  @Test(
    "failures in a row double the interval up to the longest",
    arguments: [
      (Int64(0), 1), (1, 1), (2, 2), (3, 4), (4, 8),
    ])
  func backOff(failures: Int64, factor: Int) {
    #expect(wait(failures) == policy.interval * factor)
  }

  @Test("the back-off ends at the longest interval")
  func backOffBound() { #expect(wait(1_000_000) == policy.maxInterval) }

  @Test("excluded hours and days move the check to the first permitted hour")
  func excluded() {
    // Monday 12:50 would be the time; 12 and 13 o'clock are excluded.
    let hours = PublisherSchedule(skipHours: [12, 13])
    #expect(wait { $0.schedule = hours } == .seconds(2 * 3600))
    let days = PublisherSchedule(skipDays: [1, 2])
    #expect(wait { $0.schedule = days } == .seconds(36 * 3600))
  }

  @Test("directives that exclude every hour are no directives")
  func everything() {
    let all = PublisherSchedule(skipHours: Set(0..<24))
    #expect(wait { $0.schedule = all } == policy.interval)
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

  @Test("a permitted time stays to the millisecond; an excluded one moves to the start of an hour")
  func permitted() {
    func moved(_ offset: Int64, _ hours: Set<Int>, _ days: Set<Int> = []) -> Int64 {
      let time = Timestamp.monday + .milliseconds(offset)
      let found = NextCheckTime.permitted(time, PublisherSchedule(skipHours: hours, skipDays: days))
      return found.milliseconds - Timestamp.monday.milliseconds
    }
    #expect(moved(1234, []) == 1234 && moved(1234, [11, 13]) == 1234 && moved(1234, [], [2]) == 1234)
    #expect(
      moved(1234, [12]) == 3_600_000 && moved(3_599_999, [12]) == 3_600_000
        && moved(0, [12, 13, 14]) == 3 * 3_600_000)
    #expect(moved(0, [], [1]) == 12 * 3_600_000 && moved(0, [0], [1]) == 13 * 3_600_000)
    // Only Monday at 11 is left, the last hour of the week from Monday at 12.
    #expect(moved(0, Set(0..<24).subtracting([11]), [2, 3, 4, 5, 6, 7]) == 167 * 3_600_000)
    #expect(moved(1234, Set(0..<24)) == 1234 && moved(1234, [], [1, 2, 3, 4, 5, 6, 7]) == 1234)
    #expect(NextCheckTime.maxShift == .seconds(604_800))
  }
}
