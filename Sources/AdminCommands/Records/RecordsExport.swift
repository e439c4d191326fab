internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct RecordsExport: AdminCommand {
  static let formats: [OutputFormat] = [.jsonl]
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write records as lines of JSON that 'records import' reads back.",
    discussion: """
      One line a record: its type, its name and its typed fields, without its creator. Of an asset it has the \
      checksum, not the file, so 'records import' refuses it where the record does not have that file. Without a \
      type, every type of the schema is exported, except Users, which CloudKit does not let anyone query, and \
      AdminLease, which belongs to running jobs.

      Example: celestra-admin records export PublicFeed FeedCollection --output catalog.ndjson
      """)

  @Argument(help: "The record types.", completion: CompletionValues.recordTypes) var recordTypes: [String] =
    []
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsExport>

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.container()
    let types =
      recordTypes.isEmpty
      ? try await context.queryableTypes().filter { $0 != CatalogRecordType.adminLease }
      : Set(recordTypes).sorted()
    try context.results.open()
    for type in types {
      try await context.asking(type) {
        try await container.forEachPage(of: Query(type)) { page in
          for record in page.records { try context.results.write(line: record.portableJSON) }
        }
      }
    }
    return PlainReport()
  }
}
