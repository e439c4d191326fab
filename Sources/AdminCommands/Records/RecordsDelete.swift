internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

struct RecordsDelete: AdminCommand {
  static let title = "records delete"
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete records by name.",
    discussion: """
      A record that changes meanwhile is not deleted. A name without a record is listed as missing, \
      which is not a failure. The named risk, in production, is data-loss.
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record names.") var recordNames: [String]
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsDelete>

  func validate() throws {
    if recordNames.contains("") { throw ValidationError("a record name must not be empty") }
  }

  func perform(in session: Session) async throws -> any Report {
    let handle = try await session.handle(writing: !mutation.dryRun)
    let container = RequestCounter(handle.container)
    let (changes, missing) = try await plan(container)
    let schema = changes.isEmpty ? nil : try await session.knownSchema(handle)
    session.noteIrreversible(changes, schema)
    guard !mutation.dryRun else {
      return result(ChangeReport(results: changes.map { ($0, .notAttempted) }), missing)
    }
    if !changes.isEmpty {
      let isRisky = try session.target.environment == .production
      try session.confirm(
        "Delete \(counted(changes.count, "record")) from \(session.target.name).",
        risks: isRisky ? ["data-loss"] : [], options: mutation)
    }
    let report = try await session.apply(
      changes, to: container, schema: schema, policy: .refuse, command: RecordsDelete.title)
    return result(report, missing)
  }

  /// The records to delete, each once, and the names that no record has.
  private func plan(_ container: some Container) async throws -> (changes: [RecordChange], missing: [String])
  {
    let names = Set(recordNames).sorted()
    var changes: [RecordChange] = []
    var missing: [String] = []
    for (name, outcome) in zip(names, try await container.lookupAll(names, desiredKeys: [])) {
      if let record = try outcome.found {
        changes.append(
          RecordChange(.delete, recordType: record.recordType, recordName: name, changeTag: record.changeTag))
      } else {
        missing.append(name)
      }
    }
    return (changes, missing)
  }

  private func result(_ report: ChangeReport, _ missing: [String]) -> CommandResult {
    let deleted = mutation.dryRun ? 0 : report.applied + report.alreadyApplied
    let requested = report.results.count + missing.count
    var json: JSONObject = [
      "deleted": .integer(Int64(deleted)), "requested": .integer(Int64(requested)),
      "missing": .array(missing.map(JSONValue.string)), "remaining": report.remainingJSON,
      "dryRun": .bool(mutation.dryRun),
    ]
    let changes = report.results.map(\.change)
    if mutation.dryRun { json["changes"] = .array(changes.map { .object($0.planJSON()) }) }
    return CommandResult(
      of: mutation.dryRun ? WriteSummary() : report.summary,
      isConfirmation: missing.isEmpty && (!mutation.dryRun || report.results.isEmpty), json: .object(json)
    ) { _, style in
      let absent = missing.map { name -> PrintableText in
        "  \(style.dim("·")) \(name): there is no such record\n"
      }.joined()
      let all = counted(requested, "record")
      return mutation.dryRun
        ? ChangeText.lines(of: changes) + "would delete \(changes.count) of \(all)\n" + absent
        : "deleted \(deleted) of \(all)\n" + absent
    }
  }
}
