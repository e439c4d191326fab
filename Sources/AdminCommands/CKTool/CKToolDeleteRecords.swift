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
    let query = try await selection.query(context)
    guard !dryRun else {
      let count = try await RecordChange.deletions(matching: query, in: container).count
      return PlainReport(json: ["matching": JSONValue(count)], text: "matching records: \(count)\n")
    }
    let session = try context.writeSession(
      CKToolDeleteRecords.title, on: container, schema: try await context.schemaIfAvailable(), lease: .seed)
    return try await session.run { writer in
      let changes = try await RecordChange.deletions(matching: query, in: container)
      try context.confirmLikeCKTool("Delete for good, records: \(changes.count)?", yes: yes)
      return CKToolDeletionReport(try await context.apply(changes, policy: .refuse, through: writer))
    }
  }
}
