import CloudKitClient
import CloudKitModel
import Cryptography
import Synchronization
import Testing
import WebServicesWire

@Suite struct AppleCKToolTests {
  /// Answers by verb; notes how it was called.
  private final class FakeTool: Sendable {
    let calls = Mutex<[(arguments: [String], variables: [String: String])]>([])
    let answers: [String: AppleCKTool.Outcome]

    init(_ answers: [String: AppleCKTool.Outcome]) { self.answers = answers }

    func run(_ arguments: [String], _ variables: [String: String]) -> AppleCKTool.Outcome {
      calls.withLock { $0.append((arguments, variables)) }
      return answers[arguments[1]] ?? (status: 64, output: [], errors: "unknown verb\n")
    }
  }

  private func tool(_ fake: FakeTool, token: Secret? = Secret("sekret")) -> AppleCKTool {
    let target = ManagementTarget(team: "ABCDE12345", container: "iCloud.x", environment: .production)
    return AppleCKTool(target, token: token, polling: SchemaImportPolling(interval: .zero, polls: 2)) {
      fake.run($0, $1)
    }
  }

  private func said(_ text: String, _ status: Int32 = 0) -> AppleCKTool.Outcome {
    (status, Array(text.utf8), "")
  }

  private static let schema = "DEFINE SCHEMA\n\n    RECORD TYPE A (\n        a STRING\n    );\n"

  @Test("the command line is Apple's, and the token is never on it")
  func export() async throws {
    let fake = FakeTool(["export-schema": said(Self.schema)])
    #expect(try await tool(fake).exportSchema() == Self.schema)
    let calls = fake.calls.withLock { $0 }
    let call = try #require(calls.first)
    #expect(
      call.arguments == [
        "cktool", "export-schema", "--team-id", "ABCDE12345", "--container-id", "iCloud.x", "--environment",
        "production",
      ])
    #expect(call.variables == ["CLOUDKIT_MANAGEMENT_TOKEN": "sekret"])
  }

  @Test("an import goes through a file and is polled for")
  func importing() async throws {
    let fake = FakeTool(["import-schema": said(""), "export-schema": said(Self.schema)])
    try await tool(fake, token: nil).importSchema(Self.schema)
    let calls = fake.calls.withLock { $0 }
    #expect(calls.map { $0.arguments[1] } == ["import-schema", "export-schema"])
    #expect(calls[0].arguments.dropLast().last == "--file" && calls[0].variables.isEmpty)
  }

  @Test("its verdict on a schema is read, whatever it exits with")
  func validation() async throws {
    let valid = FakeTool(["validate-schema": said("✅ Schema is valid.\n")])
    #expect(try await tool(valid).validateSchema(Self.schema) == nil)
    let invalid = FakeTool(["validate-schema": said("❌ Schema validation failed: no type X\n", 1)])
    #expect(try await tool(invalid).validateSchema(Self.schema) == "no type X")
  }

  @Test("a reset takes no environment; teams are read line by line")
  func others() async throws {
    let fake = FakeTool(["reset-schema": said(""), "get-teams": said("ABCDE12345: Some: Team\n")])
    try await tool(fake).resetSchema()
    let reset = fake.calls.withLock { $0.first?.arguments ?? [] }
    #expect(reset.last == "iCloud.x" && !reset.contains("--environment"))
    #expect(try await tool(fake).teams() == [TeamsReply.Team(id: "ABCDE12345", name: "Some: Team")])
  }

  @Test("a failure says what the tool said, without the token")
  func failure() async throws {
    let said: AppleCKTool.Outcome = (1, [], "token sekret was refused\n")
    let fake = FakeTool(["export-schema": said])
    let failure = await #expect(throws: ContainerFailure.self) { try await tool(fake).exportSchema() }
    #expect(
      failure?.message.contains("status 1: token [redacted] was refused") == true, "\(failure?.message ?? "")"
    )
    #expect(failure?.message.contains("sekret") == false)
  }
}
