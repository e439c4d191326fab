internal import ArgumentParser
internal import CloudKitModel
internal import PositionedJSON
internal import RecordChanges

struct RecordsDelete: AdminCommand {
  static let title = "records delete"
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete records by name.",
    discussion: "A record that somebody changes meanwhile is not deleted. The named risk is data-loss.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record names.") var recordNames: [String]

  func perform(in session: Session) async throws -> CommandResult {
    let container = try await session.container(writing: !mutation.dryRun)
    let found = try await container.lookupAll(recordNames, desiredKeys: [])
    let changes = found.compactMap(\.record).map {
      RecordChange(.delete, recordType: $0.recordType, recordName: $0.recordName, changeTag: $0.changeTag)
    }
    guard !mutation.dryRun else { return result(ChangeReport(results: changes.map { ($0, .notAttempted) })) }
    let isRisky = try session.target.environment == .production
    try session.confirm(
      "Delete \(changes.count) records from \(session.target.name).", risks: isRisky ? ["data-loss"] : [],
      options: mutation)
    return result(
      try await session.apply(changes, to: container, policy: .refuse, command: RecordsDelete.title))
  }

  private func result(_ report: ChangeReport) -> CommandResult {
    let json: JSONValue = [
      "deleted": .integer(Int64(report.applied + report.alreadyApplied)),
      "requested": .integer(Int64(recordNames.count)),
      "remaining": report.remainingJSON, "dryRun": .bool(mutation.dryRun),
    ]
    return CommandResult(of: mutation.dryRun ? ChangeReport() : report, json: json) { _, style in
      mutation.dryRun
        ? "would delete \(report.results.count) of \(recordNames.count) records\n"
        : "deleted \(report.applied) of \(recordNames.count) records\n" + report.remainingText(style)
    }
  }
}
