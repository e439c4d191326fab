internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

struct RecordsQuery: AdminCommand {
  static let formats: [OutputFormat] = [.text, .table, .json, .jsonl, .csv]
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Print the records of a type that match every filter.",
    discussion: """
      A filter is 'field OP value' with one of == != < <= > >= or a CloudKit comparator such as BEGINS_WITH, IN \
      (values separated by commas), LIST_CONTAINS or NEAR (latitude,longitude,meters). Times are written in ISO 8601, \
      or as now, -30d or +2h. System fields go by their stored names, as ___createTime.

      Text and tables show 50 records unless --limit says otherwise; the other formats have no limit of their own.

      Examples:
        celestra-admin records query PublicFeed --filter 'language == de' --sort title --fields title,feedURL
        celestra-admin records query PublicArticle --filter '___createTime < -30d' --format table
      """)

  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @OptionGroup var conditions: FilterOptions
  @Option(
    "Sort field; append :desc for descending order. May be repeated.", value: "field",
    completion: CompletionValues.fields)
  var sort: [String] = []
  @Option(
    "The fields to print, in this order, separated by commas.", value: "names",
    completion: CompletionValues.fields)
  var fields: String?
  @Option("Print at most this many records.", value: "n") var limit: Int?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsQuery>

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a whole number from 1 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let names = fields.map { $0.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty } }
    let query = try await context.query(
      recordType, filters: conditions.filter, sorts: sort, fields: names ?? [])
    return try await context.asking(recordType) {
      try await FoundRecords(
        of: query, columns: names, limit: limit ?? FoundRecords.defaultLimit(for: context.format),
        in: context.container(ownRecords: .noted))
    }
  }
}

struct FilterOptions: ParsableArguments {
  @Option(
    "A condition; all must hold. May be repeated.", value: "field OP value",
    completion: CompletionValues.fields)
  var filter: [String] = []
}

struct RecordsCount: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Count the records of a type that match every filter.",
    discussion: """
      CloudKit cannot count: on the service this reads every page, asking for no more than it needs. Filters are written \
      as for 'records query'.

      Examples:
        celestra-admin records count PublicFeed --by language
        celestra-admin records count FeedMetadata --filter 'healthStatus == down'
      """)

  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @Option("Count for each value of this field.", value: "field", completion: CompletionValues.fields)
  var by: String?
  @OptionGroup var conditions: FilterOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsCount>

  func perform(in context: CommandContext) async throws -> any Report {
    let query = try await context.query(
      recordType, filters: conditions.filter, fields: by.map { [$0] } ?? [])
    return try await context.asking(recordType) {
      try await RecordCount(of: query, by: by, in: context.container())
    }
  }
}

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
