internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

struct SchemaReset: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      The named risk is data-loss: every record in development is deleted, and nothing restores them. --dry-run shows what would change in the \
      schema and, on containers that can count, how many records of each type would be deleted.

      Example: celestra-admin schema reset --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaReset>

  func perform(in context: CommandContext) async throws -> any Report {
    guard try context.environment == .development else {
      throw CommandFailure.usage("only development can be reset; leave out --environment production")
    }
    let name = try context.target.name
    guard !mutation.dryRun else { return try await context.schemaResetPlan() }
    let schema = try await context.schemaContainer(writing: true)
    _ = try await schema.currentSchema()
    try await context.confirmReset(mutation)
    try await schema.resetSchema()
    return PlainReport(json: ["reset": true], isConfirmation: true) {
      "development of \(name) has production's schema and no records"
    }
  }
}

extension CommandContext {
  /// Asks before development gets production's schema and loses its records, unless a local container has nothing to lose.
  func confirmReset(_ options: some ConfirmationOptions) async throws {
    if try hasLocalContainer, try await schemaResetPlan().isEmpty { return }
    try await confirm(
      "Reset development of \(target.name), deleting all its records.", deleting: .permanent,
      options: options)
  }

  fileprivate func schemaResetPlan() async throws -> SchemaResetPlan {
    let local = try hasLocalContainer ? localContainer() : nil
    let counts = try await local?.store.info().counts.filter {
      $0.environment == .development && $0.records > 0
    }
    return SchemaResetPlan(
      of: try target.name, development: try await schemaContainer().currentSchema(),
      production: try await schemaContainer(environment: .production).currentSchema(),
      records: counts?.map { ($0.recordType, $0.records) })
  }

  func schemaPlan(of wanted: Schema, for schema: any SchemaManager) async throws -> SchemaPlan {
    SchemaPlan(
      target: try target, current: try await schema.currentSchema(), wanted: wanted,
      production: try await production())
  }

  /// Reads a saved plan. Throws if it was made for another container, or if the schema changed since.
  func savedSchemaPlan(_ path: String, for schema: any SchemaManager) async throws -> SchemaPlan {
    let current = try await schema.currentSchema()
    do {
      return try SchemaPlan(
        parsing: InputFile.read(path), for: target, current: current, production: try await production())
    } catch let error as FileFormError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
  }

  /// Holds the lease of seeds, so that no editor's run writes records meanwhile, if there is one: the container has the
  /// record type of leases, and on CloudKit a key for records is configured.
  func holdingSeeds(
    _ command: String, of schema: any SchemaManager, _ lease: LeaseOptions, _ body: () async throws -> Void
  ) async throws {
    let known = try await schema.currentSchema()
    guard known[recordType: LeaseRecord.recordType] != nil, let handle = try await records(beside: schema)
    else { return try await body() }
    let runner = JobRunner(self, handle, writing: true, lease: lease)
    try await runner.write(WritingJob(command, kind: .job, lease: .seed), schema: known) { _ in
      try await body()
    }
  }

  /// Keeps the schema that an import is about to replace, for `history RUN --former-schema`, if there is one. If it cannot
  /// be saved, as on a read-only disk, the import continues with a warning.
  func keepSchema(before plan: SchemaPlan) throws {
    guard !plan.isFirst else { return }
    do {
      let history = try RunHistory(in: StateFolder.open(stateDirectory, making: true))
      try history.keepSchema(before: plan, runID: makeRunID(), at: now)
    } catch {
      warn("cannot save the schema before this import: \(CommandFailure(error).message)")
    }
  }

  /// Production's schema, whose types and fields development cannot remove, `nil` for production itself. It is only
  /// read: to open it for writing would change the file of a container whose plan is refused.
  private func production() async throws -> Schema? {
    guard try environment == .development else { return nil }
    return try await schemaContainer(canBeNew: true, environment: .production).currentSchema()
  }

  /// The records beside an open schema; `nil`, with a note, without a key for them, because a management token is
  /// enough for schemas.
  private func records(beside schema: any SchemaManager) async throws -> ContainerHandle? {
    if let local = schema as? LocalContainer {
      return ContainerHandle(container: local, schema: local, local: local)
    }
    do { return try await openContainer(writing: true) } catch let failure as CommandFailure
      where failure.code == "credential"
    {
      note("note: runs on several machines may overlap: \(failure.message)")
      return nil
    }
  }
}
