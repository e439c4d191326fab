internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

struct SchemaReset: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      The named risk is data-loss: every record in development is deleted, and nothing restores them. --dry-run shows what would change in the \
      schema and, on containers that can count, how many records of each type would be deleted.

      Example: celestra-admin schema reset --dry-run
      """)

  @OptionGroup var job: JobOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaReset>

  func perform(in context: CommandContext) async throws -> any Report {
    guard try context.environment == .development else {
      throw CommandFailure.usage("only development can be reset; leave out --environment production")
    }
    guard !mutation.dryRun else {
      var plan = try await context.schemaResetPlan(
        of: context.schemaContainer().currentSchema())
      plan.accepted = mutation.acceptRisk
      return plan
    }
    try await context.resetSchema(Self.title, mutation, lease)
    let name = try context.target.name
    return PlainReport(json: ["reset": true], isConfirmation: true) {
      "development of \(name) has production's schema and no records"
    }
  }
}

extension CommandContext {
  /// Gives development production's schema, and deletes its records, while it holds the leases of all jobs, which are among
  /// these. Asks before, unless a local container has nothing to lose.
  func resetSchema(
    _ command: String, _ options: some ConfirmationOptions, _ lease: LeaseOptions? = nil
  ) async throws {
    let schema = try await schemaContainer(writing: true)
    let former = try await schema.currentSchema()
    let plan = try await schemaResetPlan(of: former)
    if plan.isEmpty { return try await schema.resetSchema() }
    func confirmed() async throws {
      try await confirm(
        "Reset development of \(target.name), deleting all its records.", details: plan.details,
        deleting: .permanent, options: options)
    }
    // What is refused here leaves no locks behind.
    let asksLater = canAsk && !options.yes
    if !asksLater { try await confirmed() }
    func reset(_ check: () async throws -> Void) async throws {
      if asksLater { try await confirmed() }
      try await check()
      try await changing(schema, from: former, in: command, deleting: plan.recordCount) {
        try await schema.resetSchema()
      }
    }
    guard former[recordType: LeaseRecord.recordType] != nil, let handle = try await records(beside: schema)
    else { return try await reset {} }
    let runner = JobRunner(self, handle, writing: true, lease: lease)
    try await runner.allJobsLease(command, in: [(handle.container, former)]).run(deletesLeases: true, reset)
  }

  fileprivate func schemaResetPlan(of development: Schema) async throws -> SchemaResetPlan {
    let local = try hasLocalContainer ? localContainer() : nil
    let counts = try await local?.store.info().counts.filter {
      $0.environment == .development && $0.records > 0
    }
    return SchemaResetPlan(
      of: try target.name, development: development,
      production: try await schemaContainer(environment: .production).currentSchema(),
      records: counts?.map { ($0.recordType, $0.records) })
  }

  func schemaPlan(of wanted: Schema, for schema: any SchemaManager) async throws -> SchemaPlan {
    SchemaPlan(
      target: try await identity(), current: try await schema.currentSchema(), wanted: wanted,
      production: try await production())
  }

  /// Reads a saved plan. Throws if it was made for another container, or if the schema changed since.
  func savedSchemaPlan(_ path: String, for schema: any SchemaManager) async throws -> SchemaPlan {
    let current = try await schema.currentSchema()
    do {
      return try SchemaPlan(
        parsing: InputFile.read(path), for: try await identity(), current: current,
        production: try await production())
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

  /// Changes a container's schema, and lists that in the history with the schema before, or as refused. Where it cannot be
  /// listed, as on a read-only disk, the change is made with a warning.
  ///
  /// - Parameters:
  ///   - environment: the environment whose schema changes, if not that of the settings.
  ///   - deleted: how many records the change deletes; `nil` if that is not known.
  func changing(
    _ schema: any SchemaManager, from former: Schema, in command: String, environment: Environment? = nil,
    deleting deleted: Int? = 0, _ body: () async throws -> Void
  ) async throws {
    if case .memory = try location { return try await body() }
    var target = if let local = schema as? LocalContainer { local.identity } else { try await identity() }
    target.environment = environment ?? target.environment
    let listed = listing {
      let history = try RunHistory(in: StateFolder.open(stateDirectory, making: true))
      return (
        history, try history.startChange(of: former, by: command, in: target, runID: makeRunID(), at: now)
      )
    }
    func end(deleted: Int?, isRefused: Bool = false) {
      guard let (history, run) = listed else { return }
      listing { try history.end(run, at: now, deleted: deleted, isRefused: isRefused) }
    }
    do { try await body() } catch {
      if Self.wroteNothing(error) { end(deleted: 0, isRefused: true) }
      throw error
    }
    end(deleted: deleted)
  }

  /// Whether the error shows that the schema is the one before. A reply that never came does not.
  private static func wroteNothing(_ error: any Error) -> Bool {
    switch error {
    case let refusal as ServerError: refusal.code != .internalError && !refusal.mayFollowSuccess
    case let failure as ContainerFailure: failure.wroteNothing
    default: false
    }
  }

  @discardableResult
  private func listing<Result>(_ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      warn("cannot list this change of the schema in the history: \(CommandFailure(error).message)")
      return nil
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
