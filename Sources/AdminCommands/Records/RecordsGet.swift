internal import ArgumentParser
internal import CloudKitModel
internal import Diagnostics

struct RecordsGet: AdminCommand {
  static let title = "records get"
  static let formats: [OutputFormat] = [.text, .json, .jsonl]
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print records by name.")

  @Argument(help: "The record names.") var recordNames: [String]
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsGet>

  func validate() throws {
    if recordNames.contains("") { throw ValidationError("a record name must not be empty") }
  }

  func perform(in session: Session) async throws -> CommandResult {
    let outcomes = try await session.container().lookupAll(recordNames)
    let found = FoundRecords(records: outcomes.compactMap(\.record), isComplete: true)
    var result = found.result(style: RecordListing.init)
    let refused = zip(recordNames, outcomes).compactMap { name, outcome in outcome.error.map { (name, $0) } }
    // What a person should hear of first is what is not just absent.
    guard let telling = refused.first(where: { $1.code != .notFound }) ?? refused.first else { return result }
    if session.format != .json {
      for (name, error) in refused { session.world.console.tell("\(name): \(error)\n") }
    }
    var failure = CommandFailure(telling.1)
    failure.message = "\(refused.count) of \(recordNames.count) records not read; \(telling.0): \(telling.1)"
    result.failure = failure
    result.status = failure.status
    if case .object(var object) = result.json {
      object["complete"] = false
      object["missing"] = .array(refused.map { .string($0.0) })
      result.json = .object(object)
    }
    return result
  }
}
