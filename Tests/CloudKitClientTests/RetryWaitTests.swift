import CloudKitClient
import CloudKitModel
import Diagnostics
import HTTPTransport
import Synchronization
import Testing

/// What a client says about its waits.
@Suite struct RetryWaitTests {
  /// The pauses that a client announces, those it makes, and its waits for replies, until the queries have ended.
  private func waits(
    _ transport: ScriptedTransport, _ policy: RetryPolicy = .requests, perSecond: Double? = nil,
    queries: Int = 1
  ) async throws -> (pauses: [Wait], slept: [Duration], replies: [Wait]) {
    let waits = Mutex<[Wait]>([])
    let reporter = WaitReporter { wait in
      waits.withLock { $0.append(wait) }
      return {}
    }
    let fixture = try ClientFixture(
      transport, pipeline: RequestPipelineSettings(requestsPerSecond: perSecond, retry: policy),
      waits: reporter)
    for _ in 0..<queries {
      do { _ = try await fixture.client.query(QueryRequest(Query("T"))) } catch is ContainerFailure {}
    }
    let all = waits.withLock(\.self)
    return (all.filter { !$0.mayEndEarlier }, fixture.time.sleeps, all.filter(\.mayEndEarlier))
  }

  @Test("each pause has its cause, its length, how long the trouble lasts and when the client gives up")
  func pauses() async throws {
    let (pauses, slept, _) = try await waits(
      ScriptedTransport(.json(RetryTests.throttled, status: 503), .failure(.dns), .empty))
    #expect(pauses.map(\.pause) == slept.map(Optional.some))
    #expect(pauses.map(\.pause) == [.seconds(3), .seconds(1)])
    #expect(pauses.map(\.elapsed) == [.zero, .seconds(3)])
    #expect(pauses.map(\.reason) == ["service busy", "service unavailable"])
    #expect(pauses[0].detail.hasPrefix("service busy (records/query: "))
    #expect(pauses[1].detail == "service unavailable (records/query: dns)")
    // Four pauses of 3 seconds, and the minute after the fifth failure. Then 1, 2, 4 seconds and that minute.
    #expect(pauses[0].limit == .seconds(4 * 3 + 60))
    #expect(pauses[1].limit == .seconds(1 + 2 + 4 + 60))
  }

  @Test("the pause after the fifth failure is the minute for which nothing is sent, and the last one says so")
  func breaker() async throws {
    let (pauses, slept, _) = try await waits(ScriptedTransport(.failure(.dns)))
    #expect(slept == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(60)])
    #expect(pauses.map(\.pause) == slept.map(Optional.some))
    // What was announced is what was left each time.
    let total = slept.reduce(.zero, +)
    var passed = Duration.zero
    for (wait, pause) in zip(pauses, slept) {
      #expect(wait.limit == total - passed)
      passed += pause
    }
    #expect(pauses.last?.limit == pauses.last?.pause)
    // Where nothing listens on this machine, only an emulator that is starting is worth a wait.
    let (local, tried, _) = try await waits(ScriptedTransport(.failure(.connect)), queries: 2)
    let some: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
    #expect(tried == some + some)
    #expect(local.first?.limit == .milliseconds(3500))
  }

  @Test("a request without a reply says when it is sent again, and the last one when it ends")
  func replies() async throws {
    let (_, _, replies) = try await waits(
      ScriptedTransport(.failure(.timeout), .empty), RetryPolicy(attempts: 2))
    #expect(replies.map(\.pause) == [.seconds(60), nil])
    #expect(replies[0].limit == .seconds(60 + 60) + .milliseconds(500))
    #expect(replies[1].limit == .seconds(60))
    #expect(replies[0].detail == "waiting for the reply to records/query")
    #expect(replies[1].detail == "service unavailable (records/query, attempt 2 of 2)")
  }
}
