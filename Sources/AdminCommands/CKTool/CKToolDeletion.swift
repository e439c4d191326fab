internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records

struct CKToolDeleteRecord: CKToolCommand {
  static let title = "cktool delete-record"
  static let configuration = CommandConfiguration(
    commandName: "delete-record", abstract: "Delete one record by its name.",
    discussion: """
      Example:
        celestra-admin cktool delete-record --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-name NAME
      """)

  @OptionGroup var database: CKToolDatabase
  @Option(help: "The record's name.") var recordName: String
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

  var place: CKToolTarget { database.place }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let container = try await context.container(writing: true)
    let outcome = try await container.lookup(LookupRequest([recordName], desiredKeys: [])).first
    if let error = outcome?.error { throw error }
    try context.confirmLikeCKTool("Delete \(recordName) for good?", yes: yes)
    let changes = [outcome?.record].compactMap { $0.map(RecordChange.init(deleting:)) }
    return CKToolDeletionReport(
      try await context.apply(
        changes, to: container, schema: try await context.schemaIfAvailable(), policy: .refuse,
        command: CKToolDeleteRecord.title))
  }
}

struct CKToolDeleteRecords: CKToolCommand {
  static let title = "cktool delete-records"
  static let configuration = CommandConfiguration(
    commandName: "delete-records", abstract: "Count the records that match every filter, or delete them.",
    discussion: """
      Example:
        celestra-admin cktool delete-records --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-type Note --filters "title == Hello" --dry-run false
      """)

  @OptionGroup var database: CKToolDatabase
  @OptionGroup var selection: CKToolSelection
  @Option(help: "false to delete; otherwise they are only counted.") var dryRun = true
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

  var place: CKToolTarget { database.place }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let container = try await context.container(writing: !dryRun)
    var changes: [RecordChange] = []
    try await container.forEachPage(of: selection.query(context), desiredKeys: []) { page in
      changes += page.records.map(RecordChange.init(deleting:))
    }
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

/// The result of a deletion, in the words of Apple's tool.
private struct CKToolDeletionReport: Report {
  private let changes: ChangeReport

  init(_ changes: ChangeReport) { self.changes = changes }

  var status: ExitStatus { changes.status }
  var failure: CommandFailure? { changes.failure }
  var json: JSONValue { ["deleted": JSONValue(changes.applied)] }

  func text(_ style: Style) -> PrintableText {
    "deleted records: \(changes.applied + changes.alreadyApplied)\n"
  }
}
