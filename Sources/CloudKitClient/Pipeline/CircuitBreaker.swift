internal import CloudKitModel
internal import Platform

/// A circuit breaker: after several failures in a row it stops sending for a while. Then one request probes the
/// service, and its outcome decides whether sending resumes.
final class CircuitBreaker: Sendable {
  /// The number of consecutive failures (no connection, a broken one, 429 or 5xx) that opens the breaker.
  private static let maxFailures = 5
  private static let openTime = Duration.seconds(60)

  /// Whether requests are sent (closed), held back (open), or one is sent as a test (probing).
  private enum State: Sendable {
    case closed(failures: Int)
    case open(until: Duration)
    case probing
  }

  private let time: any ClientClocks
  private let state = AwaitableValue(State.closed(failures: 0))

  init(time: any ClientClocks) { self.time = time }

  /// Asks for permission to send a request. While another request probes the service, waits for its result.
  ///
  /// - Returns: how long the breaker stays open; zero if the request may be sent.
  func admit() async throws -> Duration {
    let now = time.uptime
    return try await state.wait { state -> Duration? in
      switch state {
      case .closed: return Duration.zero
      case .probing: return nil
      case .open(let end) where now < end: return end - now
      case .open:
        state = .probing
        return Duration.zero
      }
    }
  }

  /// How long no request will be sent after further failures, as far as they alone decide it.
  func rest(afterFurtherFailures further: Int) -> Duration {
    switch state.current {
    case .open(let end) where further == 0: max(.zero, end - time.uptime)
    case .probing where further == 0: .zero
    case .closed(let failures) where failures + further < Self.maxFailures: .zero
    case .closed, .open, .probing: Self.openTime
    }
  }

  func succeeded() { state.update { $0 = .closed(failures: 0) } }

  func failed() {
    let end = time.uptime + Self.openTime
    state.update { state in
      switch state {
      case .closed(let failures) where failures + 1 < Self.maxFailures:
        state = .closed(failures: failures + 1)
      case .closed, .probing: state = .open(until: end)
      case .open: break
      }
    }
  }

  /// Records that the request's outcome says nothing about the service. If it was a probe, the next request probes.
  func recordInconclusive() {
    let now = time.uptime
    state.update { state in
      if case .probing = state { state = .open(until: now) }
    }
  }
}
