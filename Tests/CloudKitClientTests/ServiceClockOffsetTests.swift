import CloudKitModel
import Testing
import WebServicesWire

@testable import CloudKitClient
@testable import HTTPTransport

/// A machine whose clock is wrong; its own time is 2016-01-25T22:15:43Z.
@Suite struct ServiceClockOffsetTests {
  static let refusal = #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"Authentication failed"}"#

  private static func refused(_ date: String) -> ScriptedTransport.Answer {
    .json(refusal, status: 401, headers: ["Date": date])
  }

  /// Accepts what is dated within ten minutes of the moment, like the service.
  private static func service(at moment: String, _ date: String) -> ScriptedTransport {
    ScriptedTransport { request, _ in
      let signed = request.headers[RequestSignature.dateHeader].flatMap(Timestamp.init(wholeSeconds:))
      let distance = (signed?.milliseconds ?? 0) - (Timestamp(wholeSeconds: moment)?.milliseconds ?? 0)
      return abs(distance) <= 600_000 ? .empty : refused(date)
    }
  }

  @Test(
    "what is refused for its date is sent again with the service's, a write too, and what follows as well")
  func followed() async throws {
    let transport = Self.service(at: "2016-01-25T22:45:43Z", "Mon, 25 Jan 2016 22:45:43 GMT")
    let client = try ClientFixture(transport).client
    _ = try? await client.modify([RecordOperation(.update, recordType: "T", recordName: "a", changeTag: "1")])
    _ = try await client.query(QueryRequest(Query("T")))
    #expect(
      transport.requests.map { $0.headers[RequestSignature.dateHeader] }
        == ["2016-01-25T22:15:43Z", "2016-01-25T22:45:43Z", "2016-01-25T22:45:43Z"])
  }

  @Test("a clock that the service no longer has is given up again")
  func comesBack() async throws {
    let transport = ScriptedTransport(
      Self.refused("Mon, 25 Jan 2016 22:45:43 GMT"), .empty, Self.refused("Mon, 25 Jan 2016 22:15:43 GMT"),
      .empty)
    let client = try ClientFixture(transport).client
    for _ in 0..<2 { _ = try await client.query(QueryRequest(Query("T"))) }
    #expect(
      transport.requests.map { $0.headers[RequestSignature.dateHeader]?.dropFirst(11) }
        == ["22:15:43Z", "22:45:43Z", "22:45:43Z", "22:15:43Z"])
  }

  @Test(
    "a date is to blame from the sixth minute on",
    arguments: [("22:20:43", 1), ("22:20:44", 2), ("22:10:43", 1), ("22:10:42", 2)])
  func tolerance(_ time: String, _ requests: Int) async throws {
    let transport = ScriptedTransport(Self.refused("Mon, 25 Jan 2016 \(time) GMT"), .empty)
    _ = try? await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    #expect(transport.requests.count == requests)
  }

  @Test("a refusal with the right date is a refusal, and is not sent again")
  func rightDate() async throws {
    let transport = ScriptedTransport(Self.refused("Mon, 25 Jan 2016 22:17:43 GMT"))
    await #expect(throws: ServerError(.authenticationFailed, "Authentication failed")) {
      try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    }
    #expect(transport.requests.count == 1)
  }

  @Test("a credential that is refused with the service's own date as well is to blame")
  func wrongKeyToo() async throws {
    let transport = ScriptedTransport(Self.refused("Mon, 25 Jan 2016 22:45:43 GMT"))
    await #expect(throws: ServerError(.authenticationFailed, "Authentication failed")) {
      try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    }
    #expect(transport.requests.count == 2)
  }

  @Test("nobody gets signatures for days to come: the clock is named, and the run can be repeated")
  func tooFar() async throws {
    let transport = ScriptedTransport(Self.refused("Mon, 01 Feb 2016 22:15:43 GMT"))
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    }
    #expect(failure?.kind == .unavailable(retryAfter: nil))
    #expect(failure?.message.contains("this machine's clock is 7 days behind the service's") == true)
    #expect(transport.requests.count == 1)
  }

  @Test("a clock that jumps with every answer ends the attempts, not the credential")
  func jumps() async throws {
    let transport = ScriptedTransport { _, index in
      Self.refused(
        index.isMultiple(of: 2) ? "Mon, 25 Jan 2016 22:45:43 GMT" : "Mon, 25 Jan 2016 22:15:43 GMT")
    }
    let fixture = try ClientFixture(transport)
    let failure = await #expect(throws: ContainerFailure.self) {
      try await fixture.client.query(QueryRequest(Query("T")))
    }
    #expect(failure?.kind == .unavailable(retryAfter: nil))
    #expect(transport.requests.count == RetryPolicy().attempts)
  }

  /// The offset of a service whose time is 2016-01-25T22:15:43Z.
  private func offset(lead: Int64) throws -> ServiceClockOffset {
    let response = HTTPResponse(status: 401, headers: ["Date": "Mon, 25 Jan 2016 22:15:43 GMT"], finalURL: "")
    return try #require(
      ServiceClockOffset(response, now: Timestamp(milliseconds: 1_453_760_143_000 - lead * 1000)))
  }

  @Test("only the date of a signed request can be to blame")
  func unsigned() throws {
    let offset = try offset(lead: 5000)
    for (date, isBlamed) in [
      (nil, false), ("soon", false), ("2016-01-25T22:15:43Z", false), ("2016-01-25T22:20:43Z", false),
      ("2016-01-25T22:20:44Z", true),
      ("2016-01-25T22:10:43Z", false), ("2016-01-25T22:10:42Z", true),
    ] as [(String?, Bool)] {
      var request = HTTPRequest(url: "http://a.example/")
      request.headers[RequestSignature.dateHeader] = date
      #expect(offset.refuses(dateOf: request) == isBlamed, "\(date ?? "none")")
    }
    #expect(
      ServiceClockOffset(HTTPResponse(status: 401, finalURL: ""), now: Timestamp(milliseconds: 0)) == nil)
    #expect(ServiceClockOffset.tolerance == 300 && ServiceClockOffset.farthest == 86_400)
  }
}
