internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import HTTPTransport
internal import RecordChanges

struct HealthCheckCommand: MonitoredCommand {
  static let title = "health check"
  static let formats: [OutputFormat] = [.text, .json, .jsonl, .markdown, .junit]
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Fetch the feeds that are due, assess them, and record the result.",
    discussion: """
      Asks politely: one request at a time to a host, with what the server said last time, and not before it wants \
      to be asked again. What has been due longest comes first. A feed is called down only after a second look, a \
      feed that worked lately only when another check an hour later agrees, and a wall for browsers never makes it \
      down. When half of the hosts that worked cannot be reached the fault is taken to be ours: nothing is written.

      With --seeds, the feeds of a seed folder that the container does not have yet are checked, and nothing is \
      recorded.

      Times are written as 30s, 5m or 2h. Where degraded and down begin, and whether robots.txt is obeyed, is \
      configured: see 'health' in Documentation/Operators.md.

      Example: celestra-admin health check -q --budget 30m --fail-on down
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseArguments
  @OptionGroup var choices: HealthCheckOptions
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<HealthCheckCommand>

  var isRehearsal: Bool { choices.seeds != nil || mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    let records = !isRehearsal
    if records {
      try context.confirmJob("Record what the checks find in \(context.target.name).", options: mutation)
    }
    if context.format == .jsonl { try context.results.open() }
    let handle = try await context.handle(writing: records)
    let check = HealthCheck(
      container: handle.container, transport: try choices.transport(), clock: context.healthClock,
      options: try choices.options(context, isDryRun: mutation.dryRun),
      session: records ? try await writing(handle, context) : nil)
    let progress = context.progress(of: HealthCheckCommand.title)
    let candidates = try choices.seeds.map { try SeedFeeds(in: $0).candidates }
    let run = try await check.run(candidates: candidates, onProgress: progress, onResult: context.show)
    return HealthRunReport(run, failLevel: choices.failOn?.status, isVerbose: context.common.verbose)
  }

  private func writing(_ handle: ContainerHandle, _ context: CommandContext) async throws -> WriteSession {
    var environment = try context.writeEnvironment(
      HealthCheckCommand.title, schema: try await context.knownSchema(handle),
      terms: try lease.terms(context))
    // Count feeds, not records.
    environment.progress = { _, _ in }
    return WriteSession(
      WriteJob(HealthCheckCommand.title, kind: .job, lease: .health), container: handle.container,
      environment: environment)
  }
}

extension CommandContext {
  /// The clock of a health run. Time limits use real time, even if a setting freezes the clock.
  fileprivate var healthClock: HealthClock {
    let started = ContinuousClock.now
    return HealthClock(
      now: { self.now }, elapsed: { ContinuousClock.now - started }, wait: process.wait,
      waitForContainer: waitForContainer)
  }

  /// Writes one result, once it is recorded.
  fileprivate func show(_ result: FeedResult) throws {
    guard format == .jsonl else { return }
    // If the reader has closed the pipe, the check goes on, because its records and exit status still matter.
    do {
      try results.write(line: result.json)
      try results.flush()
    } catch is Console.ClosedPipe {}
  }
}
