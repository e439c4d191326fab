internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Records

/// The command `records update`.
struct RecordsUpdate: AdminCommand {
  static let title = "records update"
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change fields of one record.",
    discussion: """
      The file holds an object of the fields to change, as 'records create' takes it. A field that is null is \
      removed; fields that the file does not name keep their values. A record that another client changes meanwhile \
      is not written.

      Example: echo '{"title": "The Verge"}' | celestra-admin records update PublicFeed the-verge --fields-file -
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @Argument(help: "The record's name.") var recordName: String
  @Option(
    help: ArgumentHelp("The fields, as JSON; - reads standard input.", valueName: "file"), completion: .file()
  )
  var fieldsFile: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsUpdate>

  func perform(in context: CommandContext) async throws -> any Report {
    let type = try KnownRecordType(recordType, in: await context.schemaIfAvailable())
    let values = try type.values(from: InputFile.source(fieldsFile))
    let handle = try await context.handle(writing: !mutation.dryRun)
    guard
      let edit = try await RecordEdit(updating: recordName, of: recordType, values, in: handle.container)
    else {
      return PlainReport(
        json: ["changes": []], text: "\(recordName) has these values already\n", isConfirmation: true)
    }
    guard !mutation.dryRun else { return edit }
    try await context.confirm(
      "Update the \(recordType) \(recordName) in \(context.target.name).", details: edit.text(.plain),
      options: mutation)
    return FoundRecords([
      try await context.write(
        edit, to: handle.container, schema: context.knownSchema(handle), command: RecordsUpdate.title)
    ])
  }
}
