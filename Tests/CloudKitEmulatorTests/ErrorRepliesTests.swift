import CloudKitModel
import Diagnostics
import LocalContainer
import Testing
import WebServicesWire

@testable import CloudKitEmulator

@Suite struct ErrorRepliesTests {
  @Test("a container that another process holds is a reason to try again, a broken one is not")
  func failures() {
    let busy = Emulator.refusal(ContainerFailure(.busy, "locked"))
    #expect(busy.error.code == .tryAgainLater && busy.error.retryAfter == .seconds(1))
    #expect(Emulator.refusal(ContainerFailure(.storage, "damaged")).error.code == .internalError)
  }

  @Test("the explanation of several refusals has each reason once")
  func explanation() async throws {
    let fixture = try await Fixture()
    func create(_ fields: String) -> String {
      #"{"operationType":"create","record":{"recordType":"Note","fields":{\#(fields)}}}"#
    }
    let wrong = #""count":{"value":"x","type":"STRING"}"#
    let unknown = #""colour":{"value":"x","type":"STRING"}"#
    func explanation(_ operations: String...) async throws -> String? {
      try await fixture.send(
        "records/modify", #"{"operations":[\#(operations.joined(separator: ","))]}"#
      ).reply.explanation
    }
    #expect(try await explanation(create("")) == nil)
    let one = try #require(try await explanation(create(wrong)))
    let other = try #require(try await explanation(create(unknown)))
    #expect(one != other)
    #expect(
      try await explanation(create(wrong), create(""), create(unknown), create(wrong)) == "\(one); \(other)")
  }

  @Test(
    "the place of a mistake in JSON counts lines and columns from 1",
    arguments: [
      ("", 1, 1), ("x", 1, 1), ("{\n", 2, 1), ("{\n  x", 2, 3), ("\n\nx", 3, 1), ("{\"a\":}", 1, 6),
      ("[1,\n2,\n 3 4]", 3, 4),
    ])
  func places(text: String, line: Int, column: Int) throws {
    let body = Array(text.utf8)
    let error = try #require(#expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: body) })
    #expect(
      Emulator.malformed(error, in: body).error.reason
        == "BadRequestException: Unexpected input at [line: \(line), column: \(column)]")
  }

  private func json(_ reply: EmulatorReply) throws -> JSONValue { try JSONValue(parsing: reply.body) }

  private func header(_ name: String, _ reply: EmulatorReply) -> String? {
    reply.headers.first { $0.name == name }?.value
  }

  @Test("each error has its status, and a throttled one that of the configuration")
  func statuses() async throws {
    let request = EmulatorRequest("POST", Fixture.root + "records/query", origin: "http://127.0.0.1:1")
    for (status, sendsHeader) in [(429, true), (503, false)] {
      let emulator = try await Fixture {
        $0.throttleStatus = status
        $0.sendsRetryAfterHeader = sendsHeader
      }.emulator
      let throttled = emulator.errorReply(
        ServerError(.throttled, "x", retryAfter: .seconds(3)), to: request, "u")
      #expect(throttled.status == status && header("Retry-After", throttled) == (sendsHeader ? "3" : nil))
      #expect(try json(throttled)["retryAfter"] == 3 && json(throttled)["uuid"] == "u")
    }
    let emulator = try await Fixture().emulator
    #expect(emulator.errorReply(ServerError(.notFound, "x"), to: request, "u").status == 404)
    #expect(emulator.errorReply(WrongHostError(), to: request, "u").status == 421)
    let method = emulator.errorReply(MethodNotAllowedError(allowed: ["GET", "POST"]), to: request, "u")
    #expect(
      method.status == 405 && header("Allow", method) == "GET, POST"
        && method.explanation == "send GET or POST")
    let device = MethodNotAllowedError(allowed: ["POST"], isUnderDevice: true)
    #expect(emulator.errorReply(device, to: request, "u").explanation == "send POST under /device")
    let signIn = emulator.errorReply(ServerError(.authenticationRequired, "x"), to: request, "u")
    #expect(try json(signIn)["redirectURL"] == "http://127.0.0.1:1/sign-in")
    #expect(try json(method)["redirectURL"] == nil)
    let overloaded = emulator.overloaded()
    #expect(overloaded.status == 503 && header("Retry-After", overloaded) == "1")
  }

  @Test("a body that could not be read has its own status, and a slow one ends the connection")
  func unreadBodies() async throws {
    let emulator = try await Fixture().emulator
    for (problem, status, isClosed) in [
      (EmulatorRequest.BodyProblem.tooLarge, 413, false), (.brokenOff, 400, false), (.tooSlow, 408, true),
    ] {
      let request = EmulatorRequest("POST", Fixture.root + "records/query", bodyProblem: problem)
      let reply = await emulator.reply(to: request)
      #expect(reply.status == status && (header("Connection", reply) == "close") == isClosed)
    }
  }

  @Test("a text is replaced in the reasons of errors, in the order of the texts, and nowhere else")
  func rewording() {
    func reworded(_ text: String, _ reasons: [String: String]) -> String {
      var reply = EmulatorReply(status: 400, body: Array(text.utf8))
      reply.reword(reasons)
      return String(decoding: reply.body, as: UTF8.self)
    }
    let error = #"{"serverErrorCode":"X","reason":"ab b"}"#
    #expect(reworded(error, [:]) == error)
    #expect(reworded(error, ["b": "c"]) == #"{"serverErrorCode":"X","reason":"ac c"}"#)
    #expect(reworded(error, ["a": "b", "b": "c"]) == #"{"serverErrorCode":"X","reason":"cc c"}"#)
    #expect(
      reworded(#"{"records":[\#(error),{"reason":"b"}]}"#, ["b": "c"])
        == #"{"records":[{"serverErrorCode":"X","reason":"ac c"},{"reason":"b"}]}"#)
    #expect(reworded(#"{"reason":"b"}"#, ["b": "c"]) == #"{"reason":"b"}"#)
    #expect(reworded("no JSON b", ["b": "c"]) == "no JSON b")
  }
}
