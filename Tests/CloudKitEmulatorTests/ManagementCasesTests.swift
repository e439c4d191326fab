import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Cryptography
import HTTPTransport
import Testing
import WebServicesWire

/// schema-language.md sections 2.2, 2.3 and 3.2.
@Suite struct ManagementCasesTests {
  private func served(
    token: String = "token", environment: Environment = .development,
    _ body: (ManagementClient) async throws -> Void
  ) async throws {
    let fixture = try await Fixture { $0.managementToken = Secret("token") }
    try await fixture.served { _, server in
      let target = ManagementTarget(team: "TEAM", container: Fixture.container, environment: environment)
      let settings = ManagementClient.Settings(
        target: target, token: Secret(token), conventions: ManagementConventions([.host: server.url]),
        pipeline: PipelineSettings(requestsPerSecond: nil), pollInterval: .milliseconds(1), polls: 2)
      try await body(
        ManagementClient(settings, surroundings: ClientSurroundings(transport: try CurlTransport())))
    }
  }

  @Test("a schema is validated, imported and exported again")
  func roundTrip() async throws {
    try await served { client in
      let text = "DEFINE SCHEMA RECORD TYPE New ( a STRING QUERYABLE, GRANT READ TO \"_world\" );"
      #expect(try await client.validateSchema(text) == nil)
      #expect(try await client.validateSchema("DEFINE SCHEMA RECORD TYPE New ( a BADTYPE );") != nil)
      try await client.importSchema(text)
      #expect(try await client.exportSchema().contains("RECORD TYPE New"))
      #expect(try await !client.exportSchema().contains("RECORD TYPE Note"))
      try await client.resetSchema()
      #expect(try await !client.exportSchema().contains("RECORD TYPE New"))
      #expect(try await client.teams().count == 1)
    }
  }

  @Test("production takes no import, whatever it holds (3.2)")
  func production() async throws {
    try await served(environment: .production) { client in
      let error = await #expect(throws: ServerError.self) { try await client.importSchema("DEFINE SCHEMA") }
      #expect(
        error?.reason == "BadRequestException: endpoint not applicable in the environment 'production'")
    }
  }

  @Test("a wrong token is refused")
  func token() async throws {
    try await served(token: "other") { client in
      let error = await #expect(throws: ServerError.self) { try await client.exportSchema() }
      #expect(error?.reason == "authorization-failed")
    }
  }
}
