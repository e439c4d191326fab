internal import ArgumentParser
internal import CloudKitModel

struct RecordsGet: AdminCommand {
  static let title = "records get"
  static let formats: [OutputFormat] = [.text, .json, .jsonl]
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print records by name.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "The record names.") var recordNames: [String]

  func perform(in session: Session) async throws -> CommandResult {
    let outcomes = try await session.container().lookupAll(recordNames)
    let found = FoundRecords(records: outcomes.compactMap(\.record), isComplete: true)
    var result = found.result(style: RecordListing.init)
    for case .failed(let name, let error) in outcomes {
      try session.note("\(name ?? "a record"): \(error)")
      result.status = error.code == .accessDenied ? .denied : .failed
    }
    return result
  }
}
