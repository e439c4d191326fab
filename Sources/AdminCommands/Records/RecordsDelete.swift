internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

/// The command `records delete`.
struct RecordsDelete: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete records by name, or those of a type that match filters.",
    discussion: """
      A record that changes meanwhile is not deleted. A name without a record is listed as missing, \
      which is not a failure. The named risks are data-loss, in production, and subscriber-loss for a feed \
      that has readers.

      Examples:
        celestra-admin records delete old-feed older-feed
        celestra-admin records delete PublicArticle --older-than 90d --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Argument(help: "The record names; with --filter or --older-than, the record type.") var names: [String]
  @Option(
    help: ArgumentHelp(
      "Delete the records that match; all conditions must hold. May be repeated.", valueName: "field OP value"
    ))
  var filter: [String] = []
  @Option(
    help: ArgumentHelp("Delete the records created longer ago than this.", valueName: "time"),
    transform: DurationParser.parse)
  var olderThan: Duration?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsDelete>

  private var filters: [String] {
    filter + (olderThan.map { ["___createTime < -\($0.components.seconds)s"] } ?? [])
  }

  func validate() throws {
    if names.contains("") { throw ValidationError("a record name must not be empty") }
    if !filters.isEmpty, names.count != 1 {
      throw ValidationError("--filter and --older-than take one record type, not record names")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let schema = try await context.knownSchema(runner.handle)
    // Records that are named are decided by the caller; those that match filters are decided under the lease.
    let job = WritingJob(RecordsDelete.title, lease: filters.isEmpty ? nil : .seed)
    return try await runner.run(job, schema: schema) { writer in
      let deletion = try await plan(in: runner.container, schema, context)
      context.noteIrreversible(deletion.changes, schema)
      guard let writer else { return deletion }
      try await context.confirm(deletion, mutation)
      return deletion.carriedOut(
        try await runner.apply(deletion.changes, policy: .refuse, through: writer))
    }
  }

  private func plan(
    in container: any Container, _ schema: Schema?, _ context: CommandContext
  ) async throws -> RecordDeletion {
    let deletion =
      filters.isEmpty
      ? try await RecordDeletion(named: names, in: container)
      : try await RecordDeletion(matching: context.query(names[0], filters: filters), in: container)
    var plan = try await deletion.withCascades(
      ReferenceFields(CatalogReferences.all, in: schema), in: container)
    plan.risks = try await .catalog(plan.changes, in: container)
    if try context.losesData(plan, schema) { plan.risks.names.insert(SeedPlanRisk.dataLoss.rawValue) }
    return plan
  }
}

extension CommandContext {
  /// Whether a deletion carries the risk of lost data: in production, and anywhere if records that were not asked for
  /// go with the others and cannot be restored.
  fileprivate func losesData(_ deletion: RecordDeletion, _ schema: Schema?) throws -> Bool {
    guard !deletion.changes.isEmpty else { return false }
    return try target.environment == .production
      || !UserCreatedRecordTypes(schema).irreversible(deletion.cascades).isEmpty
  }

  /// Warns before a deletion that cannot be undone.
  fileprivate func noteIrreversible(_ changes: [RecordChange], _ schema: Schema?) {
    for (type, count) in UserCreatedRecordTypes(schema).irreversible(changes) {
      note(
        "Deleting \(counted(count, "\(type) record")) cannot be undone: users may create such records, so their values are not kept."
      )
    }
  }
}
