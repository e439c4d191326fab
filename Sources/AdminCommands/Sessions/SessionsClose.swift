internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

/// The command `sessions close`.
struct SessionsClose: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Mark live sessions as over whose end has passed.",
    discussion: """
      Sets isActive to 0 in each LiveSession with isActive 1 whose endTime has passed by the service's clock. A session \
      that its host changes meanwhile is left for the next run, and one without endTime stays. Participants are not \
      changed: 'recount participants' counts them. Nothing is deleted, so no risk is named: a session is opened again with \
      'records update LiveSession NAME --set isActive=1'.

      Example: celestra-admin sessions close --before 1h --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Option(
    help: ArgumentHelp(
      """
      Only sessions that ended before this time or longer ago than this age, by the service's clock. Default: all that \
      have ended.
      """,
      valueName: "time"), transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SessionsClose>

  var isDryRun: Bool { mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let closing = SessionClosing(container: runner.container, endedBefore: before ?? .age(.zero))
    try await context.confirmJob(
      "Close the sessions of \(context.target.name) that have ended.", options: mutation)
    let job = WritingJob(Self.title, kind: .job, lease: LeaseName(Self.title))
    return try await runner.run(job) { try await closing.run(through: $0) }
  }
}
