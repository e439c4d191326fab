internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
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
