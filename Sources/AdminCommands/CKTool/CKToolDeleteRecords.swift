internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records

/// The command `cktool delete-records`.
struct CKToolDeleteRecords: CKToolSubcommand {
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
    let runner = try await JobRunner(context, writing: !dryRun)
    let query = try await selection.query(context)
    let schema = dryRun ? nil : try await context.schemaIfAvailable()
    let job = WritingJob(CKToolDeleteRecords.title, lease: .seed)
    return try await runner.run(job, schema: schema) { writer -> any Report in
      let changes = try await RecordChange.deletions(matching: query, in: runner.container)
      guard let writer else {
        return PlainReport(
          json: ["matching": JSONValue(changes.count)], text: "matching records: \(changes.count)\n")
      }
      try context.confirmLikeCKTool("Delete for good, records: \(changes.count)?", yes: yes)
      return CKToolDeletionReport(try await runner.apply(changes, policy: .refuse, through: writer))
    }
  }
}
