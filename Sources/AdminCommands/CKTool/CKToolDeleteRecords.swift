internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records

/// The command `cktool delete-records`.
struct CKToolDeleteRecords: CKToolSubcommand {
  static let title = "cktool delete-records"
  static let configuration = CommandConfiguration(
    commandName: "delete-records", abstract: "Count the records that match every filter, or delete them.",
    discussion: """
      Example:
        celestra-admin cktool delete-records --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-type Note --filters "title == Hello" --dry-run false
      """)

  @OptionGroup var database: CKToolRecordOptions
  @OptionGroup var selection: CKToolQueryOptions
  @Option(help: "false to delete; otherwise they are only counted.") var dryRun = true
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

  var place: CKToolSettings { database.place }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let container = try await context.container(writing: !dryRun)
    let changes = try await RecordChange.deletions(matching: selection.query(context), in: container)
    guard !dryRun else {
      return PlainReport(
        json: ["matching": JSONValue(changes.count)],
        text: "matching records: \(changes.count)\n")
    }
    try context.confirmLikeCKTool("Delete for good, records: \(changes.count)?", yes: yes)
    return CKToolDeletionReport(
      try await context.apply(
        changes, to: container, schema: try await context.schemaIfAvailable(), policy: .refuse,
        command: CKToolDeleteRecords.title))
  }
}
