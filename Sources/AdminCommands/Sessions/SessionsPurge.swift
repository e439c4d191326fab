internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People

struct SessionsPurge: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "Delete old messages of live sessions.",
    discussion: """
      Deletes each ChatMessage that was created longer ago than sessions.messageLifetime, or before --before, by the \
      service's clock, unless a moderator still has to decide about a report of it. If the service does not state its time, nothing is deleted. A run that is stopped is continued by \
      the next one. It cannot be undone, so the named risk is data-loss.

      Example: celestra-admin sessions purge --before 30d --yes --accept-risk data-loss
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @Option(
    """
    Messages created before this time or longer ago than this age. Default: sessions.messageLifetime.
    """, value: "time", transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @Option("Delete at most this many messages.", value: "n") var limit: Int?
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SessionsPurge>

  var isDryRun: Bool { mutation.dryRun }

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
    guard let setting = try settings.lookup(.messageLifetime) else {
      throw CommandFailure.usage(
        "how long messages are kept is not set", hint: "Add --before 30d, or set sessions.messageLifetime.")
    }
    return .age(try setting.duration(mustBe: "a time such as 30d") { $0 > .zero })
  }
}
