internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import RecordChanges

struct HistoryCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the runs that wrote records or changed the schema, newest first, or show one.",
    discussion: """
      Lists the runs in the container; in any, where none is given and the usual one does not exist. The newest is the \
      one that began to write last, which is what 'undo' takes back; its id has the time when its command began. \
      Runs by people can be undone with 'undo RUN'. The history is in the state folder of this machine; --history reads \
      another one, such as an artifact of a CI job. Of records that users may create it keeps no values. A run that is \
      shown also says when each of its records was last changed, in this run or after it, and whether this key did it or \
      another user; never who. It asks the container of the run for that. 'container init' and 'container restore' are \
      not listed.

      Examples:
        celestra-admin history 20260102T030405-9f3a1c
        celestra-admin history --limit 5
      """)

  @Argument(
    help: "A run's id, or enough of its start or end.", completion: CompletionValues.runs(onlyOfPeople: false)
  ) var run: String?
  @Option("Show at most this many runs.", value: "n") var limit: Int?
  @Flag(help: "List the runs in all containers.") var all = false
  @Flag(help: "Print the schema from before the run.") var formerSchema = false
  @OptionGroup var place: HistoryFolderOption
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<HistoryCommand>

  func validate() throws {
    guard limit ?? 1 > 0 else { throw ValidationError("--limit takes a whole number from 1 up") }
    if formerSchema, run == nil { throw ValidationError("--former-schema needs the id of a run") }
    if limit != nil || all, run != nil {
      throw ValidationError("--limit and --all work only for the list of runs, without a run's id")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let history = try place.history(context)
    guard let run else {
      guard !all, let container = try await listedContainer(context) else {
        return try HistoryReport(history, limit: limit)
      }
      let environment = common.environment.map { _ in container.environment }
      return try HistoryReport(history, limit: limit, environment: environment) { run in
        var target = run
        if environment == nil { target.environment = container.environment }
        return target.isSameContainer(as: container)
      }
    }
    guard let history else { throw UnknownRunError(id: run) }
    let found = try history.run(run)
    guard formerSchema else {
      return try history.report(of: found, since: await changes(since: found, context))
    }
    guard let schema = found.schema else {
      throw CommandFailure("the run \(found.id) did not change the schema", code: "no-schema")
    }
    return PlainReport(json: ["schema": .string(schema)]) { ReportBody.document(schema) }
  }

  /// The container whose runs are listed; `nil` for all. Only the option decides about the environment.
  private func listedContainer(_ context: CommandContext) async throws -> ContainerIdentity? {
    if try context.isContainerMissing, common.container == nil { return nil }
    return try await context.identity()
  }

  /// What became of a run's records; `nil` when it was for another container, or when this one cannot be read.
  private func changes(since run: RunRecord, _ context: CommandContext) async -> ChangesSinceRun? {
    guard !run.entries.isEmpty else { return nil }
    do {
      return try await ChangesSinceRun(of: run, in: try await context.openContainer().container)
    } catch {
      context.note("note: the last changes of the records are not known: \(CommandFailure(error).message)")
      return nil
    }
  }
}

struct HistoryFolderOption: ParsableArguments, Sendable {
  @Option("A folder of runs instead of the state folder's.", value: "dir", completion: .directory)
  var history: String?

  /// The history of runs; `nil` if no run has been recorded.
  func history(_ context: CommandContext) throws -> RunHistory? {
    guard let history else { return try RunHistory.existing(in: context.stateDirectory) }
    guard let folder = try RunHistory.existing(at: history) else {
      throw CommandFailure("there is no folder \(history)", code: "unreadable-file")
    }
    return folder
  }
}

struct UndoCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo the changes of a run.",
    discussion: """
      Without RUN it is the run of a person that began to write last in this container and environment; after an undo, \
      or what cannot be undone, such as a moderator's run or a recount that deleted records, RUN is needed. Every value \
      is compared with what the run wrote: what was changed since stays, and is listed (status 5, also of a dry run). A \
      feed that has subscribers, or that a collection or an editor needs, stays too, unless it was so before an undo \
      restored the feed; and so does a record whose slug or address another one has by now. The named risk of deleting a \
      feed that may have readers is subscriber-loss. Without --yes, --no-input deletes nothing. Health checks and other \
      recounts are run again, not undone.

      Examples:
        celestra-admin undo --dry-run
        celestra-admin undo --strict --dry-run
      """)

  @OptionGroup var job: JobOptions
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
      if history.isOfApply(plan.run) {
        writer.lastRun = await LastSeedApply.remembered(in: runner.container)
          .lastRun(afterUndoing: written, own: context.ownValues(), at: context.now)
      }
      if context.isInEmulatorExec { written.undoableRun = nil }
      var report = UndoReport(plan, written)
      report.historyOption = place.history.map { " --history \($0.shellWord)" } ?? ""
      return report
    }
  }
}
