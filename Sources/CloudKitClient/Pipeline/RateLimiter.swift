import Synchronization

/// Spaces requests evenly, all tasks together: each takes the next free moment and waits for it.
final class RateLimiter: Sendable {
  private let interval: Duration
  private let time: any ClientTime
  private let nextFree = Mutex(Duration.zero)

  /// - Parameter perSecond: `nil` sets no limit.
  init(perSecond: Double?, time: any ClientTime) {
    interval = perSecond.map { .nanoseconds(Int64(1_000_000_000 / $0)) } ?? .zero
    self.time = time
  }

  /// Returns when the caller may send. Throws when its task is cancelled; the moment it took then stays unused.
  func takeTurn() async throws {
    let now = time.now
    let turn = nextFree.withLock { next in
      let turn = max(now, next)
      next = turn + interval
      return turn
    }
    if turn > now { try await time.sleep(for: turn - now) }
  }

  /// Keeps every task from sending for so long: the service asked one of them to wait.
  func pause(for duration: Duration) {
    let end = time.now + duration
    nextFree.withLock { $0 = max($0, end) }
  }
}
