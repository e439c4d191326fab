import Synchronization

/// Limits the number of requests a second (token bucket).
final class RequestRateLimiter: Sendable {
  private let perSecond: Double?
  private let state: Mutex<(tokens: Double, at: ContinuousClock.Instant)>

  init(perSecond: Double?) {
    self.perSecond = perSecond
    state = Mutex((max(1, perSecond ?? 1), .now))
  }

  /// `nil` if the request may pass; otherwise the time to wait, in whole seconds, as the service returns it.
  func refusal() -> Duration? {
    guard let perSecond else { return nil }
    let now = ContinuousClock.now
    return state.withLock { state in
      let refill = (now - state.at) / .seconds(1) * perSecond
      state = (min(max(1, perSecond), state.tokens + refill), now)
      guard state.tokens < 1 else {
        state.tokens -= 1
        return nil
      }
      return .seconds(max(1, ((1 - state.tokens) / perSecond).rounded(.up)))
    }
  }
}
