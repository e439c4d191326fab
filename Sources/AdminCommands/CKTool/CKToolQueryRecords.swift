internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Records

/// The command `cktool query-records`.
struct CKToolQueryRecords: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "query-records", abstract: "Print a page of records as JSON.",
    discussion: """
      While there are more, the JSON has a continuationToken for the next call.

      Example:
        celestra-admin cktool query-records --container-id iCloud.com.example.App \\
          --environment development --database-type public --record-type Note --filters "title == Hello" --limit 20
      """)

  @OptionGroup var database: CKToolRecordOptions
  @OptionGroup var selection: CKToolQueryOptions
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Sort fields; 'field desc' for descending order.", valueName: "field"))
  var sortBy: [String] = []
  @Option(parsing: .upToNextOption, help: ArgumentHelp("The fields to print.", valueName: "field"))
  var requestedFields: [String] = []
  @Option(help: "Print at most this many records.") var limit = ContainerLimits.recordsPerRequest
  @Option(help: "Continuation token from the previous page.") var continuationToken: String?

  var place: CKToolSettings { database.place }

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
    return PlainReport(
      document: .object([
        "records": .array(page.records.map(\.listingJSON)),
        "continuationToken": page.continuationMarker.map(JSONValue.string),
      ]))
  }
}
