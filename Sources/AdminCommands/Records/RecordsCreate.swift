internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Records

struct RecordsCreate: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create one record.",
    discussion: """
      --set gives a field a value, as in 'records update'. The file holds an object of fields: plain values of the types that the schema declares, such as \
      {"title": "News", "added": "2026-01-31T12:00:00Z"}, or typed ones as on the wire: \
      {"title": {"value": "News", "type": "STRING"}}.

      Examples:
        celestra-admin records create FeedCategory --fields-file category.json
        celestra-admin records create FeedCategory --record-name art --set name=Art --set slug=art
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @OptionGroup var fields: RecordFieldOptions
  @Option("The record's name; a new UUID otherwise.", value: "name") var recordName: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsCreate>

  func validate() throws {
    if let problem = recordName.flatMap(CatalogRecordNames.problem(of:)) { throw ValidationError(problem) }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let schema = try await context.schemaIfAvailable()
    let type = try KnownRecordType(recordType, in: schema)
    let edit = RecordEdit(creating: recordType, named: recordName, try fields.values(type, at: context.now))
    try edit.requireUploads()
    let runner = try await JobRunner(context, writing: !mutation.dryRun)
    if recordName != nil { try await edit.requireUntaken(in: runner.container) }
    try await context.requireTargets(of: edit, schema, in: runner.container)
    guard !mutation.dryRun else { return edit }
    try await context.confirm("Create one \(recordType) in \(context.target.inWords).", options: mutation)
    return try await runner.save(edit, Self.title)
  }
}
