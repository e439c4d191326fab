internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records

/// The command `records get`.
struct RecordsGet: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .jsonl]
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print records by name.",
    discussion: """
      Also says when each record was made and last changed, and whether this key did it or another user; never who.

      Example: celestra-admin records get news technology --format json
      """)

  @Argument(help: "The record names.") var recordNames: [String]
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsGet>

  func validate() throws {
    if recordNames.contains("") { throw ValidationError("a record name must not be empty") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.container()
    let outcomes = try await container.lookupAll(recordNames)
    return FoundRecords(of: recordNames, outcomes, authors: await ChangeAuthors(of: container))
  }
}
