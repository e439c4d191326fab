internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

struct SchemaRehearse: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse", abstract: "Run an app's queries and show what is missing on its screens.",
    discussion: """
      Checks each query as 'schema lint --queries' does without a container, and runs it: missing indexes, rows, truncated and empty screens, what \
      a phrase finds. Status 3 when there is a finding at or above --fail-on. With --seeds, the seeds take the place of the \
      container, and nothing else is needed. A query with "subscription": {"firesOn": ["create"], "desiredKeys": \
      ["title"]} is also a subscription to push messages. Its filters need indexes, a message can contain at most three \
      plain fields, and one with the same record type and events as another is a finding, as is one for each value of a \
      parameter. A query of another app names its schema, a file beside the queries: it is left out where the container \
      has another schema, and with --seeds it is checked against that file.

      Example: celestra-admin schema rehearse schema/app-queries.json --seeds seeds --fail-on error
      """)

  @Argument(help: "The file with the queries, or -.", completion: .file(extensions: ["json"])) var file:
    String
  @Option("Run against the seeds in a folder.", value: "folder", completion: .directory) var seeds: String?
  @Option("error, warning or note. Default: error.", word: "severity")
  var failOn: Diagnostic.Severity = .error
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaRehearse>

  func perform(in context: CommandContext) async throws -> any Report {
    let source = try InputFile.source(file)
    let (queries, findings) = AppScreenQuery.read(source)
    var results = try await QueryRehearsal.configured(context, seeds: seeds).run(queries)
    if seeds != nil {
      // Seeds fill the catalog alone: other apps' screens are checked against their own schema.
      for (index, query) in queries.enumerated() {
        guard let needed = results[index].needsSchema else { continue }
        let path = InputFile.path(needed, beside: file)
        let empty = try await QueryRehearsal.empty(InputFile.source(path), at: context.now)
        results[index] = try await empty.run([query])[0]
      }
    }
    let leftOut = Set(results.compactMap(\.needsSchema))
    let missing = QueryManifest(parsing: source).missingSchemas().filter { leftOut.contains($0.name) }
    return results.report(reading: findings + missing.map { $0.finding }, failOn: failOn)
  }
}

extension QueryRehearsal {
  /// A rehearsal in the configured container, or in one in memory with the seeds. Without a schema that can be read, for
  /// example without a management token, indexes are not checked.
  fileprivate static func configured(_ context: CommandContext, seeds: String?) async throws -> QueryRehearsal
  {
    guard let seeds else {
      let handle = try await context.openContainer()
      context.noteTypesLeftOut()
      let schema = try await handle.schema?.currentSchema()
      if schema == nil {
        context.note(
          "note: fields and indexes are not checked, because the schema cannot be read without a management token"
        )
      }
      return QueryRehearsal(container: handle.container, schema: schema, now: context.now)
    }
    let (catalog, _) = try SeedCatalog.loaded(from: try context.seedFolder(seeds))
    let memory = try LocalContainer.open(.memory)
    try await memory.importSchema(BundledSchema.all[0].text)
    let plan = try await SeedPlanner(container: memory).plan(catalog, at: context.now)
    let report = await ChangeExecutor(container: memory, policy: .refuse).apply(plan.changes)
    guard report.isComplete, plan.conflicts.isEmpty else {
      throw CommandFailure("the seeds cannot be applied to an empty container", code: "bad-seeds")
    }
    return QueryRehearsal(container: memory, schema: try await memory.currentSchema(), now: context.now)
  }

  /// A rehearsal in an empty container with the schema of a file.
  fileprivate static func empty(_ schema: SourceText, at now: Timestamp) async throws -> QueryRehearsal {
    let memory = try LocalContainer.open(.memory)
    try await memory.importSchema(String(decoding: schema.bytes, as: UTF8.self))
    return QueryRehearsal(container: memory, schema: try await memory.currentSchema(), now: now)
  }
}
