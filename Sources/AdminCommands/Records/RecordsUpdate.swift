internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

struct RecordsUpdate: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change fields of one record.",
    discussion: """
      --set gives a field a value of its declared type: a text as it is, a time also as -3h, a list as \
      JSON, a LOCATION as {"latitude": 48.2, "longitude": 16.4}, null to remove it. A reference is the \
      name of a record that exists. The file holds an object of fields, as 'records create' takes it. \
      Other fields keep their values. A record that changes meanwhile is not written. Another host in the \
      address of a feed with readers is the named risk readers-move.

      Examples:
        celestra-admin records update PublicFeed the-verge --set slug=the-verge
        celestra-admin records update PublicFeed the-verge --set 'tags=["news", "tech"]' --set subtitle=null
        echo '{"title": "The Verge"}' | celestra-admin records update PublicFeed the-verge --fields-file -
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @Argument(help: "The record's name, slug or address.", completion: CompletionValues.recordNames)
  var name: String
  @OptionGroup var fields: RecordFieldOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsUpdate>

  func perform(in context: CommandContext) async throws -> any Report {
    let schema = try await context.schemaIfAvailable()
    if let schema, schema[recordType: recordType] == nil, schema[recordType: name] != nil {
      throw NamedRecord.isRecordType(name, beside: [recordType], .update)
    }
    let type = try KnownRecordType(recordType, in: schema)
    let values = try fields.values(type, at: context.now)
    let runner = try await JobRunner(context, writing: !mutation.dryRun)
    let record = try await NamedRecord.find(
      name, type, namesOfSlug: context.recordNames, in: runner.container)
    guard var edit = RecordEdit(record, values) else {
      return PlainReport(
        json: ["changes": []], isConfirmation: true
      ) { "\(name) has these values already" }
    }
    try edit.requireUploads()
    try await context.requireTargets(of: edit, schema, in: runner.container)
    if let warning = context.nearestCatalog().0.driftWarning(of: record, setting: values) {
      context.note("\(warning)")
    }
    edit.risks = try await .catalog([edit.change], in: runner.container, context.feedNames)
    edit.risks.accepted = mutation.acceptRisk
    guard !mutation.dryRun else { return edit }
    try await context.confirm(
      "Update the \(recordType) \(edit.shownName) in \(context.target.inWords).", details: edit.body,
      risks: edit.risks.names, options: mutation)
    return try await runner.save(edit, Self.title)
  }
}

extension CommandContext {
  /// Refuses references to records that the container does not have.
  ///
  /// - Parameter schema: the container's; `nil` if it is not known.
  func requireTargets(of edit: RecordEdit, _ schema: Schema?, in container: any Container) async throws {
    let type = edit.change.recordType
    try await edit.requireTargets(namesOfSlug: recordNames, in: container) { field in
      var target = CatalogReferences.all.first { $0.recordType == type && $0.field == field }?.targets.first
      if target == nil, let parsed = schema?.parsed {
        let known = try parsed.relations(relations(in: [parsed]))
        target = known.first { $0.type == type && $0.field == field }?.target
      }
      guard let target, schema == nil || schema?[recordType: target] != nil else { return nil }
      return try KnownRecordType(target, in: schema)
    }
  }
}

struct RecordFieldOptions: ParsableArguments, Sendable {
  @Option("A field and its value. May be repeated.", value: "field=value") var set: [String] = []
  @Option("The fields, as JSON; - reads standard input.", value: "file", completion: .file())
  var fieldsFile: String?

  func validate() throws {
    if set.isEmpty, fieldsFile == nil {
      throw ValidationError("give --set FIELD=VALUE, or --fields-file FILE")
    }
    if !set.isEmpty, fieldsFile != nil { throw ValidationError("give either --set or --fields-file") }
  }

  /// - Parameter now: what `now` and `-3h` count from.
  func values(_ type: KnownRecordType, at now: Timestamp) throws -> [String: FieldValue?] {
    try fieldsFile.map { try type.values(from: InputFile.source($0)) }
      ?? type.values(assignments: set, now: now)
  }
}

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
  @Argument(help: .hidden) var unexpected: String?
  @OptionGroup var fields: RecordFieldOptions
  @Option("The record's name; a new UUID otherwise.", value: "name") var recordName: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsCreate>

  func validate() throws {
    if let unexpected {
      throw ValidationError("Unexpected argument '\(unexpected)'. A name is given with --record-name")
    }
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
