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
  static let title = "records delete"
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete records by name, or those of a type that match filters.",
    discussion: """
      A record that changes meanwhile is not deleted. A name without a record is listed as missing, \
      which is not a failure. The named risk, in production, is data-loss.

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
    let handle = try await context.handle(writing: !mutation.dryRun)
    let schema = try await context.knownSchema(handle)
    guard !mutation.dryRun else {
      let deletion = try await plan(in: handle.container, schema, context)
      context.noteIrreversible(deletion.changes, schema)
      return deletion
    }
    // Records that are named are decided by the caller; those that match filters are decided under the lease.
    let session = try context.writeSession(
      RecordsDelete.title, on: handle.container, schema: schema, lease: filters.isEmpty ? nil : .seed,
      terms: try lease.terms(context))
    return try await session.run { writer in
      let deletion = try await plan(in: handle.container, schema, context)
      context.noteIrreversible(deletion.changes, schema)
      try await context.confirm(deletion, schema, mutation)
      return deletion.carriedOut(
        try await context.apply(deletion.changes, policy: .refuse, through: writer))
    }
  }

  private func plan(
    in container: any Container, _ schema: Schema?, _ context: CommandContext
  ) async throws -> RecordDeletion {
    let deletion =
      filters.isEmpty
      ? try await RecordDeletion(named: names, in: container)
      : try await RecordDeletion(matching: context.query(names[0], filters: filters), in: container)
    return try await deletion.withCascades(ReferenceFields(CatalogReferences.all, in: schema), in: container)
  }
}
