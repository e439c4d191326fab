internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import Records

struct CKToolCreateRecord: CKToolCommand {
  static let title = "cktool create-record"
  static let configuration = CommandConfiguration(
    commandName: "create-record", abstract: "Create one record and print it.",
    discussion: """
      Example:
        celestra-admin cktool create-record --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-type Note --fields-file note.json
      """)

  @OptionGroup var database: CKToolDatabase
  @Option(help: "The record type.") var recordType: String
  @Option(help: "A file with the fields, as JSON.") var fieldsFile: String?
  @Option(help: "The fields, as JSON.") var fieldsJson: String?
  @Flag(help: "Read the fields from standard input.") var fieldsStdin = false
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Files to upload, by the key that an asset field gives.", valueName: "key=path"))
  var assetFiles: [String] = []

  var place: CKToolTarget { database.place }

  func validate() throws {
    let given = [fieldsFile != nil, fieldsJson != nil, fieldsStdin].count { $0 }
    if given > 1 { throw ValidationError("give one of --fields-file, --fields-json and --fields-stdin") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let draft = RecordDraft(
      recordType: recordType, fields: try source().json(RecordRule.invalidJSON), files: try files())
    let client = try context.cloudKitClient()
    let recordName = UUID().uuidString
    let fields = try await client.upload(draft, for: recordName)
    let record = try await context.write(
      RecordEdit(creating: recordType, named: recordName, fields.mapValues { $0 }), to: client,
      schema: context.schemaIfAvailable(), command: CKToolCreateRecord.title)
    let json = record.listingJSON
    return PlainReport(json: json, text: PrintableText(document: json.text(.pretty) + "\n"))
  }

  private func files() throws -> [String: [UInt8]] {
    let pairs = try assetFiles.map { text -> (String, [UInt8]) in
      let pair = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { throw CommandFailure.usage("'\(text)' is not key=path") }
      return (pair[0], try InputFile.read(pair[1]))
    }
    return Dictionary(pairs, uniquingKeysWith: { $1 })
  }

  private func source() throws -> SourceText {
    if let fieldsJson { return SourceText(name: "--fields-json", fieldsJson) }
    if fieldsStdin { return try InputFile.source("-") }
    return try fieldsFile.map(InputFile.source) ?? SourceText(name: "no fields", "{}")
  }
}

/// The record type and filters of the query subcommands.
struct CKToolSelection: ParsableArguments, Sendable {
  @Option(help: "The record type.") var recordType: String
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Conditions; all must hold.", valueName: "field OP value"))
  var filters: [String] = []

  func query(_ context: CommandContext, sorts: [String] = []) async throws -> Query {
    try await context.query(recordType, filters: filters, sorts: sorts, notation: .cktool)
  }
}

struct CKToolQueryRecords: CKToolCommand {
  static let title = "cktool query-records"
  static let configuration = CommandConfiguration(
    commandName: "query-records", abstract: "Print a page of records as JSON.",
    discussion: """
      While there are more, the JSON has a continuationToken for the next call.

      Example:
        celestra-admin cktool query-records --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-type Note --filters "title == Hello" --limit 20
      """)

  @OptionGroup var database: CKToolDatabase
  @OptionGroup var selection: CKToolSelection
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Sort fields; 'field desc' for descending order.", valueName: "field"))
  var sortBy: [String] = []
  @Option(parsing: .upToNextOption, help: ArgumentHelp("The fields to print.", valueName: "field"))
  var requestedFields: [String] = []
  @Option(help: "Print at most this many records.") var limit = ContainerLimits.recordsPerRequest
  @Option(help: "Continuation token from the previous page.") var continuationToken: String?

  var place: CKToolTarget { database.place }

  func validate() throws {
    guard (1...ContainerLimits.recordsPerRequest).contains(limit) else {
      throw ValidationError("--limit takes a whole number from 1 to \(ContainerLimits.recordsPerRequest)")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try database.check(context)
    let request = QueryRequest(
      try await selection.query(context, sorts: sortBy),
      desiredKeys: requestedFields.isEmpty ? nil : requestedFields, resultsLimit: limit,
      continuationMarker: continuationToken)
    let page = try await context.container().query(request)
    var json: JSONObject = ["records": .array(page.records.map(\.listingJSON))]
    json["continuationToken"] = page.continuationMarker.map(JSONValue.string)
    return PlainReport(
      json: .object(json), text: PrintableText(document: JSONValue.object(json).text(.pretty) + "\n"))
  }
}
