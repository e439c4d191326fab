internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges
internal import Records
internal import SchemaLanguage

struct RecordsDelete: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete records by name or slug, or those of a type that match filters.",
    discussion: """
      A record that changes meanwhile is not deleted. A name without a record is listed as missing, \
      which is not a failure. The named risks are data-loss and subscriber-loss, the latter for a feed that has readers. \
      'undo' restores the records, so data-loss is asked for only in production; but records of types that users may \
      create are not kept in the history, and deleting them needs --yes --accept-risk data-loss in development, too.

      Examples:
        celestra-admin records delete old-feed older-feed
        celestra-admin records delete PublicArticle --before 90d --dry-run
      """)

  @OptionGroup var job: JobOptions
  @Argument(
    help: """
      The names of records, or their slugs or addresses where the type has them; with --filter or --before, the record \
      type.
      """, completion: CompletionValues.slugsOfAnyType) var names: [String]
  @Option(
    "Delete the records that match; all conditions must hold. May be repeated.", value: "field OP value")
  var filter: [String] = []
  @Option(
    "Delete the records created before this time, such as 2026-11-01, or longer ago than this age, such as 30d.",
    value: "time", transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsDelete>

  private var isByFilter: Bool { !filter.isEmpty || before != nil }

  func validate() throws {
    if names.contains("") { throw ValidationError("a record name must not be empty") }
    if isByFilter, names.count != 1 {
      throw ValidationError("--filter and --before take one record type, not record names")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let schema = try await context.knownSchema(runner.handle)
    // Records that are named are decided by the caller; those that match filters are decided under the lease, unless they
    // are leases.
    let isDecidedHere = isByFilter && names != [LeaseRecord.recordType]
    let job = WritingJob(RecordsDelete.title, lease: isDecidedHere ? .seed : nil)
    return try await runner.run(job, schema: schema) { writer in
      var deletion = try await plan(in: runner.container, schema, context)
      if try !lease.terms(context).breaksOthers {
        try await runner.container.requireReleasedLeases(deletedBy: deletion.changes)
      }
      try await noteIrreversible(deletion.changes, in: runner.container, schema, context)
      let loss = try runner.loss(of: deletion.changes, by: job, schema, chosenBy: .caller)
      deletion.risks.names.formUnion(loss.risks(in: try context.target.environment))
      deletion.risks.accepted = mutation.acceptRisk
      guard let writer else { return deletion }
      if !deletion.changes.isEmpty {
        try await context.confirm(
          "Delete \(counted(deletion.changes.count, "record")) from \(context.target.inWords).",
          details: deletion.details, deleting: loss, risks: deletion.risks.names, options: mutation)
      }
      return deletion.carriedOut(
        try await runner.apply(deletion.changes, policy: .refuse, through: writer))
    }
  }

  private func plan(
    in container: any Container, _ schema: Schema?, _ context: CommandContext
  ) async throws -> RecordDeletion {
    var filters = filter
    if let before {
      filters.append("___createTime < \(try await container.clock.certainTime(before: before).iso8601)")
    }
    let deletion =
      isByFilter
      ? try await RecordDeletion(
        matching: context.query(names[0], filters: filters, deletingBy: container.clock),
        in: container)
      : try await RecordDeletion(
        named: context.recordNames(names, for: .delete, in: container, schema), in: container)
    var plan = try await deletion.withCascades(
      ReferenceFields(CatalogReferences.all, in: schema), in: container)
    plan.risks = try await .catalog(plan.changes, in: container, context.feedNames)
    plan.seedLines = context.seedLines(about: plan.changes)
    return plan
  }

  /// Notes how many of the records cannot come back, and how many of them have a report that waits: no moderator can look
  /// at them afterwards.
  private func noteIrreversible(
    _ changes: [RecordChange], in container: some Container, _ schema: Schema?, _ context: CommandContext
  ) async throws {
    let irreversible = UserCreatedRecordTypes(schema).irreversible(changes)
    for (type, count) in irreversible {
      context.note(
        "Deleting \(counted(count, "\(type) record")) cannot be undone: users may create such records, so their values are not kept."
      )
    }
    guard let schema, !irreversible.isEmpty else { return }
    let reports = try context.moderationDeclaration().reports
    guard schema[recordType: reports.recordType] != nil else { return }
    do {
      let waiting = try await reports.waitingTargets(in: container).intersection(changes.map(\.recordName))
      guard !waiting.isEmpty else { return }
      context.note(
        "\(counted(waiting.count, "record")) to delete \(waiting.count == 1 ? "has a report that waits" : "have reports that wait") for a moderator: 'celestra-admin moderation list' shows them."
      )
    } catch let refusal as ServerError where [.accessDenied, .badRequest].contains(refusal.code) {}
  }
}
