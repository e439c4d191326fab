import Foundation
import Testing

/// A repository in a scratch folder, in which the steps of the Action (Scripts/action) run as a workflow runs them: each
/// on a runner of its own.
struct ActionRepository {
  static let steps = projectRoot.appending(path: "Scripts/action").path

  var tool: Tool
  var folder: String { tool.directory }

  /// A repository with a base commit of the project's schema and seeds.
  static func with(_ body: (ActionRepository) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      tool.environment = [
        "GITHUB_WORKSPACE": folder, "RUNNERS": "\(folder)/../\(UUID().uuidString)",
        "GITHUB_STEP_SUMMARY": "\(folder)/summary.md", "GITHUB_OUTPUT": "\(folder)/output",
        "SCHEMAS": "schema/celestra.ckdb", "BASE": "HEAD",
      ]
      let repository = ActionRepository(tool: tool)
      try await repository.shell(
        """
        mkdir "$RUNNERS"; git init -q -b main; git config user.name t; git config user.email t@example.invalid
        printf '.git\\nsummary.md\\noutput\\n*.sqlite*\\nready-*\\ncelestra-*\\n' > .gitignore
        """)
      try await repository.commit()
      try await body(repository)
      try await repository.shell("rm -rf \"$RUNNERS\"")
    }
  }

  func shell(_ line: String) async throws {
    let outcome = try await tool.shell("set -e; \(line)")
    try #require(outcome.status == 0, "\(line): \(outcome.out)\(outcome.err)")
  }

  func commit() async throws { try await shell("git add -A; git commit -qm change") }

  func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
  }

  func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
  }

  /// A step on a fresh runner, whose commit is the checkout's.
  func step(_ name: String, _ environment: [String: String] = [:]) async throws -> Tool.Outcome {
    var tool = tool
    tool.environment.merge(environment) { $1 }
    return try await tool.shell(
      """
      export RUNNER_TEMP="$RUNNERS/$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"; mkdir "$RUNNER_TEMP"
      export GITHUB_SHA="${GITHUB_SHA-$(git rev-parse HEAD)}"; '\(Self.steps)/\(name)'
      """)
  }
}

extension ActionRepository {
  /// A plan, as the job that plans gives it to the job that applies.
  struct Plan {
    var folder: String
    let changes: String
    let digest: String
    let markdown: String

    /// What the workflow gives to the step that applies the plan.
    var variables: [String: String] { ["PLAN_FOLDER": folder, "PLAN_DIGEST": digest] }
  }

  /// The repository as its jobs see it that reach an emulator with the schema of a file, while `body` runs.
  func withContainer(
    schema: String = "DEFINE SCHEMA", seeds: String = "seeds", options: [String] = [],
    _ body: (ActionRepository) async throws -> Void
  ) async throws {
    try write(schema, "celestra-served.ckdb")
    try await withEmulator(
      for: tool, file: "service.sqlite", schema: "celestra-served.ckdb", options: options
    ) { pointed in
      var job = self
      job.tool = pointed
      job.tool.environment.merge([
        "CLOUDKIT_CONTAINER_ID": "iCloud.demo.celestra", "CLOUDKIT_ENVIRONMENT": "development",
        "SEEDS": seeds,
      ]) { $1 }
      job.tool.environment["CELESTRA_ADMIN_CONTAINER"] = nil
      try await body(job)
    }
  }

  /// Runs the step that plans; its outputs and its page.
  func plan(_ environment: [String: String] = [:]) async throws -> Plan {
    let folder = "celestra-plan-\(UUID().uuidString)"
    try write("", "output")
    let outcome = try await step("plan", environment.merging(["PLAN_FOLDER": folder]) { $1 })
    try #require(outcome.status == 0, "\(outcome.out)\(outcome.err)")
    let outputs = try text("output").split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
    func output(_ name: Substring) throws -> String {
      String(try #require(outputs.first { $0.first == name }?.last))
    }
    return Plan(
      folder: folder, changes: try output("changes"), digest: try output("digest"),
      markdown: try text("\(folder)/plan.md"))
  }

  /// Applies a plan; `approved` as the approval of a reviewer says.
  func apply(_ plan: Plan, approved: Bool = false, _ environment: [String: String] = [:]) async throws
    -> Tool.Outcome
  {
    let variables = plan.variables.merging(["APPROVED": String(approved)]) { $1 }
    return try await step("apply", variables.merging(environment) { $1 })
  }

  /// The number of records that the served container has of a type; `nil` if it does not have the type.
  func count(_ recordType: String) async throws -> Int? {
    let outcome = try await tool.run([
      "records", "count", recordType, "--container", "local:service.sqlite", "--environment", "development",
      "--format", "json",
    ])
    guard outcome.status == 0 else { return nil }
    let document = try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) as? [String: Any]
    return (document?["result"] as? [String: Any])?["count"] as? Int
  }
}
