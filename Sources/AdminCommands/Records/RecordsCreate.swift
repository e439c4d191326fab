internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import RecordChanges
internal import SchemaLanguage

struct RecordsCreate: AdminCommand {
  static let title = "records create"
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create one record from a JSON file of fields.",
    discussion: """
      The file holds an object of fields: plain values of the types that the schema declares, such as \
      {"title": "News", "added": "2026-01-31T12:00:00Z"}, or typed ones as on the wire: \
      {"title": {"value": "News", "type": "STRING"}}.
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @Option(
    help: ArgumentHelp("The fields, as JSON; - reads standard input.", valueName: "file"), completion: .file()
  )
  var fieldsFile: String
  @Option(help: ArgumentHelp("The record's name; a new UUID otherwise.", valueName: "name"))
  var recordName: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsCreate>

  func perform(in session: Session) async throws -> any Report {
    let fields = try await session.fields(of: recordType, from: fieldsFile)
    let change = RecordChange.making(recordType, named: recordName, fields)
    let handle = try await session.handle(writing: !mutation.dryRun)
    let container = handle.container
    guard !mutation.dryRun else {
      try await requireUntaken(change, in: container)
      var plan = change.planJSON()
      // A name that is made up is another one next time.
      if recordName == nil { plan["recordName"] = nil }
      return CommandResult(
        json: ["dryRun": true, "changes": [.object(plan)]],
        text: "would create a \(recordType) of \(counted(fields.count, "field"))\n")
    }
    try session.confirm("Create one \(recordType) in \(session.target.name).", options: mutation)
    let record = try await session.create(
      change, in: container, schema: try await session.knownSchema(handle), command: RecordsCreate.title)
    return FoundRecords(records: [record], isComplete: true)
  }

  /// Throws what making the record would be refused with.
  private func requireUntaken(_ change: RecordChange, in container: any Container) async throws {
    let outcome = try await container.lookup(LookupRequest([change.recordName])).first
    guard let record = outcome?.record else { return }
    let isSame = change.fields.allSatisfy { record.fields[$0.key].isSame(as: $0.value.to) }
    guard record.recordType == change.recordType, isSame else {
      throw CommandFailure.taken(change.recordName, "a record of this name is there already")
    }
  }
}

extension Session {
  /// Makes one record and reads it back. Throws why it could not be made.
  func create(
    _ change: RecordChange, in container: any Container, schema: Schema?, command: String
  ) async throws -> Record {
    let report = try await apply([change], to: container, schema: schema, policy: .refuse, command: command)
    switch report.results.first?.outcome {
    case .failed(let error)?: throw error
    case .conflict(let reason)?:
      throw CommandFailure.taken(change.recordName, reason)
    default: if let failure = report.failure { throw failure }
    }
    if report.alreadyApplied > 0 { note("\(change.recordName) is there already, with these fields.") }
    // It is made, whether it can be read back or not: who may create may not be one who may read.
    let outcomes = try? await container.lookup(LookupRequest([change.recordName]))
    if let record = outcomes?.first?.record { return record }
    return Record(
      recordType: change.recordType, recordName: change.recordName,
      fields: change.fields.compactMapValues(\.to))
  }
}

extension CommandFailure {
  fileprivate static func taken(_ recordName: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      "\(recordName) was not made, because \(reason)", code: "conflict",
      hint: "Choose another name, or change that record with 'records import'.")
  }
}

extension RecordChange {
  /// A new record. It gets its name here, so that it is not made twice when an answer is lost.
  static func making(
    _ recordType: String, named recordName: String?, _ fields: [String: FieldValue]
  ) -> RecordChange {
    RecordChange(
      .create, recordType: recordType, recordName: recordName ?? UUID().uuidString.lowercased(),
      fields: fields.mapValues { FieldChange(to: $0) })
  }
}
