internal import CloudKitModel
package import Cryptography
package import Diagnostics
internal import FoundationEssentials
package import WebServicesWire

/// Manages schemas through Apple's `cktool`, which comes with Xcode, instead of the unpublished management API. Its
/// commands, options and outputs are described in its manual page
/// (Documentation/reference/schema-language.md#cktool-commands).
package struct AppleCKTool: RemoteSchemaManager {
  package typealias Outcome = (status: Int32, output: [UInt8], errors: String)

  /// Runs `xcrun` with the arguments, and the variables in addition to those of the process.
  package typealias Run =
    @Sendable (_ arguments: [String], _ variables: [String: String]) async throws -> Outcome

  private let target: ManagementTarget
  private let token: Secret?
  private let polling: SchemaImportPolling
  private let time: any ClientClocks
  private let waits: WaitReporter
  private let run: Run

  /// - Parameter token: passed in the environment, never as an argument; `nil` uses the token saved by Apple's
  ///   tool.
  package init(
    _ target: ManagementTarget, token: Secret?, polling: SchemaImportPolling = SchemaImportPolling(),
    time: any ClientClocks = SystemClock(), waits: WaitReporter = .silent, run: @escaping Run
  ) {
    self.target = target
    self.token = token
    self.polling = polling
    self.time = time
    self.waits = waits
    self.run = run
  }

  /// Import is a call of its own, which gives less of a reason than validation.
  package var importsInOneStep: Bool { false }

  package func exportSchema() async throws -> String {
    let outcome = try await succeed("export-schema", place + environment)
    guard let text = String(validating: outcome.output, as: UTF8.self) else {
      throw failure("export-schema", "its output is not valid UTF-8")
    }
    return text
  }

  package func validateSchema(_ text: String) async throws -> String? {
    let outcome = try await withFile(text) { try await call("validate-schema", place + environment + $0) }
    let words = (String(decoding: outcome.output, as: UTF8.self) + outcome.errors)
    if let verdict = words.firstRange(of: "Schema validation failed:") {
      return words[verdict.upperBound...].trimmingWhitespace
    }
    guard outcome.status == 0 else { throw failure("validate-schema", outcome) }
    return nil
  }

  package func importSchema(_ text: String) async throws {
    _ = try await withFile(text) { try await succeed("import-schema", place + environment + $0) }
    try await polling.waitUntil(self, says: text, time: time, waits: waits)
  }

  package func resetSchema() async throws { _ = try await succeed("reset-schema", place) }

  package func deploySchema() async throws { throw ContainerFailure.consoleDeploys }

  package func teams() async throws -> [TeamsReply.Team] {
    let lines = String(decoding: try await succeed("get-teams", []).output, as: UTF8.self)
    return lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      return TeamsReply.Team(id: parts[0].trimmingWhitespace, name: parts[1].trimmingWhitespace)
    }
  }

  // MARK: - One call

  private var place: [String] { ["--team-id", target.team, "--container-id", target.container] }
  private var environment: [String] { ["--environment", target.environment.rawValue] }

  private func call(_ verb: String, _ options: [String]) async throws -> Outcome {
    try await run(["cktool", verb] + options, token.map { ["CLOUDKIT_MANAGEMENT_TOKEN": $0.exposed] } ?? [:])
  }

  private func succeed(_ verb: String, _ options: [String]) async throws -> Outcome {
    let outcome = try await call(verb, options)
    guard outcome.status == 0 else { throw failure(verb, outcome) }
    return outcome
  }

  /// Writes the schema to a temporary file, because the tool only reads files.
  private func withFile(_ text: String, _ body: (_ options: [String]) async throws -> Outcome) async throws
    -> Outcome
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).ckdb")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    return try await body(["--file", file.path])
  }

  private func failure(_ verb: String, _ outcome: Outcome) -> ContainerFailure {
    let words = outcome.errors.trimmingWhitespace
    let said = words.isEmpty ? "" : ": \(token?.redacted(in: words) ?? words)"
    return failure(verb, "it ended with status \(outcome.status)\(said)")
  }

  private func failure(_ verb: String, _ what: String) -> ContainerFailure {
    ContainerFailure(
      .unusableAnswer, "Apple's cktool \(verb) failed: \(what)",
      hint:
        "Run it directly: xcrun cktool \(verb) --help; its own tokens are kept with xcrun cktool save-token."
    )
  }
}
