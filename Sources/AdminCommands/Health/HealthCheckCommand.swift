internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

struct HealthCheckCommand: MonitoredCommand {
  static let formats: [OutputFormat] = [.text, .json, .jsonl, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Fetch the feeds that are due, assess them, and record the result.",
    discussion: """
      Sends one request at a time to a host, with the ETag and date of its last answer, and not before the time that \
      the host asked for. The feeds that have been due longest come first. A feed becomes down only after a second \
      request, or, if it worked lately, after another check an hour later. A server that refuses us makes it down only \
      after 30 days. If nearly all hosts that worked before fail in one way, such as without an answer of a name server, \
      without a connection, or with the same page, our own network is the cause: nothing is written, and the status is 1. \
      The site of a feed that is gone is asked for its feeds, with at most 8 requests; 'seed moves' \
      lists what is proposed.

      With --seeds, the feeds of a seed folder that the container does not have yet are checked, and nothing is \
      recorded.

      Reads only the feeds that are due or have changed, and all feeds at least once a day, and with --fail-on, --metrics, \
      -v or --force. An older schema without the indexes for that is read whole each time.

      --fail-on down looks at the whole catalog after the run, also at feeds that were not due. --fail-on newly-down \
      reports each fall once: feeds that became down since the last run that reported on all feeds, those that began to \
      flap (a second fall within 7 days), and flapping feeds that have been down for 3 days.

      Times are written as 30s, 5m or 2h. Settings decide when a feed is degraded or down, and whether robots.txt is \
      obeyed: see 'health' in 'celestra-admin config list'.

      Examples:
        celestra-admin health check -q --budget 30m --fail-on newly-down
        celestra-admin health check --category science --force
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @OptionGroup var choices: HealthCheckOptions
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<HealthCheckCommand>

  var isDryRun: Bool { choices.seeds != nil || mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.checkHealth(
      as: Self.title, choices, articles: ArticleSettings.optionsOfChecks(context.settings), mutation, lease,
      monitoring)
  }
}
