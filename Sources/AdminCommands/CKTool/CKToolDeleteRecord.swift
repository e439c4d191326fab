internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

/// The command `cktool delete-record`.
struct CKToolDeleteRecord: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-record", abstract: "Delete one record by its name.",
    discussion: """
      Example:
        celestra-admin cktool delete-record --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-name NAME
      """)

  @OptionGroup var database: CKToolRecordOptions
  @Option(help: "The record's name.") var recordName: String
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

  var place: CKToolSettings { database.place }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let runner = try await JobRunner(context, writing: true)
    let outcome = try await runner.container.lookup(LookupRequest([recordName], desiredKeys: [])).first
    if let error = outcome?.error { throw error }
    try context.confirmLikeCKTool("Delete \(recordName) for good?", yes: yes)
    let changes = [outcome?.record].compactMap { $0.map(RecordChange.init(deleting:)) }
    let job = WritingJob(CKToolDeleteRecord.title)
    return try await runner.write(job, schema: context.schemaIfAvailable()) { writer in
      CKToolDeletionReport(try await runner.apply(changes, policy: .refuse, through: writer))
    }
  }
}

/// The result of a deletion, in the words of Apple's tool.
struct CKToolDeletionReport: Report {
  private let changes: ChangeReport

  init(_ changes: ChangeReport) { self.changes = changes }

  var status: ExitStatus { changes.status }
  var failure: CommandFailure? { changes.failure }
  var json: JSONValue { ["deleted": JSONValue(changes.applied)] }

  func text(_ style: TerminalStyle) -> PrintableText {
    "deleted records: \(changes.applied + changes.alreadyApplied)\n"
  }
}
