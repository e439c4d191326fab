internal import HTTPTransport

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
    return "\(path)\(signal.pathEnding)?\(query.joined(separator: "&"))"
  }
}

/// The event that a ping reports: start, success or failure of a run (Documentation/Operators.md#pings).
enum MonitoringPingEvent: Sendable, Hashable {
  case start, success, failure
  /// Recorded in the log, without changing the check's state.
  case log

  var pathEnding: String {
    switch self {
    case .start: "/start"
    case .success: ""
    case .failure: "/fail"
    case .log: "/log"
    }
  }

  /// The signal for a run's outcome; `nil` if it is not reported.
  init?(_ verdict: JobRunOutcome.Verdict) {
    switch verdict {
    case .succeeded: self = .success
    case .failed: self = .failure
    case .postponed: self = .log
    case .leftToAnother: return nil
    }
  }
}
