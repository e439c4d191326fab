import CloudKitClient
import CloudKitModel
import Cryptography
import Diagnostics
import HTTPTransport
import Testing
import WebServicesWire

@Suite struct ManagementClientTests {
  static let schema = """
    DEFINE SCHEMA
      RECORD TYPE T ( f STRING QUERYABLE, GRANT READ TO "_world" );
    """
  static let exported = """
    DEFINE SCHEMA
      RECORD TYPE T ( "___recordID" REFERENCE, f STRING QUERYABLE, GRANT READ TO "_world" );
      RECORD TYPE Users ( roles LIST<INT64> );
    """
  static let target = ManagementTarget(team: "TEAM", container: "iCloud.demo", environment: .development)

  private func client(
    _ transport: ScriptedTransport, _ time: FakeTime = FakeTime(), host: String = "http://127.0.0.1:1"
  ) -> ManagementClient {
    ManagementClient(
      Self.target, token: Secret("tok"), host: host,
      dependencies: ClientDependencies(transport: transport, time: time, randomShare: { 1 }))
  }

  @Test("export asks with the token's header on the route of the table")
  func export() async throws {
    let transport = ScriptedTransport(.json(Self.exported))
    #expect(try await client(transport).exportSchema() == Self.exported)
    let request = try #require(transport.requests.first)
    #expect(
      request.url
        == "http://127.0.0.1:1/v1/database/teams/TEAM/containers/iCloud.demo/environments/DEVELOPMENT/schema")
    #expect(request.headers["X-Apple-CloudKit-Management-Token"] == "tok")
    #expect(request.body == nil)
  }

  @Test("a token that the service quotes is not passed on")
  func quotedToken() async throws {
    let transport = ScriptedTransport(
      .json(
        #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"bad token='management-token-1'"}"#, status: 401
      ))
    let client = ManagementClient(
      Self.target, token: Secret("management-token-1"),
      host: "http://127.0.0.1:1",
      dependencies: ClientDependencies(transport: transport, time: FakeTime()))
    let error = await #expect(throws: ServerError.self) { _ = try await client.exportSchema() }
    #expect(error?.reason == "bad token='[redacted]'")
  }

  @Test(
    "only a refusal of an emulator is explained by its restart",
    arguments: ["celestra-admin emulator", "Apple", ""])
  func restarted(server: String) async throws {
    let transport = ScriptedTransport(
      .json(
        #"{"code":401,"message":"AUTHENTICATION_FAILED","reason":"authorization-failed"}"#, status: 401,
        headers: ["Server": server]))
    let error = await #expect(throws: ServerError.self) { _ = try await client(transport).exportSchema() }
    #expect(error?.advice?.contains("started again") == (server == "celestra-admin emulator"))
  }

  @Test("an import ends when an export shows it, system fields and managed types aside")
  func importPolls() async throws {
    let transport = ScriptedTransport(
      .json("", status: 202), .json("DEFINE SCHEMA\n"), .json(Self.exported))
    let time = FakeTime()
    try await client(transport, time).importSchema(Self.schema)
    #expect(transport.requests.map(\.method) == ["POST", "GET", "GET"])
    #expect(time.sleeps.contains(.seconds(2)))
    let body = try #require(transport.requests.first?.body)
    let type = try #require(transport.requests.first?.headers["Content-Type"])
    let file = try MultipartBody.content(ofPart: "file", in: body, contentType: type)
    #expect(String(decoding: file, as: UTF8.self) == Self.schema)
  }

  @Test("an import that 15 exports do not show is not called done")
  func importNeverShows() async throws {
    let transport = ScriptedTransport(.json("", status: 202), .json("DEFINE SCHEMA\n"))
    let unseen = await #expect(throws: UnseenSchemaImport.self) {
      try await client(transport).importSchema(Self.schema)
    }
    #expect(unseen?.failure.status == .tryLater && unseen?.failure.retryAfter == .seconds(2))
    #expect(transport.requests.map(\.method) == ["POST"] + Array(repeating: "GET", count: 15))
  }

  @Test("an invalid schema is HTTP 200 with a reason; a refusal has the management API's own names")
  func answers() async throws {
    let invalid = ScriptedTransport(.json(#"{"isValid":false,"errorMessage":"no"}"#))
    #expect(try await client(invalid).validateSchema(Self.schema) == "no")
    let valid = ScriptedTransport(.json(#"{"isValid":true}"#))
    #expect(try await client(valid).validateSchema(Self.schema) == nil)
    let refused = ScriptedTransport(
      .json(#"{"code":400,"message":"BAD_REQUEST","reason":"r","requestUuid":"u"}"#, status: 400))
    await #expect(throws: ServerError(.badRequest, "r", uuid: "u")) {
      try await client(refused).importSchema(Self.schema)
    }
  }

  @Test("a reset has an empty body, and is never sent twice on doubt")
  func reset() async throws {
    let transport = ScriptedTransport(.failure(.timeout), .json("", status: 202))
    await #expect(throws: ContainerFailure.self) { try await client(transport).resetSchema() }
    #expect(transport.requests.map(\.body) == [[]])
  }

  @Test("only an emulator's schema is deployed, and never Apple's")
  func deploy() async throws {
    for (host, requests) in [("http://127.0.0.1:1/", 1), ("https://api.icloud.apple.com", 0)] {
      let transport = ScriptedTransport(.json("", status: 202))
      let client = client(transport, host: host)
      do { try await client.deploySchema() } catch let failure as ContainerFailure {
        #expect(requests == 0 && failure.message.contains("CloudKit Console"))
      }
      #expect(transport.requests.count == requests)
      #expect(
        transport.requests.allSatisfy {
          $0.url == "http://127.0.0.1:1/v1/database/teams/TEAM/containers/iCloud.demo/deploy"
        })
    }
  }

  @Test("an import that is exported in the same words is done at once, although nobody can read it")
  func sameWords() async throws {
    let transport = ScriptedTransport(.json("", status: 202), .json("no schema"))
    let time = FakeTime()
    try await client(transport, time).importSchema("no schema")
    #expect(transport.requests.count == 2 && !time.sleeps.contains(.seconds(2)))
  }
}
