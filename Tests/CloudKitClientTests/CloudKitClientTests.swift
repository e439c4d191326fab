import CloudKitClient
import CloudKitModel
import Cryptography
import CustomDump
import Diagnostics
import HTTPTransport
import Testing
import WebServicesWire

@Suite struct CloudKitClientTests {
  @Test("a request is signed so that a strict server accepts it (1.1)")
  func signed() async throws {
    let transport = ScriptedTransport(.empty)
    let fixture = try ClientFixture(transport)
    _ = try await fixture.client.query(QueryRequest(Query("T")))
    let request = try #require(transport.requests.first)
    #expect(request.method == "POST")
    #expect(request.url == "http://127.0.0.1:1/database/1/iCloud.demo/development/public/records/query")
    let verifier = SignatureVerifier(keys: ["key": fixture.key.publicKey])
    try verifier.verify(
      SignatureVerifier.Request(
        path: String(request.url.dropFirst("http://127.0.0.1:1".count)), body: request.body ?? [],
        keyID: request.headers[RequestSignature.keyIDHeader],
        date: request.headers[RequestSignature.dateHeader],
        signature: request.headers[RequestSignature.signatureHeader]),
      now: fixture.time.wallTime)
  }

  @Test("pages are followed by marker, short and empty ones too, and a stuck marker is an error (3.2)")
  func paging() async throws {
    let record = #"{"recordName":"a","recordType":"T","fields":{}}"#
    let transport = ScriptedTransport(
      .json(#"{"records":[\#(record)],"continuationMarker":"1"}"#),
      .json(#"{"records":[],"continuationMarker":"2"}"#), .json(#"{"records":[\#(record)]}"#))
    #expect(try await ClientFixture(transport).client.allRecords(Query("T")).count == 2)
    let markers = try transport.requests.map { try JSONValue(parsing: $0.body ?? [])["continuationMarker"] }
    expectNoDifference(markers, [nil, "1", "2"])

    let stuck = ScriptedTransport(.json(#"{"records":[],"continuationMarker":"1"}"#))
    await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(stuck).client.allRecords(Query("T"))
    }
    #expect(stuck.requests.count == 2)
  }

  @Test("errors of single records inside HTTP 200 stay in their places (4.3)")
  func perRecordErrors() async throws {
    let transport = ScriptedTransport(
      .json(
        #"{"records":[{"recordName":"a","serverErrorCode":"CONFLICT","reason":"r"},{"recordName":"b","deleted":true}]}"#
      ))
    let outcomes = try await ClientFixture(transport).client.modify([
      RecordOperation(.update, recordName: "a"), RecordOperation(.delete, recordName: "b"),
    ])
    expectNoDifference(
      outcomes, [.failed(recordName: "a", ServerError(.conflict, "r")), .deleted(recordName: "b")])
  }

  static let refusals: [ServerError.Code] = [
    .accessDenied, .atomicError, .authenticationRequired, .badRequest, .conflict, .exists, .notFound,
    .quotaExceeded, .validatingReferenceError, .zoneNotFound,
    ServerError.Code(rawValue: "UNIQUE_FIELD_ERROR"),
    ServerError.Code(rawValue: "SOMETHING_NEW"),
  ]

  @Test("a refusal is passed on at once, with its request's id (4.3)", arguments: refusals)
  func refusal(code: ServerError.Code) async throws {
    let transport = ScriptedTransport(
      .json(
        #"{"uuid":"u-1","serverErrorCode":"\#(code)","reason":"r","redirectURL":"https://x"}"#,
        status: code.httpStatus))
    let error = await #expect(throws: ServerError.self) {
      try await ClientFixture(transport).client.lookup(LookupRequest(["a"]))
    }
    #expect(error == ServerError(code, "r", uuid: "u-1", redirectURL: "https://x"))
    #expect(transport.requests.count == 1)
  }

  @Test(
    "an answer that is not CloudKit's is a clear error naming the endpoint and the request",
    arguments: [
      "", "<html>", "[]", "{}", #"{"records":5}"#, #"{"records":[{}]}"#, "\u{0}",
      #"{"records":[{"recordName":"a","recordType":"T","fields":{"f":{"value":1,"type":"NEW"}}}]}"#,
      #"{"records":[]}"#,
    ])
  func unusable(body: String) async throws {
    let transport = ScriptedTransport(.json(body, headers: ["X-Apple-Request-UUID": "u-9"]))
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.lookup(LookupRequest(["a"]))
    }
    #expect(failure?.kind == .unusableAnswer)
    #expect(failure?.message.contains("records/lookup") == true)
    #expect(body.hasSuffix("[]}") || failure?.message.contains("u-9") == true)
  }

  @Test("an API token and a user's token go into the query, escaped, and the next user token is used (1.2)")
  func tokens() async throws {
    let transport = ScriptedTransport(
      .json(#"{"records":[]}"#, headers: ["X-Apple-CloudKit-Web-Auth-Token": "n=2"]), .empty)
    let client = try ClientFixture(
      transport, authentication: .apiToken(Secret("api"), webAuthToken: Secret("a+b/="))
    ).client
    _ = try await client.query(QueryRequest(Query("T")))
    _ = try await client.query(QueryRequest(Query("T")))
    let queries = transport.requests.map { $0.url.split(separator: "?").last.map(String.init) }
    expectNoDifference(
      queries,
      [
        "ckAPIToken=api&ckWebAuthToken=a%2Bb%2F%3D&ckSession=a%2Bb%2F%3D",
        "ckAPIToken=api&ckWebAuthToken=n%3D2&ckSession=n%3D2",
      ])
  }

  @Test("a request that must not be carried out twice has a connection of its own")
  func connections() async throws {
    let transport = ScriptedTransport(.json(#"{"records":[{"recordName":"a","deleted":true}]}"#))
    let client = try ClientFixture(transport, baseURL: "http://127.0.0.1:1/").client
    _ = try await client.modify([RecordOperation(.delete, recordName: "a")])
    _ = try await client.lookup(LookupRequest(["a"]))
    #expect(transport.requests.map(\.needsFreshConnection) == [true, false])
    #expect(transport.requests.allSatisfy { $0.url.hasPrefix("http://127.0.0.1:1/database/") })
    #expect(
      transport.requests.allSatisfy {
        $0.limits.totalTimeout == .seconds(60) && $0.headers["Content-Type"] == "application/json"
      })
  }
}
