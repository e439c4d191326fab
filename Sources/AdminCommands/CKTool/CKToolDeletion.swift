internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records

struct CKToolDeleteRecord: CKToolCommand {
  static let title = "cktool delete-record"
  static let configuration = CommandConfiguration(
    commandName: "delete-record", abstract: "Delete one record by its name.")

  @OptionGroup var database: CKToolDatabase
  @Option(help: "The record's name.") var recordName: String
  @Flag(name: .shortAndLong, help: "Do it without asking.") var yes = false

  var place: CKToolTarget { database.place }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let container = try await context.container(writing: true)
    let outcome = try await container.lookup(LookupRequest([recordName], desiredKeys: [])).first
    if let error = outcome?.error { throw error }
    try context.confirmLikeCKTool("Delete \(recordName) for good?", yes: yes)
    let changes = [outcome?.record].compactMap { $0.map(RecordChange.init(deleting:)) }
    return CommandResult.deletion(
      try await context.apply(
        changes, to: container, schema: try await context.schemaIfAvailable(), policy: .refuse,
        command: CKToolDeleteRecord.title))
  }
}

struct CKToolDeleteRecords: CKToolCommand {
  static let title = "cktool delete-records"
  static let configuration = CommandConfiguration(
    commandName: "delete-records", abstract: "Count the records that match every filter, or delete them.")

  @OptionGroup var database: CKToolDatabase
  @OptionGroup var selection: CKToolSelection
  @Option(help: "false to delete; otherwise they are only counted.") var dryRun = true
  @Flag(name: .shortAndLong, help: "Do it without asking.") var yes = false

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
        json: ["matching": .integer(Int64(changes.count))],
        text: "matching records: \(changes.count)\n")
    }
    try context.confirmLikeCKTool("Delete for good, records: \(changes.count)?", yes: yes)
    return CommandResult.deletion(
      try await context.apply(
        changes, to: container, schema: try await context.schemaIfAvailable(), policy: .refuse,
        command: CKToolDeleteRecords.title))
  }
}

extension CommandResult {
  fileprivate static func deletion(_ report: ChangeReport) -> CommandResult {
    CommandResult(of: report.summary, json: ["deleted": .integer(Int64(report.applied))]) { _, style in
      "deleted records: \(report.applied + report.alreadyApplied)\n"
    }
  }
}
