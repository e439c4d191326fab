internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

struct RecordsGet: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .jsonl]
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print records by name, slug or address.",
    discussion: """
      Also says when each record was made and last changed, and whether this key did it or another user; never who.

      Example: celestra-admin records get news technology --format json
      """)

  @Argument(help: "The names of records, or their slugs or addresses where the type has them.")
  var recordNames: [String]
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsGet>

  func validate() throws {
    if recordNames.contains("") { throw ValidationError("a record name must not be empty") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.container()
    let names = try await context.recordNames(
      recordNames, in: container, await context.schemaIfAvailable())
    let outcomes = try await container.lookupAll(names)
    return FoundRecords(of: names, outcomes, authors: await ChangeAuthors(of: container))
  }
}

extension CommandContext {
  /// The names of records that are given by their names, or by their slugs or addresses where their type has them.
  func recordNames(_ given: [String], in container: any Container, _ schema: Schema?) async throws -> [String]
  {
    let types = schema?.recordTypes.map(\.name) ?? SeedKind.allCases.map(\.recordType)
    return try await NamedRecord.names(
      given, of: types.map { try KnownRecordType($0, in: schema) }, in: container)
  }
}
