import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Diagnostics
import LocalContainer
import Testing

/// What a client knows of the emulator's clock, over real HTTP.
@Suite struct ServedClockTests {
  @Test(
    "the time that a client takes from replies holds, on a clock that is behind, ahead, or goes at another rate",
    arguments: [(0, 1), (-43_200, 1), (43_200, 1), (-3600, 1.2), (3600, 0.8), (90 * 86_400, 1)]
      as [(Int, Double)])
  func holds(lead: Int, rate: Double) async throws {
    let start = LocalContainerSettings.systemClock() + .seconds(lead)
    let fixture = try await Fixture { $0.now = movingClock(from: start, rate: rate) }
    try await fixture.served { client, _ in
      for _ in 0..<3 {
        let before = fixture.configuration.now()
        let time = try #require(try await client.clock.time())
        let after = fixture.configuration.now()
        // Between two replies the client's clock goes at its own rate.
        let drift = after.since(start) * abs(rate - 1) * 2 + .milliseconds(1)
        #expect(time.earliest <= after + drift && time.latest >= before - drift)
        #expect(time.uncertainty < .seconds(30))
        let operation = RecordOperation(.create, recordType: "Note", fields: ["body": .string("x")])
        let stamp = try await client.modify([operation])[0].record?.modified?.timestamp
        let modified = try #require(stamp)
        let now = try #require(client.clock.now)
        #expect(abs(now.since(modified) / .seconds(1)) < 30)
      }
    }
  }

  @Test("a service without a Date has no time, and still answers")
  func undated() async throws {
    let fixture = try await Fixture { $0.faults = [try FaultRule(parsing: "no-date")] }
    try await fixture.served { client, _ in
      let time = try await client.clock.time()
      #expect(time == nil && client.clock.now == nil)
      let page = try await client.query(QueryRequest(Query("Note")))
      #expect(page.records.isEmpty)
    }
  }
}
