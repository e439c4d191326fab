import CloudKitClient
import CloudKitModel
import Diagnostics
import HTTPTransport
import Synchronization
import Testing

@Suite struct RetryTests {
  static let throttled = #"{"uuid":"u","serverErrorCode":"THROTTLED","reason":"later","retryAfter":3}"#
  static let unknownCode = #"{"uuid":"u","serverErrorCode":"SOMETHING_NEW","reason":"later"}"#
  static let update = RecordOperation(.update, recordType: "T", recordName: "a", changeTag: "1")
  static let done = ScriptedTransport.Answer.json(#"{"records":[{"recordName":"a","deleted":true}]}"#)

  static let safe: [(String, ScriptedTransport.Answer)] = [
    ("no address", .failure(.dns)),
    ("nothing listens", .failure(.connect)),
    ("429", .json(throttled, status: 429)),
    ("503 with a dictionary", .json(throttled, status: 503)),
    ("429 with a code of its own", .json(unknownCode, status: 429)),
    ("503 with a code of its own", .json(unknownCode, status: 503)),
    ("busy in words, with another status", .json(throttled, status: 500)),
    ("429 from something in front", .json("slow down", status: 429)),
    ("421 without a dictionary: misdirected", .json("", status: 421)),
  ]

  @Test("even a modify is sent again when it was surely not carried out", arguments: safe)
  func modifySentAgain(name: String, answer: ScriptedTransport.Answer) async throws {
    let transport = ScriptedTransport(answer, Self.done)
    #expect(try await ClientFixture(transport).client.modify([Self.update]).count == 1)
    #expect(transport.requests.count == 2)
  }

  static let doubtful: [(String, ScriptedTransport.Answer)] = [
    ("time-out", .failure(.timeout)),
    ("broken connection", .failure(.protocol)),
    ("half a response", .failure(.truncated)),
    ("503 without a dictionary", .json("<html>busy</html>", status: 503)),
    ("502", .json("", status: 502)),
    ("another status of the service's with a code of its own", .json(unknownCode, status: 500)),
    ("internal error", .json(#"{"serverErrorCode":"INTERNAL_ERROR","reason":"x"}"#, status: 500)),
  ]

  @Test(
    "a modify whose reply is lost is not sent again: the caller reads what became of it", arguments: doubtful)
  func modifyNotSentAgain(name: String, answer: ScriptedTransport.Answer) async throws {
    let transport = ScriptedTransport(answer, Self.done)
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.modify([Self.update])
    }
    #expect(failure?.kind == .outcomeUnknown)
    #expect(transport.requests.count == 1)
  }

  @Test("a query is sent again in every such case", arguments: doubtful + safe)
  func querySentAgain(name: String, answer: ScriptedTransport.Answer) async throws {
    let transport = ScriptedTransport(answer, .empty)
    _ = try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    #expect(transport.requests.count == 2)
  }

  @Test("a query is sent again when its answer breaks off, although the transfer was complete")
  func cutAnswer() async throws {
    let transport = ScriptedTransport(.json("{\"records\":[] \n"), .json("{\"records\":[]} \n"))
    _ = try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    #expect(transport.requests.count == 2)

    let page = ScriptedTransport(.json("<html>"), .empty)
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(page).client.query(QueryRequest(Query("T")))
    }
    #expect(failure?.kind == .unusableAnswer)

    // Only a success has an answer that can break off.
    let other = ScriptedTransport(.json("{\"records\":[", status: 300), .empty)
    await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(other).client.query(QueryRequest(Query("T")))
    }
    #expect(other.requests.count == 1)
  }

  @Test("a modify whose answer breaks off is not sent again")
  func cutAnswerOfModify() async throws {
    let transport = ScriptedTransport(.json("{\"records\":["), Self.done)
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.modify([Self.update])
    }
    #expect(failure?.leavesWriteOpen == true)
    #expect(transport.requests.count == 1)
  }

  @Test("the service's wait is taken from the body before the header (4.2)")
  func retryAfter() async throws {
    let both = ScriptedTransport(.json(Self.throttled, status: 429, headers: ["Retry-After": "30"]), .empty)
    let first = try ClientFixture(both)
    _ = try await first.client.query(QueryRequest(Query("T")))
    #expect(first.time.uptime == .seconds(3))

    let header = ScriptedTransport(.json("", status: 503, headers: ["Retry-After": "30"]), .empty)
    let second = try ClientFixture(header)
    _ = try await second.client.query(QueryRequest(Query("T")))
    #expect(second.time.uptime == .seconds(30))

    let date: HTTPHeaders = [
      "Date": "Sat, 21 Nov 2026 05:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 05:00:07 GMT",
    ]
    let third = try ClientFixture(ScriptedTransport(.json("", status: 503, headers: date), .empty))
    _ = try await third.client.query(QueryRequest(Query("T")))
    #expect(third.time.uptime == .seconds(7))
  }

  @Test("a wait of hours is not waited for: the failure says when to come back (4.2)")
  func givesUp() async throws {
    let transport = ScriptedTransport(
      .json(#"{"serverErrorCode":"THROTTLED","reason":"later","retryAfter":110207}"#, status: 429))
    let fixture = try ClientFixture(transport)
    let failure = await #expect(throws: ContainerFailure.self) {
      try await fixture.client.query(QueryRequest(Query("T")))
    }
    #expect(failure?.kind == .unavailable(retryAfter: .seconds(110_207)))
    #expect(fixture.time.uptime == .zero)
  }

  @Test("waits of its own double up to a limit, each a random share of it")
  func backoff() async throws {
    let policy = RetryPolicy(
      attempts: 5, firstWait: .seconds(1), maxWait: .seconds(4), patience: .seconds(100))
    let fixture = try ClientFixture(
      ScriptedTransport(.failure(.dns)),
      pipeline: RequestPipelineSettings(requestsPerSecond: nil, retry: policy)
    )
    let failure = await #expect(throws: ContainerFailure.self) {
      try await fixture.client.query(QueryRequest(Query("T")))
    }
    #expect(failure?.kind == .unavailable(retryAfter: nil))
    #expect(fixture.time.sleeps == [.seconds(1), .seconds(2), .seconds(4), .seconds(4)])
  }

  @Test(
    "what would end the same way is not tried again",
    arguments: [HTTPFailure.Kind.tls, .invalidRequest])
  func hopeless(kind: HTTPFailure.Kind) async throws {
    let transport = ScriptedTransport(.failure(kind), .empty)
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    }
    #expect(failure?.kind == .unreachable)
    #expect(transport.requests.count == 1)
  }
}
