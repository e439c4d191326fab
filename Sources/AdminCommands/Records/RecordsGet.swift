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
      Also says when each record was made and last changed, and whether this key did it or another user, where the \
      container shows that; never who.

      Example: celestra-admin records get news technology --format json
      """)

  @Argument(
    help: "The names of records, or their slugs or addresses where the type has them.",
    completion: CompletionValues.slugsOfAnyType)
  var recordNames: [String]
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsGet>

  func validate() throws {
    if recordNames.contains("") { throw ValidationError("a record name must not be empty") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.container()
    let schema = try await context.schemaIfAvailable()
    let names = try await context.recordNames(recordNames, for: .get, in: container, schema)
    let outcomes = try await container.lookupAll(names)
    var found = FoundRecords(of: names, outcomes, authors: await ChangeAuthors(of: container))
    if let missing = found.firstMissing {
      found.hint =
        await NamedRecord.question(
          missing, of: try context.namedTypes(schema), besides: recordNames + names, in: container)
        ?? context.mirror.flatMap { $0.advice(toCopy: $0.leftOut) }
    }
    return found
  }
}

extension CommandContext {
  /// The names of records that are given by their names, or by their slugs or addresses where their type has them.
  func recordNames(
    _ given: [String], for command: NamedRecord.Command, in container: any Container, _ schema: Schema?
  ) async throws -> [String] {
    try await NamedRecord.names(
      given, of: namedTypes(schema), for: command, namesOfSlug: recordNames, in: container)
  }

  /// The names that a collection's record may have: its seed's, or the one that the slug gives it. Other types store slugs.
  func recordNames(ofSlug slug: String, _ recordType: String) -> [String] {
    guard SeedKind(recordType: recordType) == .collection else { return [] }
    let seed = nearestCatalog().0.collections.first { $0.slug == slug }
    return [seed?.recordName ?? CatalogRecordNames.collection(slug: slug)]
  }

  fileprivate func namedTypes(_ schema: Schema?) throws -> [KnownRecordType] {
    try (schema?.recordTypes.map(\.name) ?? SeedKind.allCases.map(\.recordType))
      .map { try KnownRecordType($0, in: schema) }
  }
}
