internal import ArgumentParser
internal import CloudKitClient
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import Records

/// The command `cktool create-record`.
struct CKToolCreateRecord: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "create-record", abstract: "Create one record and print it.",
    discussion: """
      Example:
        celestra-admin cktool create-record --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-type Note --fields-file note.json
      """)

  @OptionGroup var database: CKToolRecordOptions
  @Option(help: "The record type.") var recordType: String
  @Option(help: "A file with the fields, as JSON.") var fieldsFile: String?
  @Option(help: "The fields, as JSON.") var fieldsJson: String?
  @Flag(help: "Read the fields from standard input.") var fieldsStdin = false
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Files to upload, by the key that an asset field gives.", valueName: "key=path"))
  var assetFiles: [String] = []

  var place: CKToolSettings { database.place }

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
    let runner = JobRunner(context, ContainerHandle(container: client), writing: true)
    let record = try await runner.save(
      RecordEdit(creating: recordType, named: recordName, fields.mapValues { $0 }), CKToolCreateRecord.title,
      schema: context.schemaIfAvailable())
    return PlainReport(document: record.listingJSON)
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
