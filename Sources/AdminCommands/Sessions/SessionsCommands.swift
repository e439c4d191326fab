internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

struct SessionsClose: JobCommand, MonitoredCommand {
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

  @OptionGroup var job: JobOptions
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

struct SessionsPurge: JobCommand, MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "Delete old messages of live sessions.",
    discussion: """
      Deletes each ChatMessage that was created longer ago than sessions.messageLifetime, or before --before, by the \
      service's clock, unless a moderator still has to decide about a report of it. If the service does not state its time, nothing is deleted. A run that is stopped is continued by \
      the next one. It cannot be undone, so the named risk is data-loss.

      Example: celestra-admin sessions purge --before 30d --yes --accept-risk data-loss
      """)

  @OptionGroup var job: JobOptions
  @Option(
    """
    Messages created before this time or longer ago than this age. Default: sessions.messageLifetime.
    """, value: "time", transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @Option("Delete at most this many messages.", value: "n") var limit: Int?
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SessionsPurge>

  func validate() throws {
    guard limit ?? 1 > 0 else { throw ValidationError("--limit takes a number from 1 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let before = try before ?? lifetime(context.settings)
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let purge = MessagePurge(
      container: runner.container, createdBefore: before, reports: try context.moderationDeclaration().reports
    )
    return try await runner.run(purge, of: "old messages", limit: limit, Self.title, mutation)
  }

  private func lifetime(_ settings: Settings) throws -> TimeOrAge {
    guard let age = try settings.duration(.messageLifetime) else {
      throw CommandFailure.usage(
        "how long messages are kept is not set", hint: "Add --before 30d, or set sessions.messageLifetime.")
    }
    return .age(age)
  }
}
