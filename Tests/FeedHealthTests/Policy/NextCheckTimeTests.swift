import FeedFetching
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
}
