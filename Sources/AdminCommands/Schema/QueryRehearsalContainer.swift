internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

/// The container for a rehearsal of queries: the configured one, or one in memory with the seeds.
struct QueryRehearsalContainer {
  let container: any Container
  /// `nil` if the schema cannot be read, for example without a management token.
  let schema: Schema?

  init(_ context: CommandContext, seeds: String?) async throws {
    guard let seeds else {
      let handle = try await context.openContainer()
      container = handle.container
      schema = try await handle.schema?.currentSchema()
      return
    }
    let (catalog, _) = try SeedCatalog.loaded(from: try context.seedFolder(seeds))
    let memory = try LocalContainer.open(.memory)
    try await memory.importSchema(BundledSchema.all[0].text)
    let plan = try await SeedPlanner(container: memory).plan(catalog, at: context.now)
    let report = await ChangeExecutor(container: memory, policy: .refuse).apply(plan.changes)
    guard report.isComplete, plan.conflicts.isEmpty else {
      throw CommandFailure("the seeds cannot be applied to an empty container", code: "bad-seeds")
    }
    container = memory
    schema = try await memory.currentSchema()
  }

  /// An empty container with the schema of a file.
  init(schema source: SourceText) async throws {
    let memory = try LocalContainer.open(.memory)
    try await memory.importSchema(String(decoding: source.bytes, as: UTF8.self))
    container = memory
    schema = try await memory.currentSchema()
  }

  func rehearse(_ queries: [AppScreenQuery], at now: Timestamp) async throws -> [QueryRehearsalResult] {
    try await QueryRehearsal(container: container, schema: schema, now: now).run(queries)
  }
}
