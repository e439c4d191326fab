package import ArgumentParser
internal import Diagnostics
internal import FoundationEssentials
internal import HTTPTransport
internal import Platform
internal import Synchronization

/// Reports one run to monitoring: sends pings and writes the metrics file.
package final class JobRunMonitor: Sendable {
  /// The path of the metrics file. Each run replaces it atomically, so that a collector never reads an incomplete file.
  private let metrics: String?
  private let ping: MonitoringPing?
  private let console: Console
  private let version: String
  private let start = Mutex<Task<Void, Never>?>(nil)

  /// The monitor for the options and the environment. An invalid ping URL is only a warning, because pings must not
  /// stop a job.
  init(_ options: MonitoringOptions, version: String, process: ProcessContext) {
    metrics = options.metrics
    console = process.console
    self.version = version
    let variable = SettingKey.pingURL.variable
    do {
      ping = try MonitoringPing(
        options.ping ?? process.environment[variable], from: options.ping == nil ? variable : "--ping",
        process)
    } catch {
      ping = nil
      console.writeError("warning: no pings: \(CommandFailure(error).message)\n")
    }
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

  /// - Parameter waits: where to say that the service does not answer.
  func ended(_ outcome: JobRunOutcome, waits: WaitReporter) async {
    guard let signal = outcome.end else { return }
    do {
      try write(JobRunMetrics(outcome: outcome, version: version))
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

  private func write(_ run: JobRunMetrics) throws {
    guard let metrics else { return }
    // Ignore errors: only the time of the last success is read back, and the job must not fail because of it. This tool's
    // files have a few kilobytes.
    let former = try? RegularFile.read(metrics, upTo: 1 << 20)
    try OutputFile.write(run.text(after: former.map { String(decoding: $0, as: UTF8.self) }), to: metrics)
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

/// The options for monitoring a scheduled run.
package struct MonitoringOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Write Prometheus metrics of the run to this file. A dry run writes none.", valueName: "file"),
    completion: .file())
  package var metrics: String?
  @Option(
    help: ArgumentHelp(
      "Report start and end to this healthchecks-compatible address. Other users of the machine see it in the list of processes; CELESTRA_ADMIN_PING_URL, the default, is not shown there.",
      valueName: "url"))
  package var ping: String?

  package init() {}

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

/// Sends the start and end of a run to a healthchecks-compatible service. A failed ping never affects the run.
struct MonitoringPing: Sendable {
  /// The maximum time for all attempts of a ping, by which the end of a run may be delayed.
  static let timeLimit = Duration.seconds(10)
  private static let maxAttempts = 5

  /// The option or variable that has the address, for messages.
  let origin: String
  let address: MonitoringPingURL
  /// A random UUID in lower case, which identifies the run.
  let run: String
  let transport: any HTTPTransport
  let wait: @Sendable (Duration) async throws -> Void

  /// Sends a ping. Returns why it failed, without any part of the URL; `nil` on success.
  func send(_ signal: MonitoringPingEvent, body: String = "") async -> String? {
    let started = ContinuousClock.now
    var reason = "no attempt was made"
    for attempt in 1...Self.maxAttempts {
      let rest = Self.timeLimit - (ContinuousClock.now - started)
      guard rest > .zero else { break }
      let (failure, isTransient) = await attemptToSend(signal, body: body, within: rest)
      guard let failure else { return nil }
      reason = failure
      guard isTransient, attempt < Self.maxAttempts else { break }
      do { try await wait(.milliseconds(250 << (attempt - 1))) } catch { break }
    }
    return reason
  }

  /// The failure without its message, which may name the host.
  private static func words(_ kind: HTTPFailure.Kind) -> String {
    switch kind {
    case .connect: "no connection could be made"
    case .dns: "the host name cannot be resolved"
    case .timeout: "no answer came in time"
    case .tls: "the secure connection failed"
    default: kind.rawValue
    }
  }

  private func attemptToSend(
    _ signal: MonitoringPingEvent, body: String, within limit: Duration
  ) async -> (failure: String?, isTransient: Bool) {
    // Do not follow redirects, which would send the run's summary to a URL that is not configured.
    let request = HTTPRequest(
      "POST", url: address.text(of: signal, run: run), headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Array(body.utf8),
      limits: HTTPLimits(connectTimeout: limit, totalTimeout: limit, maxBodyBytes: 1 << 16))
    do {
      let response = try await transport.send(request)
      if (200..<300).contains(response.status) { return (nil, false) }
      let isTransient = response.status >= 500 || [408, 429].contains(response.status)
      return ("the service replied with status \(response.status)", isTransient)
    } catch {
      return (Self.words(error.kind), error.kind != .cancelled && error.kind != .invalidRequest)
    }
  }
}

extension MonitoringPing {
  /// `nil` without an address. Throws ``CommandFailure`` for one that cannot be used.
  ///
  /// - Parameter origin: the option or variable that has the address, for messages.
  init?(_ text: String?, from origin: String, _ process: ProcessContext) throws {
    guard let text, !text.isEmpty else { return nil }
    guard let address = MonitoringPingURL(text) else {
      throw CommandFailure("\(origin) must be an address such as https://hc-ping.com/UUID")
    }
    guard address.isProtected(plainHTTPHosts: process.plainHTTPHosts) else {
      throw CommandFailure(
        "\(origin) must use https, because plain http would reveal it; or name its host in CELESTRA_ADMIN_HTTP_HOSTS"
      )
    }
    self.init(
      origin: origin, address: address, run: UUID().uuidString.lowercased(),
      transport: try CurlTransport(.init(proxies: ProxySettings(process.environment))), wait: process.wait)
  }
}

/// The URL of a check at a service such as healthchecks.io. It is a secret, because anyone who knows it can report
/// runs; messages never contain any part of it.
struct MonitoringPingURL: Sendable {
  private let url: URLParts

  /// `nil` if the text is not an absolute `http` or `https` URL.
  init?(_ text: String) {
    guard let url = URLParts(text), !url.hasUserInfo else { return nil }
    self.url = url
  }

  /// Whether the connection keeps the URL secret: plain http would show it to the network.
  func isProtected(plainHTTPHosts: Set<String>) -> Bool {
    url.scheme == "https" || url.isLoopback || plainHTTPHosts.contains(url.host)
  }

  /// The URL of a signal. The run's id connects the signals of one run if several runs of a job overlap.
  func text(of signal: MonitoringPingEvent, run: String) -> String {
    let parts = url.text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    var path = parts[0]
    while path.hasSuffix("/") { path.removeLast() }
    let query = (parts.count > 1 ? [parts[1]] : []) + ["rid=\(run)"]
    return "\(path)\(signal.rawValue)?\(query.joined(separator: "&"))"
  }
}

/// The event that a ping reports: start, success or failure of a run (Documentation/Operators.md#pings).
/// The raw values are the ends of the URL's path.
enum MonitoringPingEvent: String {
  case start = "/start"
  case success = ""
  case failure = "/fail"
  /// Recorded in the log, without changing the check's state.
  case log = "/log"
}
