internal import ArgumentParser
internal import Diagnostics
internal import FoundationEssentials
internal import HTTPTransport
internal import Synchronization

/// Reports one run to monitoring: sends pings and writes the metrics file.
package final class JobRunMonitor: Sendable {
  private let metrics: MetricsFile?
  private let ping: MonitoringPing?
  private let console: Console
  private let version: String
  private let start = Mutex<Task<Void, Never>?>(nil)

  init(metrics: MetricsFile?, ping: MonitoringPing?, console: Console, version: String) {
    self.metrics = metrics
    self.ping = ping
    self.console = console
    self.version = version
  }

  /// Records that the run has begun its work and no longer waits for another run. Further calls have no effect.
  package func workBegan() {
    guard let ping else { return }
    start.withLock { start in
      start =
        start
        ?? Task { [console] in
          if let reason = await ping.send(.start) { Self.warn(.start, ping, reason, console) }
        }
    }
  }

  /// - Parameters:
  ///   - job: the labels of every sample; `nil` if the run's container is not known.
  ///   - waits: where to say that the service does not answer.
  func ended(_ outcome: JobRunOutcome, job: [Metric.Label]?, waits: WaitReporter) async {
    guard let signal = MonitoringPingEvent(outcome.verdict) else { return }
    do {
      try metrics?.write(JobRunMetrics(outcome, job: job, version: version))
    } catch {
      console.writeError("warning: no metrics: \(CommandFailure(error).message)\n")
    }
    guard let ping else { return }
    // Send the end only after the start has been sent.
    let start = start.withLock(\.self)
    await waits.during(Self.wait(for: "start")) { await start?.value }
    let reason = await waits.during(Self.wait(for: "end")) {
      await ping.send(signal, body: outcome.summary)
    }
    if let reason { Self.warn(signal, ping, reason, console) }
  }

  private static func wait(for moment: String) -> Wait {
    Wait("reporting the \(moment) of this run", limit: MonitoringPing.timeLimit)
  }

  private static func warn(
    _ signal: MonitoringPingEvent, _ ping: MonitoringPing, _ reason: String, _ console: Console
  ) {
    let what = signal == .start ? "start" : "end"
    console.writeError(
      "warning: the ping (\(ping.origin)) for the \(what) of this run did not arrive: \(reason)\n")
  }
}

extension JobRunMonitor {
  /// The monitor for the options and the environment. An invalid ping URL is only a warning, because pings must not
  /// stop a job.
  convenience init(_ options: MonitoringOptions, version: String, process: ProcessContext) {
    var ping: MonitoringPing?
    do {
      let variable = SettingKey.pingURL.variable
      ping = try Self.ping(
        options.ping ?? process.environment[variable], from: options.ping == nil ? variable : "--ping",
        process)
    } catch {
      process.console.writeError("warning: no pings: \(CommandFailure(error).message)\n")
    }
    self.init(
      metrics: options.metrics.map(MetricsFile.init), ping: ping, console: process.console, version: version)
  }

  /// - Parameter origin: the option or variable that has the URL, for messages.
  private static func ping(_ text: String?, from origin: String, _ process: ProcessContext) throws
    -> MonitoringPing?
  {
    guard let text, !text.isEmpty else { return nil }
    guard let address = MonitoringPingURL(text) else {
      throw CommandFailure("\(origin) must be an address such as https://hc-ping.com/UUID")
    }
    guard address.isProtected(plainHTTPHosts: process.plainHTTPHosts) else {
      throw CommandFailure(
        "\(origin) must use https, because plain http would reveal it; or name its host in CELESTRA_ADMIN_HTTP_HOSTS"
      )
    }
    let transport = try CurlTransport(.init(proxies: ProxySettings(process.environment)))
    return MonitoringPing(
      to: address, from: origin, run: UUID().uuidString.lowercased(), transport: transport, wait: process.wait
    )
  }
}

/// The options for monitoring a scheduled run, under a heading of their own in help.
package struct MonitoringOptions: ParsableArguments, Sendable {
  private struct Values: ParsableArguments, Sendable {
    @Option(
      help: ArgumentHelp(
        "Write Prometheus metrics of the run to this file. A dry run writes none.", valueName: "file"),
      completion: .file())
    var metrics: String?
    @Option(
      help: ArgumentHelp(
        "Report start and end to this healthchecks-compatible address. Other users of the machine see it in the list of processes; CELESTRA_ADMIN_PING_URL, the default, is not shown there.",
        valueName: "url"))
    var ping: String?
  }
  @OptionGroup(title: "Monitoring") private var values: Values

  package init() {}

  package var metrics: String? { values.metrics }
  package var ping: String? { values.ping }
  package var writesMetrics: Bool { metrics != nil }

  package func validate() throws {
    try InputFile.requireNamed(
      metrics, "--metrics", because: "the time of the last success is read back from it")
    // The message does not repeat the URL, because it is a secret: anyone who knows it can report runs.
    if let ping, MonitoringPingURL(ping) == nil {
      throw ValidationError("--ping takes an address such as https://hc-ping.com/UUID")
    }
  }
}

package protocol MonitoredCommand: AdminCommand {
  var monitoring: MonitoringOptions { get }
  var isDryRun: Bool { get }
  /// The shard of the job, such as `3/8`; `nil` for the whole job.
  func part(in context: CommandContext) throws -> String?
}

extension MonitoredCommand {
  package func part(in context: CommandContext) throws -> String? { nil }
}
