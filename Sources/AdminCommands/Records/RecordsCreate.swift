internal import ArgumentParser
internal import CloudKitModel
internal import PositionedJSON
internal import RecordChanges

struct RecordsCreate: AdminCommand {
  static let title = "records create"
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create one record from a JSON file of fields.",
    discussion: """
      The file holds an object of fields: plain values of the types that the schema declares, such as \
      {"title": "News", "added": "2026-01-31T12:00:00Z"}, or typed ones as on the wire: \
      {"title": {"value": "News", "type": "STRING"}}.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record type.") var recordType: String
  @Option(help: ArgumentHelp("The fields, as JSON; - reads standard input.", valueName: "file"))
  var fieldsFile: String
  @Option(help: ArgumentHelp("The record's name; the container makes one otherwise.", valueName: "name"))
  var recordName: String?

  func perform(in session: Session) async throws -> CommandResult {
    let fields = try await session.fields(of: recordType, from: fieldsFile)
    guard !mutation.dryRun else {
      return CommandResult(
        json: ["dryRun": true], text: "would create a \(recordType) of \(counted(fields.count, "field"))\n")
    }
    try session.confirm("Create one \(recordType) in \(session.target.name).", options: mutation)
    let operation = RecordOperation(.create, recordType: recordType, recordName: recordName, fields: fields)
    let outcome = try await session.container(writing: true).modify([operation])
    if let error = outcome.first?.error { throw error }
    let records = outcome.compactMap(\.record)
    return FoundRecords(records: records, isComplete: true).result(style: RecordListing.init)
  }
}
