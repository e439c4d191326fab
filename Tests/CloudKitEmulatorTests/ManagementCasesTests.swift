import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Cryptography
import HTTPTransport
import Testing
import WebServicesWire

@Suite struct ManagementCasesTests {
  private func served(
    token: String = "token", environment: Environment = .development, team: String? = nil,
    _ body: (ManagementClient) async throws -> Void
  ) async throws {
    let fixture = try await Fixture {
      $0.managementToken = Secret("token")
      $0.team = team
    }
    try await fixture.served { _, server in
      let target = ManagementTarget(team: "TEAM", container: Fixture.container, environment: environment)
      let client = ManagementClient(
        target, token: Secret(token), host: server.url,
        pipeline: RequestPipelineSettings(requestsPerSecond: nil),
        polling: SchemaImportPolling(interval: .milliseconds(1), polls: 2),
        dependencies: ClientDependencies(transport: try CurlTransport()))
      try await body(client)
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

  @Test("production refuses every import (3.2)")
  func production() async throws {
    try await served(environment: .production) { client in
      let error = await #expect(throws: ServerError.self) { try await client.importSchema("DEFINE SCHEMA") }
      #expect(
        error?.reason == "BadRequestException: endpoint not applicable in the environment 'production'")
    }
  }

  @Test("the teams are the one that is configured, which is also the only one that reaches the schema")
  func teams() async throws {
    try await served(team: "TEAM") { client async throws in
      #expect(try await client.teams().map(\.id) == ["TEAM"])
      #expect(try await client.exportSchema().contains("DEFINE SCHEMA"))
    }
    try await served(team: "OTHER") { client async throws in
      let error = await #expect(throws: ServerError.self) { try await client.exportSchema() }
      #expect(error?.reason == "authorization-failed")
    }
    try await served { client async throws in
      #expect(try await client.teams().map(\.id) == [EmulatorConfiguration.anyTeam])
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
