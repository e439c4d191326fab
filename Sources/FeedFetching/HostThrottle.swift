internal import Catalog
package import CloudKitModel
internal import HTTPTransport
internal import Synchronization

/// Spaces the requests to one host, and holds them back while the host asks for a pause.
package final class HostThrottle: Sendable {
  /// When the host may be requested again: by our pause, on a clock that is never set, and by the host's own.
  private struct State {
    var nextStart = Duration.zero
    var blockedUntil: Timestamp?
    /// The feeds of the host whose request it put off.
    var refusing: Set<String> = []
  }

  package let host: String
  private let delay: Duration
  private let patience: Duration
  private let state = Mutex(State())

  package init(host: String, policy: FetchPolicy) {
    self.host = host
    delay = HostName.isLoopback(host) ? .zero : policy.hostDelay
    patience = policy.hostPatience
  }

  /// Reserves the next start time, and returns the time until then; later callers get later ones, apart by the delay. Returns
  /// `nil`, and reserves nothing, while the host asks for a longer pause than the run waits for.
  ///
  /// - Parameter rest: the time that the run has left; `nil` for a run without a budget, which does not wait for a host
  ///   that asks for a long pause.
  package func admit(at now: Timestamp, elapsed: Duration, rest: Duration? = nil) -> Duration? {
    state.withLock { state in
      var pause = max(.zero, state.nextStart - elapsed)
      if let asked = state.blockedUntil?.since(now), asked > pause {
        guard asked <= max(patience, rest ?? .zero) else { return nil }
        pause = asked
      }
      state.nextStart = elapsed + pause + delay
      return pause
    }
  }

  /// `nil` while the host asks for no pause.
  package var blockedUntil: Timestamp? { state.withLock(\.blockedUntil) }

  package func finished(at elapsed: Duration) {
    state.withLock { $0.nextStart = max($0.nextStart, elapsed + delay) }
  }

  /// Records that the host asked for a pause in its answer for this feed. The first such answer holds for that feed
  /// alone, because on a shared host each publisher may have its own limit. After the second feed, the whole host is
  /// paused.
  package func refused(_ feed: String, until moment: Timestamp) {
    state.withLock { state in
      state.refusing.insert(feed)
      guard state.refusing.count > 1 else { return }
      state.blockedUntil = max(state.blockedUntil ?? moment, moment)
    }
  }
}

/// Extracts the host names of feed URLs, by which requests are grouped.
package enum HostName {
  /// The host in lower case, without port; the whole text when it is not a web address.
  package static func of(_ url: String) -> String { WebAddress(url)?.host ?? url }

  /// Scheme, host and port: the scope of a `robots.txt`.
  package static func origin(of url: String) -> String? { WebAddress(url)?.origin }

  /// Whether everyone may reach the host of a web address. Names are not resolved.
  package static func isPublic(_ url: String) -> Bool {
    WebAddress(url).map { IPAddressPolicy.publicOnly.allows(host: $0.host) } ?? false
  }

  /// True for this machine's loopback names and addresses. Names are not resolved.
  package static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || IPNetwork(host)?.isOfThisMachine == true
  }
}
