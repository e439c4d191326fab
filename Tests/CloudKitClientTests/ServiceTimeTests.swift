import CloudKitClient
import CloudKitModel
import Diagnostics
import HTTPTransport
import Synchronization
import Testing

/// What a client knows of the service's clock.
@Suite("Service time") struct ServiceTimeTests {
  /// Midnight by the service's clock, half a year from this machine's.
  private static let midnight = Timestamp(milliseconds: 1_469_577_600_000)

  private static func date(_ seconds: Int) -> HTTPHeaders {
    ["Date": "Wed, 27 Jul 2016 00:0\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) GMT"]
  }

  private static func reply(_ seconds: Int?) -> ScriptedTransport.Answer {
    .json(
      #"{"records":[{"recordName":"celestra-admin-clock","serverErrorCode":"NOT_FOUND","reason":"x"}]}"#,
      headers: seconds.map(date) ?? [])
  }

  /// A client whose requests take the given seconds, and state the time.
  private func fixture(_ replies: (took: Int, date: Int?)...) throws -> (ClientFixture, ScriptedTransport) {
    let time = Mutex<FakeTime?>(nil)
    let transport = ScriptedTransport { _, number in
      let reply = replies[min(number, replies.count - 1)]
      try? await time.withLock(\.self)?.sleep(for: .seconds(reply.took))
      return Self.reply(reply.date)
    }
    let fixture = try ClientFixture(transport)
    time.withLock { $0 = fixture.time }
    return (fixture, transport)
  }

  private func expect(
    _ time: ServiceTime?, _ earliest: Int, within seconds: Int,
    _ location: Testing.SourceLocation = #_sourceLocation
  ) {
    #expect(time?.earliest == Self.midnight + .seconds(earliest), sourceLocation: location)
    #expect(time?.uncertainty == .seconds(seconds), sourceLocation: location)
  }

  @Test(
    "it is that of the last reply, goes on with the monotonic clock, and is uncertain by a second and the request"
  )
  func advances() async throws {
    let (fixture, transport) = try fixture((2, 10))
    #expect(fixture.client.clock.now == nil && !fixture.client.clock.isLocal)
    _ = try await fixture.client.lookup(LookupRequest(["celestra-admin-clock"]))
    try await fixture.time.sleep(for: .seconds(30))
    expect(try await fixture.client.clock.time(), 40, within: 3)
    #expect(fixture.client.clock.now == Self.midnight + .seconds(40))
    #expect(transport.requests.count == 1)
  }

  @Test("one lookup renews it after a minute, and before the first reply")
  func renewed() async throws {
    let (fixture, transport) = try fixture((0, 0), (1, 70))
    expect(try await fixture.client.clock.time(), 0, within: 1)
    try await fixture.time.sleep(for: .seconds(60))
    expect(try await fixture.client.clock.time(), 60, within: 1)
    try await fixture.time.sleep(for: .milliseconds(1))
    expect(try await fixture.client.clock.time(), 70, within: 2)
    #expect(transport.requests.count == 2)
    #expect(transport.requests.allSatisfy { $0.url.hasSuffix("/records/lookup") })
  }

  @Test("a precise time is kept for a minute beside less certain ones, unless the service's clock was set")
  func narrower() async throws {
    let (fixture, _) = try fixture((0, 0), (9, 4), (1, 100))
    func ask() async throws -> ServiceTime? {
      _ = try await fixture.client.lookup(LookupRequest(["celestra-admin-clock"]))
      return try await fixture.client.clock.time()
    }
    expect(try await ask(), 0, within: 1)
    expect(try await ask(), 9, within: 1)
    expect(try await ask(), 100, within: 2)
  }

  @Test("without a Date there is no time, and no further request asks for it")
  func undated() async throws {
    let (fixture, transport) = try fixture((0, nil))
    for _ in 0..<3 { #expect(try await fixture.client.clock.time() == nil) }
    #expect(transport.requests.count == 1 && fixture.client.clock.now == nil)
    await #expect(throws: UncertainServiceTime.self) { try await fixture.client.clock.certainTime() }
  }

  @Test("a reply that took more than a minute does not show what is over")
  func slow() async throws {
    let (fixture, transport) = try fixture((60, 0))
    let error = try await #require(throws: UncertainServiceTime.self) {
      try await fixture.client.clock.certainTime()
    }
    #expect(error.failure.message.contains("61 seconds"))
    #expect(transport.requests.count == 1)
  }

  @Test(
    "only the service states its time: a gateway's page has another clock, and a refusal of the service the right one",
    arguments: [
      ("<html>", 503, false), ("<html>", 200, false), (#"{"serverErrorCode":"THROTTLED"}"#, 503, true),
      (#"{"serverErrorCode":"ACCESS_DENIED"}"#, 403, true),
    ])
  func gateway(body: String, status: Int, isService: Bool) async throws {
    let fixture = try ClientFixture(
      ScriptedTransport(.json(body, status: status, headers: Self.date(5)), Self.reply(nil)))
    _ = try? await fixture.client.lookup(LookupRequest(["celestra-admin-clock"]))
    #expect((fixture.client.clock.now != nil) == isService)
  }
}
