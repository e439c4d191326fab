internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import HTTPTransport
internal import RecordChanges

/// The command `health check`.
struct HealthCheckCommand: MonitoredCommand {
  static let title = "health check"
  static let formats: [OutputFormat] = [.text, .json, .jsonl, .markdown, .junit]
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Fetch the feeds that are due, assess them, and record the result.",
    discussion: """
      Sends one request at a time to a host, with the ETag and date of its last answer, and not before the time that \
      the host asked for. The feeds that have been due longest come first. A feed becomes down only after a second \
      request, or, if it worked lately, after another check an hour later. A page that blocks bots never makes it \
      down. If half of the hosts that worked before cannot be reached, the local network is probably down, and \
      nothing is written.

      With --seeds, the feeds of a seed folder that the container does not have yet are checked, and nothing is \
      recorded.

      Times are written as 30s, 5m or 2h. Settings decide when a feed is degraded or down, and whether robots.txt is \
      obeyed: see 'health' in Documentation/Operators.md.

      Example: celestra-admin health check -q --budget 30m --fail-on down
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @OptionGroup var choices: HealthCheckOptions
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<HealthCheckCommand>

  var isDryRun: Bool { choices.seeds != nil || mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    let records = !isDryRun
    if records {
      try await context.confirmJob(
        "Record what the checks find in \(context.target.name).", options: mutation)
    }
    if context.format == .jsonl { try context.results.open() }
    let handle = try await context.openContainer(writing: records)
    let check = HealthCheck(
      container: handle.container, transport: try choices.transport(), clock: context.healthClock,
      options: try choices.options(context, isDryRun: mutation.dryRun),
      session: records ? try await context.healthSession(handle, lease) : nil)
    let progress = context.progress(of: HealthCheckCommand.title)
    let candidates = try choices.seeds.map { try SeedFeeds(in: $0).candidates }
    let run = try await check.run(candidates: candidates, onProgress: progress, onResults: context.show)
    return HealthRunReport(run, failLevel: choices.failOn?.status, isVerbose: context.common.verbose)
  }
}
