internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

struct SessionsClose: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Mark live sessions as over that have ended or that are not used.",
    discussion: """
      Sets isActive to 0 in each LiveSession with isActive 1 whose endTime has passed by the service's clock. With --idle \
      also in those without endTime that were not joined, written in or changed for this long. Participants of each \
      session that is over get isActive 0 and leftAt, and its currentParticipants follows. What an app changes \
      meanwhile is left for the next run. Nothing is deleted, so no risk is named: a session is opened again with \
      'records update LiveSession NAME --set isActive=1'.

      Example: celestra-admin sessions close --idle 2h --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @Option(
    """
    Only sessions that ended before this time or longer ago than this age, by the service's clock. Default: all that \
    have ended.
    """, value: "time", transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @Option(
    "Also sessions without endTime that were not used for this long.", value: "age",
    transform: DurationParser.parse)
  var idle: Duration?
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SessionsClose>

  var isDryRun: Bool { mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let closing = SessionClosing(
      container: runner.container, endedBefore: before ?? .age(.zero), idle: idle,
      settle: try context.settleTime())
    try await closing.check()
    try await context.confirmJob(
      "Close the sessions of \(context.target.inWords) that are over.", options: mutation)
    let job = WritingJob(Self.title, kind: .job, lease: LeaseName(Self.title))
    return try await runner.run(job) { try await closing.run(through: $0) }
  }
}

extension SettingKey {
  static let messageLifetime = SettingKey(
    name: "sessions.messageLifetime", .duration,
    summary: "how long 'sessions purge' keeps a message of a live session")
}
