/// Stops asking a service that does not answer. After some failures in a row nothing is sent for a while; then a
/// single request tries, and its fate decides for all.
final class CircuitBreaker: Sendable {
  struct Settings: Sendable, Hashable {
    /// Failures in a row that open it: no connection, a broken one, 429 or 5xx.
    var failures = 5
    var openFor = Duration.seconds(60)
  }

  enum Admission: Sendable, Hashable {
    case go
    /// Open for so long yet.
    case refused(Duration)
  }

  private enum State: Sendable {
    case closed(failures: Int)
    case open(until: Duration)
    case probing
  }

  private let settings: Settings
  private let time: any ClientTime
  private let state = Monitor(State.closed(failures: 0))

  init(_ settings: Settings, time: any ClientTime) {
    self.settings = settings
    self.time = time
  }

  /// Asks to send one request. While another request probes, its result is waited for.
  func admit() async throws -> Admission {
    let now = time.now
    return try await state.wait { state in
      switch state {
      case .closed: return .go
      case .probing: return nil
      case .open(let end) where now < end: return .refused(end - now)
      case .open:
        state = .probing
        return .go
      }
    }
  }

  func succeeded() { state.update { $0 = .closed(failures: 0) } }

  func failed() {
    let end = time.now + settings.openFor
    state.update { state in
      switch state {
      case .closed(let failures) where failures + 1 < settings.failures:
        state = .closed(failures: failures + 1)
      case .closed, .probing: state = .open(until: end)
      case .open: break
      }
    }
  }

  /// The request ended without saying anything about the service. A probe leaves its place to the next.
  func learnedNothing() {
    let now = time.now
    state.update { state in
      if case .probing = state { state = .open(until: now) }
    }
  }
}
