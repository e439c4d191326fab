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

/// What a request of a client has waited for, and how to say what it waits for next.
struct CallWaits: Sendable {
  let name: String
  let isRepeatable: Bool
  private(set) var policy: RetryPolicy
  private(set) var waited = Duration.zero
  /// When the first attempt failed, on the client's clock; `nil` before.
  private var since: Duration?
  private var reason = "waiting for the service"
  /// How long the last attempt took. The next ones presumably take as long.
  private var lastAttempt = Duration.zero
  /// How long an attempt may take; `nil` before the first.
  private var timeout: Duration?

  init(_ call: RequestPipeline.Call, _ policy: RetryPolicy) {
    name = call.name
    isRepeatable = call.isRepeatable
    self.policy = policy
  }

  /// An attempt failed.
  ///
  /// - Parameter duration: of the attempt.
  mutating func failed(_ failure: RequestAttemptOutcome.Failure, after duration: Duration, at now: Duration) {
    since = since ?? now
    reason = failure.reason
    // A few seconds are enough for an emulator that is starting.
    if failure.isOfThisMachine { policy.attempts = min(policy.attempts, 4) }
    lastAttempt = duration
  }

  /// A pause before the attempt that follows `attempt`.
  mutating func pause(
    _ pause: Duration, after attempt: Int, _ what: String?, retryAfter: Duration? = nil, at now: Duration,
    rest: (_ attempt: Int) -> Duration
  ) -> Wait {
    since = since ?? now
    let waits = policy.longestWaits(
      afterAttempt: attempt, pause, retryAfter: retryAfter, waited: waited, rest: rest)
    waited += pause
    let reason = what == nil ? "service unavailable" : reason
    var wait = Wait(
      reason, detail: "\(reason) (\(name)\(what.map { ": \($0)" } ?? ""))", elapsed: elapsed(at: now),
      pause: pause, limit: waits + lastAttempt * (policy.attempts - attempt))
    wait.attempt = timeout
    return wait
  }

  /// A request that waits for its reply, at most for `timeout`.
  mutating func reply(
    to attempt: Int, timeout: Duration, at now: Duration, rest: (_ attempt: Int) -> Duration
  ) -> Wait {
    self.timeout = timeout
    let particulars =
      since == nil
      ? "waiting for the reply to \(name)" : "\(reason) (\(name), attempt \(attempt) of \(policy.attempts))"
    let further = policy.attempts - attempt
    let pauses = policy.longestWaits(
      afterAttempt: attempt - 1, .zero, retryAfter: nil, waited: waited, rest: rest)
    var wait = Wait(reason, detail: particulars, elapsed: elapsed(at: now))
    wait.mayEndEarlier = true
    wait.pause = further > 0 || !isRepeatable ? timeout : nil
    wait.limit = isRepeatable ? timeout * (further + 1) + (further > 0 ? pauses : .zero) : nil
    if !isRepeatable { wait.next = "looking at the outcome" }
    return wait
  }

  private func elapsed(at now: Duration) -> Duration { since.map { now - $0 } ?? .zero }
}
