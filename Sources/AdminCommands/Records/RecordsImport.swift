internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

struct RecordsImport: AdminCommand {
  static let title = "records import"
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import records from an export.",
    discussion: """
      Records that are equal already are not written; fields a line does not name are left alone. A name that two \
      lines give is refused before anything is written.

      Example: celestra-admin records import catalog.ndjson --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseArguments
  @Argument(help: "The file; - reads standard input.", completion: .file()) var file: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsImport>

  func perform(in session: Session) async throws -> any Report {
    let lines = try RecordLines(file)
    let records = lines.records
    let handle = try await session.handle(writing: !mutation.dryRun)
    let container = handle.container
    let fields = Set(records.flatMap(\.fields.keys)).sorted()
    let existing = try await container.lookupAll(records.map(\.recordName), desiredKeys: fields)
      .map { try $0.found }
    try lines.check(against: existing, try await session.schemaIfAvailable())
    // A lease belongs to the run that holds it, and one of them is this run's.
    let changes = zip(records, existing).filter { $0.0.recordType != CatalogRecordType.adminLease }
      .compactMap { record, existing in
        RecordChange.toward(
          record.fields.mapValues { $0 }, recordType: record.recordType, recordName: record.recordName,
          existing: existing)
      }
    guard !mutation.dryRun else { return result(records.count, changes, nil) }
    try session.confirm(
      "Write \(changes.count) of \(counted(records.count, "record")) to \(session.target.name).",
      options: mutation)
    let report = try await session.apply(
      changes, to: container, schema: try await session.knownSchema(handle), policy: .reapply,
      command: RecordsImport.title, lease: .seed, terms: try lease.terms(session))
    return result(records.count, changes, report)
  }

  private func result(_ read: Int, _ changes: [RecordChange], _ report: ChangeReport?) -> CommandResult {
    let done = report.map { $0.results.filter { $0.outcome == .applied }.map(\.change) } ?? changes
    let creates = done.count { $0.action == .create }
    let updates = done.count - creates
    let unchanged = read - changes.count + (report?.alreadyApplied ?? 0)
    var json: JSONObject = [
      "read": .integer(Int64(read)), "create": .integer(Int64(creates)),
      "update": .integer(Int64(updates)), "unchanged": .integer(Int64(unchanged)),
      "written": .integer(Int64(report?.applied ?? 0)), "remaining": report?.remainingJSON ?? [],
    ]
    if report == nil { json["changes"] = .array(changes.map { .object($0.planJSON()) }) }
    return CommandResult(
      of: (report ?? ChangeReport()).summary, isConfirmation: report != nil || changes.isEmpty,
      json: .object(json)
    ) { _, style in
      let counts = "\(creates) new, \(updates) changed, \(unchanged) unchanged"
      guard let report else {
        return ChangeText.lines(of: changes) + "would import \(counted(read, "record")): \(counts)\n"
      }
      let there = report.isComplete ? "" : "\(done.count + unchanged) of "
      return "imported \(there)\(counted(read, "record")): \(counts)\n"
    }
  }
}
