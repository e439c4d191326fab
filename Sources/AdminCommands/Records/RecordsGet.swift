internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Records

/// The command `records get`.
struct RecordsGet: AdminCommand {
  static let title = "records get"
  static let formats: [OutputFormat] = [.text, .json, .jsonl]
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print records by name.",
    discussion: """
      Example: celestra-admin records get 5F1C0B7A-category-news --format json
      """)

  @Argument(help: "The record names.") var recordNames: [String]
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsGet>

  func validate() throws {
    if recordNames.contains("") { throw ValidationError("a record name must not be empty") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let outcomes = try await context.container().lookupAll(recordNames)
    return FoundRecords(of: recordNames, outcomes)
  }
}
