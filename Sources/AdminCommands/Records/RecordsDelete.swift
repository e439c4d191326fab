internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records

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
    let deletion =
      filters.isEmpty
      ? try await RecordDeletion(named: names, in: handle.container)
      : try await RecordDeletion(
        matching: context.query(names[0], filters: filters), in: handle.container)
    let schema = deletion.changes.isEmpty ? nil : try await context.knownSchema(handle)
    context.noteIrreversible(deletion.changes, schema)
    guard !mutation.dryRun else { return deletion }
    try context.confirm(deletion, mutation)
    return deletion.carriedOut(
      try await context.apply(
        deletion.changes, to: handle.container, schema: schema, policy: .refuse, command: RecordsDelete.title)
    )
  }
}
