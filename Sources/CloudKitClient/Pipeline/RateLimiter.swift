internal import CloudKitModel
internal import Diagnostics
import Synchronization

/// Limits the rate of requests: spaces the requests of all tasks evenly, by giving each the next free time slot.
final class RateLimiter: Sendable {
  private let interval: Duration
  private let time: any ClientClocks
  private let waits: WaitReporter
  private let nextFree = Mutex(Duration.zero)

  /// - Parameter perSecond: the number of requests a second; `nil` for no limit.
  init(perSecond: Double?, time: any ClientClocks, waits: WaitReporter = .silent) {
    interval = perSecond.map { .nanoseconds(Int64(1_000_000_000 / $0)) } ?? .zero
    self.time = time
    self.waits = waits
  }

  /// Waits until the caller may send. Throws `CancellationError` if its task is cancelled; the time slot then stays
  /// unused.
  func takeTurn() async throws {
    let now = time.uptime
    let turn = nextFree.withLock { next in
      let turn = max(now, next)
      next = turn + interval
      return turn
    }
    guard turn > now else { return }
    let wait = Wait(
      "waiting for the next turn", detail: "waiting for the next turn to send a request", pause: turn - now,
      next: "sending it")
    try await waits.during(wait) { try await time.sleep(for: turn - now) }
  }

  /// Delays all tasks, because the service asked one of them to wait.
  func pause(for duration: Duration) {
    let end = time.uptime + duration
    nextFree.withLock { $0 = max($0, end) }
  }
}
