internal import HTTPTransport

/// Sends the start and end of a run to a healthchecks-compatible service. A failed ping never affects the run.
struct MonitoringPing: Sendable {
  /// The maximum time for all attempts of a ping, by which the end of a run may be delayed.
  static let timeLimit = Duration.seconds(10)
  private static let maxAttempts = 5

  /// The option or variable that has the address, for messages.
  let origin: String
  private let address: MonitoringPingURL
  private let run: String
  private let transport: any HTTPTransport
  private let wait: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  /// - run: a random UUID in lower case, which identifies the run.
  /// - wait: waits between attempts.
  init(
    to address: MonitoringPingURL, from origin: String, run: String, transport: any HTTPTransport,
    wait: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.address = address
    self.origin = origin
    self.run = run
    self.transport = transport
    self.wait = wait
  }

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
    case .dns: "the host name has no address"
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

  init?(_ verdict: JobRunOutcome.Verdict) {
    switch verdict {
    case .succeeded: self = .success
    case .failed: self = .failure
    case .postponed: self = .log
    case .leftToAnother: return nil
    }
  }
}
