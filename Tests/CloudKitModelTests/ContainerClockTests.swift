import CloudKitModel
import ContainerFaults
import Diagnostics
import Testing

@Suite struct ContainerClockTests {
  private static let moment = Timestamp(milliseconds: 1_790_000_000_000)

  @Test(
    "what is deleted for its age is deleted by the earliest time that it can be, if that is known to a minute"
  )
  func certainty() async throws {
    for seconds in [0, 59, 60] {
      let clock = ContainerClock.service(at: Self.moment, within: .seconds(seconds))
      #expect(try await clock.certainTime() == Self.moment)
    }
    for clock in [ContainerClock.unstated, .service(at: Self.moment, within: .milliseconds(60_001))] {
      let error = try await #require(throws: UncertainServiceTime.self) { try await clock.certainTime() }
      #expect(error.failure.code == "service-time" && error.failure.status == .failed)
    }
    #expect(try await ContainerClock(local: { Self.moment }).certainTime() == Self.moment)
  }

  @Test("a moment that the user names may be past, and not in the future of the service")
  func named() async throws {
    let clock = ContainerClock.service(at: Self.moment, within: .seconds(3))
    for (seconds, result) in [(-100, -100), (0, 0), (1, 0), (3, 0)] as [(Int, Int)] {
      let end = Self.moment + .seconds(seconds)
      #expect(try await clock.certainTime(before: .time(end)) == Self.moment + .seconds(result))
    }
    let error = try await #require(throws: CommandFailure.self) {
      try await clock.certainTime(before: .time(Self.moment + .milliseconds(3001)))
    }
    #expect(error.status == .usage && error.message.contains(Self.moment.iso8601))
  }
}
