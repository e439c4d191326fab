internal import CloudKitModel
internal import Synchronization

/// What all requests to one host have in common: the pause between them and the host's wish to be left alone.
final class HostGate: Sendable {
  enum Admission: Sendable, Hashable {
    case after(Duration)
    /// The host asked to be left alone until then.
    case blocked(until: Timestamp)
  }

  private struct State {
    var nextStart: Timestamp?
    var blockedUntil: Timestamp?
  }

  private let delay: Duration
  private let patience: Duration
  private let state = Mutex(State())

  init(host: String, policy: FetchPolicy) {
    delay = HostName.isLoopback(host) ? .zero : policy.hostDelay
    patience = policy.hostPatience
  }

  /// Reserves the next place; whoever asks next comes later by the pause.
  func admit(at now: Timestamp) -> Admission {
    state.withLock { state in
      var start = max(now, state.nextStart ?? now)
      if let blocked = state.blockedUntil, blocked > start {
        guard blocked.since(now) <= patience else { return .blocked(until: blocked) }
        start = blocked
      }
      state.nextStart = start + delay
      return .after(start.since(now))
    }
  }

  func finished(at now: Timestamp) {
    guard delay > .zero else { return }
    state.withLock { $0.nextStart = max($0.nextStart ?? now, now + delay) }
  }

  func block(until moment: Timestamp) {
    state.withLock { $0.blockedUntil = max($0.blockedUntil ?? moment, moment) }
  }
}
