import CloudKitClient
import CloudKitModel
import Cryptography
import HTTPTransport
import Logging
import Synchronization
import Testing

@Suite struct RequestPipelineTests {
  private let query = QueryRequest(Query("T"))

  @Test("requests of all tasks together keep to the rate")
  func rate() async throws {
    let fixture = try ClientFixture(
      ScriptedTransport(.empty), pipeline: RequestPipelineSettings(requestsPerSecond: 8, maximumInFlight: 1))
    try await withThrowingTaskGroup { group in
      for _ in 0..<17 { group.addTask { [query] in _ = try await fixture.client.query(query) } }
      try await group.waitForAll()
    }
    #expect(fixture.time.uptime == .seconds(2))
  }

  @Test(
    "the ceiling holds for everything but this machine",
    arguments: [
      ("https://api.apple-cloudkit.com", 1.0), ("http://127.0.0.1:80@example.com", 1.0),
      ("http://127.0.0.1.example.com", 1.0), ("http://127.0.0.1:8080", 0.0), ("http://localhost", 0.0),
      ("http://[::1]:80", 0.0),
    ])
  func ceiling(baseURL: String, seconds: Double) async throws {
    let fixture = try ClientFixture(
      ScriptedTransport(.empty), pipeline: RequestPipelineSettings(requestsPerSecond: nil), baseURL: baseURL)
    for _ in 0..<41 { _ = try await fixture.client.query(query) }
    #expect(fixture.time.uptime == .seconds(seconds))
  }

  @Test("never more than the allowed number of requests are in flight")
  func inFlight() async throws {
    let counts = Mutex((running: 0, highest: 0))
    let transport = ScriptedTransport { _, _ in
      counts.withLock { $0 = ($0.running + 1, max($0.highest, $0.running + 1)) }
      for _ in 0..<20 { await Task.yield() }
      counts.withLock { $0.running -= 1 }
      return .empty
    }
    let client = try ClientFixture(
      transport, pipeline: RequestPipelineSettings(requestsPerSecond: nil, maximumInFlight: 3)
    ).client
    try await withThrowingTaskGroup { group in
      for _ in 0..<30 { group.addTask { [query] in _ = try await client.query(query) } }
      try await group.waitForAll()
    }
    #expect(counts.withLock { $0.highest } == 3)
    #expect(transport.requests.count == 30)
  }

  @Test("after five failures in a row nothing is sent for a minute, then a single request tries")
  func breaker() async throws {
    let policy = RetryPolicy(attempts: 1)
    let isUp = Mutex(false)
    let transport = ScriptedTransport { _, _ in isUp.withLock { $0 } ? .empty : .failure(.dns) }
    let fixture = try ClientFixture(
      transport, pipeline: RequestPipelineSettings(requestsPerSecond: nil, maximumInFlight: 10, retry: policy)
    )
    for _ in 0..<5 {
      await #expect(throws: ContainerFailure.self) { try await fixture.client.query(query) }
    }
    await #expect(throws: ContainerFailure.self) { try await fixture.client.query(query) }
    #expect(transport.requests.count == 6, "one probe, after the minute")
    #expect(fixture.time.uptime == .seconds(60))

    isUp.withLock { $0 = true }
    _ = try await fixture.client.query(query)
    #expect(fixture.time.uptime == .seconds(120))
    _ = try await fixture.client.query(query)
    #expect(fixture.time.uptime == .seconds(120))
  }

  @Test("while one request probes, the others wait for its result")
  func singleProbe() async throws {
    let policy = RetryPolicy(attempts: 1)
    let running = Mutex((now: 0, highest: 0, total: 0))
    let transport = ScriptedTransport { _, index in
      if index < 5 { return .failure(.dns) }
      running.withLock { $0 = ($0.now + 1, $0.total == 0 ? 1 : $0.highest, $0.total + 1) }
      for _ in 0..<50 { await Task.yield() }
      running.withLock { state in
        if state.total == 1 { state.highest = state.now }
        state.now -= 1
      }
      return .empty
    }
    let fixture = try ClientFixture(
      transport, pipeline: RequestPipelineSettings(requestsPerSecond: nil, maximumInFlight: 10, retry: policy)
    )
    for _ in 0..<5 { _ = try? await fixture.client.query(query) }
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { [query] in _ = try await fixture.client.query(query) } }
      try await group.waitForAll()
    }
    #expect(running.withLock { $0.highest } == 1)
    #expect(transport.requests.count == 13)
  }

  @Test("cancelling stops a request that waits for its turn")
  func cancellation() async throws {
    let transport = ScriptedTransport { _, _ in
      while !Task.isCancelled { await Task.yield() }
      return .failure(.cancelled)
    }
    let client = try ClientFixture(
      transport, pipeline: RequestPipelineSettings(requestsPerSecond: nil, maximumInFlight: 1)
    ).client
    let tasks = (0..<3).map { _ in Task { [query] in _ = try await client.query(query) } }
    while transport.requests.isEmpty { await Task.yield() }
    for task in tasks { task.cancel() }
    for task in tasks {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(transport.requests.count <= 3)
  }

  @Test("the log has the endpoint and the request's id, and nothing that was sent")
  func log() async throws {
    let lines = LogLines()
    var logger = Logger(label: "t") { _ in LineHandler(lines: lines) }
    logger.logLevel = .trace
    let transport = ScriptedTransport(.json(#"{"records":[]}"#, headers: ["X-Apple-Request-UUID": "u-7"]))
    let client = try ClientFixture(
      transport, authentication: .apiToken(.init("secret-token"), webAuthToken: .init("secret-user")),
      logger: logger
    ).client
    _ = try await client.query(QueryRequest(Query("SecretType")))
    let text = lines.text
    #expect(text.contains("records/query") && text.contains("u-7"))
    #expect(!text.contains("secret-") && !text.contains("SecretType"))
  }

  @Test(
    "a client sends what the guides say: 8 requests a second, at most 40 of Apple's service, 12 in flight")
  func rates() {
    let usual = RequestPipelineSettings()
    #expect(usual.requestsPerSecond == 8 && usual.maximumInFlight == 12 && usual.retry == .requests)
    func rate(_ wanted: Double?, _ url: String) -> Double? {
      RequestPipelineSettings(requestsPerSecond: wanted).bounded(for: url).requestsPerSecond
    }
    #expect(rate(41, ClientSettings.appleBaseURL) == 40 && rate(nil, ClientSettings.appleBaseURL) == 40)
    #expect(rate(40, ClientSettings.appleBaseURL) == 40 && rate(0, ClientSettings.appleBaseURL) == 0.001)
    #expect(rate(1000, "http://127.0.0.1:1") == 1000 && rate(nil, "http://localhost:1") == nil)
  }
}

private final class LogLines: Sendable {
  private let lines = Mutex("")
  var text: String { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0 += line + "\n" } }
}

private struct LineHandler: LogHandler {
  let lines: LogLines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(lines: LogLines) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.append("\(event.message) \(event.metadata ?? [:])") }
}
