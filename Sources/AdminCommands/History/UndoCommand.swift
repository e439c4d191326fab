internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import RecordChanges

struct UndoCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo the changes of a run.",
    discussion: """
      Without RUN it is the run of a person that began to write last in this container and environment; after an undo, or a run that cannot be undone, such as a moderator's, RUN is needed. Every value is compared with what the run wrote: \
      what was changed since stays, and is listed (status 5, also of a dry run). A feed that has subscribers, or that a \
      collection or an editor needs, stays too, unless it was so before an undo restored the feed; and so does a record \
      whose slug or address another one has by now. The named risk of \
      deleting a feed that may have readers is subscriber-loss. Without --yes, --no-input deletes nothing. Health checks and \
      recounts are run again, not undone.

      Examples:
        celestra-admin undo --dry-run
        celestra-admin undo --strict --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @Argument(
    help: "A run's id, or enough of its start or end; see 'history'.",
    completion: CompletionValues.runs(onlyOfPeople: true))
  var run: String?
  @Flag(help: "Skip records with any field that was changed since.") var strict = false
  @OptionGroup var place: HistoryFolderOption
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<UndoCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    guard let history = try place.history(context) else {
      if let run { throw UnknownRunError(id: run) }
      throw UndoError.noRun
    }
    if let run { try history.requireUndoable(history.run(run)) }
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let here = runner.container.identity
    try history.requireUndoable(history.runToUndo(run, in: here), in: here)
    let schema = try await context.knownSchema(runner.handle)
    let rules = try UndoRules.rules(for: context.feedNames)
    let planner = UndoPlanner(
      container: runner.container, schema: schema, rules: rules, isStrict: strict,
      recentlyCreated: try context.recentlyCreated(rules.unique.map(\.recordType), in: runner.container))
    let job = WritingJob(UndoCommand.title, lease: .seed)
    return try await runner.run(job, schema: schema) { writer in
      var plan = try await planner.plan(run, in: history)
      let loss = try runner.loss(of: plan.changes, by: job, schema, chosenBy: .undo)
      plan.risks.names.formUnion(loss.risks(in: try context.target.environment))
      plan.risks.accepted = mutation.acceptRisk
      guard let writer else { return UndoReport(plan: plan, now: context.now) }
      if !plan.changes.isEmpty {
        try await context.confirm(
          "Undo \(plan.run.id) (\(plan.run.command)) in \(context.target.inWords).",
          details: plan.details, deleting: loss, risks: plan.risks.names, options: mutation)
      }
      var written = try await writer.apply(plan.changes, policy: .refuse, undoing: plan.goal)
      writer.lastRun = await LastSeedApply.remembered(in: runner.container)
        .lastRun(afterUndoing: written, at: context.now)
      if context.isInEmulatorExec { written.undoableRun = nil }
      var report = UndoReport(plan, written)
      report.historyOption = place.history.map { " --history \($0.shellWord)" } ?? ""
      return report
    }
  }
}
