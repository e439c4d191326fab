internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Records

/// The command `records count`.
struct RecordsCount: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Count the records of a type.",
    discussion: """
      CloudKit cannot count: on the service this reads every page, asking for no more than it needs.

      Examples:
        celestra-admin records count PublicFeed --by language
        celestra-admin records count FeedCollection
      """)

  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @Option(
    help: ArgumentHelp("Count for each value of this field.", valueName: "field"),
    completion: CompletionValues.fields)
  var by: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsCount>

  func perform(in context: CommandContext) async throws -> any Report {
    let query = try await context.query(recordType, fields: by.map { [$0] } ?? [])
    return try await RecordCount(of: query, by: by, in: context.container())
  }
}
