internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

/// The command `moderation list`.
struct ModerationList: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the reported records that wait for a decision.",
    discussion: """
      A line for each record, with all its reports: how many, by how many people, how old the oldest is, and signals: \
      declared words, reports mostly by one account, a record that is a report, is of another type, is hidden already or \
      does not exist. What is still shown comes first; of that, what has waited for a day, then what has declared words, \
      then what most people reported.

      Example: celestra-admin moderation list --before 20h --fail-on waiting
      """)

  /// What `--fail-on` takes.
  enum FailLevel: String, ExpressibleByArgument, CaseIterable, Sendable { case waiting }

  @Option(
    help: ArgumentHelp(
      "Only records with a report from before this time, or older than this age, such as 20h.",
      valueName: "time"),
    transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @Option(help: ArgumentHelp("End with status 3 when a record is listed.", valueName: "state"))
  var failOn: FailLevel?
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationList>

  var isDryRun: Bool { false }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: false)
    return try await runner.run(WritingJob(Self.title)) { _ in
      let moderation = try await context.moderation(of: runner.handle)
      let now = try await context.now(by: runner.container)
      var queue = try await moderation.namingRole {
        try await ModerationQueue(of: moderation, before: before, at: now)
      }
      queue.failsOnWaiting = failOn != nil
      return queue
    }
  }
}
