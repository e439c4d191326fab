internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import HTTPTransport
internal import RecordChanges
internal import Synchronization

struct HealthCheckCommand: AdminCommand {
  static let title = "health check"
  static let formats: [OutputFormat] = [.text, .json, .jsonl, .markdown, .junit]
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Fetch the feeds that are due, assess them, and record the result.",
    discussion: """
      Asks politely: one request at a time to a host, with what the server said last time, and not before it wants \
      to be asked again. A feed is called down only after a second look, and when half of all hosts cannot be \
      reached the fault is taken to be ours: nothing is written.

      Times are written as 30s, 5m or 2h. Where degraded and down begin, and whether robots.txt is obeyed, is \
      configured: see 'health' in Documentation/Operators.md.

      Example: celestra-admin health check -q --budget 30m --fail-on down
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseArguments
  @Option(help: ArgumentHelp("Only feeds of this category.", valueName: "slug")) var category: String?
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Only these feeds: record names or URLs.", valueName: "feed")
  )
  var only: [String] = []
  @Option(help: ArgumentHelp("Hosts asked at the same time.", valueName: "n")) var concurrency = 256
  @Option(help: ArgumentHelp("Requests to one host at the same time.", valueName: "n")) var perHost = 1
  @Option(
    help: ArgumentHelp("For one feed, redirects included. Default: 30s.", valueName: "time"),
    transform: DurationText.parse)
  var timeout: Duration?
  @Option(
    help: ArgumentHelp("For the whole run; what is left is checked next time.", valueName: "time"),
    transform: DurationText.parse)
  var budget: Duration?
  @Option(help: ArgumentHelp("End with status 3 when a feed is degraded or down.", valueName: "status"))
  var failOn: FailureLevel?
  @Flag(help: "Let feeds lead to private addresses: for tests and intranets.") var allowPrivateAddresses =
    false
  @Flag(help: "Check feeds that are not due, too.") var force = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<HealthCheckCommand>

  /// Each has a connection: more than any system lets a process have.
  private static let maxHosts = 20_000

  func validate() throws {
    guard (1...HealthCheckCommand.maxHosts).contains(concurrency), (1...concurrency).contains(perHost) else {
      throw ValidationError(
        "--concurrency must be 1 to \(HealthCheckCommand.maxHosts), and --per-host 1 to --concurrency"
      )
    }
  }

  func perform(in session: Session) async throws -> any Report {
    try session.confirmJob("Record what the checks find in \(session.target.name).", options: mutation)
    let handle = try await session.handle(writing: !mutation.dryRun)
    let check = HealthCheck(
      container: handle.container, transport: try transport(),
      clock: HealthClock(
        now: { session.now }, wait: session.world.wait, waitForContainer: session.waitForContainer),
      options: try options(session), session: try await writing(handle, session))
    let view = try HealthView(session)
    let report = try await check.run(
      onProgress: session.progress(of: HealthCheckCommand.title), onResult: { try view.show($0) })
    return try view.result(of: report, failOn: failOn?.status)
  }

  private func writing(_ handle: ContainerHandle, _ session: Session) async throws -> WriteSession? {
    guard !mutation.dryRun else { return nil }
    var environment = try session.writeEnvironment(
      HealthCheckCommand.title, schema: try await session.knownSchema(handle),
      terms: try lease.terms(session))
    // The feeds are what is counted here.
    environment.progress = { _, _ in }
    return WriteSession(
      WriteJob(HealthCheckCommand.title, kind: .job, lease: .health), container: handle.container,
      environment: environment)
  }

  private func transport() throws -> CurlTransport {
    try CurlTransport(.init(maxConcurrentTransfers: max(concurrency, 1) * max(perHost, 1)))
  }

  private func options(_ session: Session) throws -> HealthOptions {
    var options = HealthOptions()
    try HealthSettings.apply(session.settings, to: &options)
    options.category = category
    options.only = only
    options.force = force
    options.isDryRun = mutation.dryRun
    options.concurrency = concurrency
    options.perHost = perHost
    options.budget = budget
    options.policy.totalTimeout = timeout ?? options.policy.totalTimeout
    options.policy.allowPrivateAddresses = allowPrivateAddresses
    options.policy.userAgent = FetchPolicy.userAgent(
      version: AdminTool.version, contact: try session.settings[.contact])
    return options
  }
}

enum FailureLevel: String, CaseIterable, ExpressibleByArgument, Sendable {
  case degraded, down
  var status: HealthStatus { self == .down ? .down : .degraded }
}
