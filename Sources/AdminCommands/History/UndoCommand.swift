internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

/// The command `undo`.
struct UndoCommand: AdminCommand {
  static let title = "undo"
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo the changes of a run.",
    discussion: """
      Without RUN it is the last run of this container and environment. Every value is compared with what the run wrote: \
      what another client changed since stays, and is listed. A feed that has subscribers, or that a collection or an \
      editor needs, stays too. The named risk of deleting feeds is subscriber-loss. Health checks and recounts are run \
      again, not undone.

      Example: celestra-admin undo --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Argument(help: "A run's id, or enough of its start or end; see 'history'.") var run: String?
  @Flag(help: "Skip records with any field that was changed since.") var strict = false
  @OptionGroup var place: HistoryFolderOption
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<UndoCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    guard let history = try place.history(context) else { throw UndoError.noRun }
    let runs = try history.runs().compactMap { try? $0.run.get() }
    let handle = try await context.handle(writing: !mutation.dryRun)
    let found = try run.map { try history.run($0) } ?? runs.lastUndoable(in: context.target)
    let schema = try await context.knownSchema(handle)
    let planner = UndoPlanner(container: handle.container, schema: schema, rules: .catalog, isStrict: strict)
    let plan = try await planner.plan(found, undone: runs.undoneRuns)
    guard !mutation.dryRun else { return UndoReport(plan: plan, now: context.now) }
    if !plan.changes.isEmpty {
      try context.confirm(
        "Undo \(found.id) (\(found.command)) in \(context.target.name).",
        details: RecordChangeText.lines(of: plan.changes),
        risks: plan.risks, options: mutation)
    }
    let job = WritingJob(UndoCommand.title, lease: .seed, undoes: found.id)
    let writing = WriteSession(
      job, container: handle.container,
      environment: try context.writeEnvironment(
        UndoCommand.title, schema: schema, terms: try lease.terms(context)))
    return UndoReport(plan, try await writing.apply(plan.changes, policy: .refuse))
  }
}
