internal import HTTPTransport

/// The address of a check at a service such as healthchecks.io. It is a secret: anyone who knows it can report runs, so
/// no message shows any part of it.
struct PingAddress: Sendable {
  private let url: URLText

  /// `nil` for a text that is not an absolute `http` or `https` address.
  init?(_ text: String) {
    guard let url = URLText(text), !url.hasUserInfo else { return nil }
    self.url = url
  }

  /// Plain http would show the address to the network.
  func isProtected(plainHTTPHosts: Set<String>) -> Bool {
    url.scheme == "https" || url.isLoopback || plainHTTPHosts.contains(url.host)
  }

  /// The address of one signal. The run's id pairs the signals of a run where several runs of a job overlap.
  func text(of signal: PingSignal, run: String) -> String {
    let parts = url.text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    var path = parts[0]
    while path.hasSuffix("/") { path.removeLast() }
    let query = (parts.count > 1 ? [parts[1]] : []) + ["rid=\(run)"]
    return "\(path)\(signal.pathEnding)?\(query.joined(separator: "&"))"
  }
}

/// What a ping reports (https://healthchecks.io/docs/http_api/).
enum PingSignal: Sendable, Hashable {
  case start, success, failure
  /// Noted, without a change of the check's state.
  case log

  var pathEnding: String {
    switch self {
    case .start: "/start"
    case .success: ""
    case .failure: "/fail"
    case .log: "/log"
    }
  }

  /// `nil` for a run that is not reported.
  init?(_ verdict: RunOutcome.Verdict) {
    switch verdict {
    case .succeeded: self = .success
    case .failed: self = .failure
    case .postponed: self = .log
    case .leftToAnother: return nil
    }
  }
}
