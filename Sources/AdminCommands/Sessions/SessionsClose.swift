internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LiveSessions
internal import RecordChanges

/// The command `sessions close`.
struct SessionsClose: MonitoredCommand {
  static let title = "sessions close"
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Mark live sessions as over whose end has passed.",
    discussion: """
      Sets isActive to 0 in each LiveSession with isActive 1 whose endTime has passed by the service's clock. A session \
      that its host changes meanwhile is left for the next run, and one without endTime stays. Participants are not \
      changed: 'recount participants' counts them.

      Example: celestra-admin sessions close --ended-before 1h --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Option(
    help: ArgumentHelp(
      "Only sessions that ended this long ago. Default: all that have ended.", valueName: "time"),
    transform: DurationParser.parse)
  var endedBefore: Duration?
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SessionsClose>

  var isDryRun: Bool { mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.openContainer(writing: !mutation.dryRun)
    let closing = SessionClosing(
      container: handle.container, endedBefore: endedBefore ?? .zero, now: { context.now })
    guard !mutation.dryRun else { return try await closing.run(through: nil) }
    try await context.confirmJob(
      "Close the sessions of \(context.target.name) that have ended.", options: mutation)
    let session = try context.writeSession(
      Self.title, kind: .job, on: handle.container, schema: try await context.knownSchema(handle),
      lease: LeaseName(Self.title), terms: try lease.terms(context))
    return try await session.run { try await closing.run(through: $0) }
  }
}
