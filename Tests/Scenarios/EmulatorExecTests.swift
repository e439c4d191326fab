import Foundation
import Testing

/// `emulator exec` rehearses on its emulator, whatever the caller's settings lead to.
@Suite("emulator exec") struct EmulatorExecTests {
  enum Place: String, CaseIterable, Sendable { case environment, dotEnv, project }

  private static let secrets = [
    "CLOUDKIT_PRIVATE_KEY": "callers-private-key", "CLOUDKIT_API_TOKEN": "callers-api-token",
    "CLOUDKIT_WEB_AUTH_TOKEN": "callers-web-auth-token",
    "CLOUDKIT_MANAGEMENT_TOKEN": "callers-management-token",
  ]
  private static let keys = [
    "CLOUDKIT_PRIVATE_KEY": "privateKey", "CLOUDKIT_API_TOKEN": "apiToken",
    "CLOUDKIT_WEB_AUTH_TOKEN": "webAuthToken", "CLOUDKIT_MANAGEMENT_TOKEN": "managementToken",
    "CLOUDKIT_KEY_ID": "keyID", "CLOUDKIT_PRIVATE_KEY_PATH": "privateKeyPath", "CLOUDKIT_BASE_URL": "baseURL",
    "CLOUDKIT_MANAGEMENT_BASE_URL": "managementBaseURL", "CLOUDKIT_CONTAINER_ID": "containerID",
    "CLOUDKIT_TEAM_ID": "teamID", "CLOUDKIT_SCHEMA_ROUTE": "schemaRoute",
  ]

  @Test(
    "the command reaches its emulator and nothing else", arguments: Place.allCases,
    ["local:project.sqlite", "cloudkit:iCloud.com.example.App", nil])
  func reachesItsEmulatorOnly(_ place: Place, container: String?) async throws {
    try await withScratchFolder { folder in
      let listener = try Listener()
      var settings = Self.secrets
      settings.merge([
        "CLOUDKIT_KEY_ID": "callers-key", "CLOUDKIT_PRIVATE_KEY_PATH": "\(folder)/no-key.pem",
        "CLOUDKIT_BASE_URL": listener.url, "CLOUDKIT_MANAGEMENT_BASE_URL": listener.url,
        "CLOUDKIT_CONTAINER_ID": "iCloud.com.example.App", "CLOUDKIT_TEAM_ID": "TEAM123456",
        "CLOUDKIT_SCHEMA_ROUTE": "cktool",
      ]) { $1 }
      let tool = try tool(settings, container, in: place, folder)
      let exec = ["emulator", "exec", "--schema", "schema/celestra.ckdb", "--"]

      let applied = try await tool.run(exec + ["celestra-admin", "seed", "apply", "seeds", "--yes", "-q"])
      #expect(applied.status == 0, "\(applied.err)")
      let schema = try await tool.run(exec + ["celestra-admin", "schema", "export"])
      #expect(schema.status == 0 && schema.out.contains("PublicFeed"), "\(schema.err)")
      let variables = try await tool.run(exec + ["env"])
      for secret in Self.secrets.values { #expect(!variables.out.contains(secret)) }
      #expect(listener.received.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/project.sqlite"))
    }
  }

  @Test("a saved token stays with the caller")
  func savedToken() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      #expect(try await tool.run(["auth", "save-token"], stdin: "callers-saved-token").status == 0)
      let export = ["celestra-admin", "schema", "export"]
      let outcome = try await tool.run(
        ["emulator", "exec", "--schema", "schema/celestra.ckdb", "--"] + export)
      #expect(outcome.status == 0, "\(outcome.err)")
    }
  }

  private func tool(
    _ settings: [String: String], _ container: String?, in place: Place, _ folder: String
  ) throws -> Tool {
    var tool = Tool(directory: folder)
    var variables = settings
    variables["CELESTRA_ADMIN_CONTAINER"] = container
    switch place {
    case .environment: tool.environment = variables
    case .dotEnv:
      let lines = variables.map { "\($0)=\($1)\n" }.joined()
      try Data(lines.utf8).write(to: URL(filePath: "\(folder)/.env"))
    case .project:
      var file: [String: Any] = [
        "cloudkit": Dictionary(uniqueKeysWithValues: settings.map { (Self.keys[$0] ?? $0, $1) })
      ]
      file["container"] = container
      try JSONSerialization.data(withJSONObject: file).write(
        to: URL(filePath: "\(folder)/celestra-admin.json"))
    }
    return tool
  }
}
