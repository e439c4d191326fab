import Synchronization

/// Counts the requests in progress, from the head until the reply is written or dropped, so that a stop can wait
/// for them.
final class InFlightRequests: Sendable {
  /// Counts as one request until it is deallocated.
  final class Token: Sendable {
    private let requests: InFlightRequests

    fileprivate init(_ requests: InFlightRequests) { self.requests = requests }

    deinit { requests.end() }
  }

  private typealias Waiting = [CheckedContinuation<Void, Never>]
  private let state = Mutex((running: 0, waiting: Waiting()))

  var count: Int { state.withLock { $0.running } }

  func begin() -> Token {
    state.withLock { $0.running += 1 }
    return Token(self)
  }

  private func end() {
    let woken = state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return Waiting() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns once no request is in progress.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.waiting.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
  }
}
