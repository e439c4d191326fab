internal import ArgumentParser
internal import CloudKitModel
internal import Diagnostics
internal import PositionedJSON
internal import RecordChanges

struct RecordsCreate: AdminCommand {
  static let title = "records create"
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create one record from a JSON file of fields.",
    discussion: """
      The file holds an object of fields, each as on the wire: {"title": {"value": "News", "type": "STRING"}}. \
      Without a type, it is inferred; dates and bytes need one.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record type.") var recordType: String
  @Option(help: ArgumentHelp("The fields, as JSON; - reads standard input.", valueName: "file"))
  var fieldsFile: String
  @Option(help: ArgumentHelp("The record's name; the container makes one otherwise.", valueName: "name"))
  var recordName: String?

  func perform(in session: Session) async throws -> CommandResult {
    let fields = try FieldsFile.read(fieldsFile)
    guard !mutation.dryRun else {
      return CommandResult(
        json: ["dryRun": true], text: "would create a \(recordType) of \(fields.count) fields\n")
    }
    try session.confirm("Create one \(recordType) in \(session.target.name).", options: mutation)
    let operation = RecordOperation(.create, recordType: recordType, recordName: recordName, fields: fields)
    let outcome = try await session.container(writing: true).modify([operation])
    if let error = outcome.first?.error { throw error }
    let records = outcome.compactMap(\.record)
    return FoundRecords(records: records, isComplete: true).result(style: RecordListing.init)
  }
}

/// A JSON file of typed fields.
enum FieldsFile {
  static func read(_ path: String) throws -> [String: FieldValue] {
    let source = try InputFile.source(path)
    do {
      return try Record.fields(JSONValue(parsing: source.bytes))
    } catch let error as JSONSyntaxError {
      throw CommandFailure(
        "\(source.name) is not valid JSON", code: "bad-input",
        diagnostics: [error.diagnostic(in: source, code: "RC0101")])
    } catch let error as FieldValueError {
      throw CommandFailure("\(source.name): \(error.reason)", code: "bad-input")
    }
  }
}
