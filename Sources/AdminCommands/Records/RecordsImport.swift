internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

struct RecordsImport: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import records from an export.",
    discussion: """
      Records that are equal already are not written; fields that a line does not name keep their values, and one \
      that is null is cleared. The caller becomes the creator of a record that it creates. A name that two lines give, or an asset whose file the record does not have, is refused \
      before anything is written. Another host in the address of a feed with readers is the named risk readers-move.

      Example: celestra-admin records import catalog.ndjson --dry-run
      """)

  @OptionGroup var job: JobOptions
  @Argument(help: "The file; - reads standard input.", completion: .file()) var file: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsImport>

  func perform(in context: CommandContext) async throws -> any Report {
    let schema = try await context.schemaIfAvailable()
    let file = try RecordFile(InputFile.source(file), schema: schema)
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    return try await runner.run(WritingJob(RecordsImport.title, lease: .seed)) { writer in
      var plan = try await RecordImport(file, in: runner.container)
      plan.risks = try await .catalog(plan.changes, in: runner.container, context.feedNames)
      plan.risks.accepted = mutation.acceptRisk
      let new = plan.changes.filter { $0.action == .create }
      if new.contains(where: { schema?[recordType: $0.recordType]?.isMadeByUsers ?? false }) {
        context.note("note: the caller becomes the creator of \(counted(new.count, "new record"))")
      }
      guard let writer else { return plan }
      if !plan.changes.isEmpty {
        try await context.confirm(
          "Write \(plan.changes.count) of \(counted(plan.recordCount, "record")) to \(context.target.inWords).",
          details: plan.risks.affected(by: plan.changes), risks: plan.risks.names, options: mutation)
      }
      return plan.carriedOut(try await runner.apply(plan.changes, policy: .reapply, through: writer))
    }
  }
}

struct RecordsExport: AdminCommand {
  static let formats: [OutputFormat] = [.jsonl]
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write records as lines of JSON that 'records import' reads back.",
    discussion: """
      One line a record: its type, its name and its typed fields, without its creator. Of an asset it has the \
      checksum, not the file, so 'records import' refuses it where the record does not have that file. Without a \
      type, every type of the schema is exported, except Users, which CloudKit does not let anyone query, and \
      AdminLease, which belongs to running jobs.

      Example: celestra-admin records export PublicFeed FeedCollection --output catalog.ndjson
      """)

  @Argument(help: "The record types.", completion: CompletionValues.recordTypes) var recordTypes: [String] =
    []
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsExport>

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.container()
    let types =
      recordTypes.isEmpty
      ? try await context.queryableTypes().filter { $0 != CatalogRecordType.adminLease }
      : Set(recordTypes).sorted()
    try context.results.open()
    for type in types {
      try await context.asking(type) {
        try await container.forEachPage(of: Query(type)) { page in
          for record in page.records { try context.results.write(line: record.portableJSON) }
        }
      }
    }
    return PlainReport()
  }
}
