/// Decides whether a failed attempt is repeated, after what wait, and when to give up. Used for requests, the records
/// in them, leases, and the pages of a query.
package struct RetryPolicy: Sendable, Hashable {
  package static let requests = RetryPolicy()
  /// A record that a write session sends, in as many requests.
  package static let records = RetryPolicy(attempts: 5)
  /// A write without a valid reply, whose records are read before each further attempt. On average the waits take a
  /// minute, as long as a query waits for a service that does not answer.
  package static let lostReplies = RetryPolicy(attempts: 10)
  /// The record of a lease. The waits are short, because the holder renews it often and other runs watch it.
  package static let leases = RetryPolicy(
    attempts: 3, firstWait: .milliseconds(200), maxWait: .seconds(2), patience: .seconds(10))
  /// The pages of a query, which are read again from the first one if their markers repeat. Without a wait, because
  /// the service is not busy.
  package static let pages = RetryPolicy(attempts: 2, firstWait: .zero)

  /// Until when the task must be done with all that it does; `nil` without a limit. No longer wait begins, so that none is
  /// announced and then cut off.
  @TaskLocal package static var timeLimit: TimeLimit?

  /// How often a request, record or query is sent at most.
  package var attempts: Int
  /// The limit of the first wait. The limit of each further wait is twice the one before.
  package var firstWait: Duration
  /// The longest wait, unless the service asks for a longer one.
  package var maxWait: Duration
  /// The limit of all waits together until an attempt succeeds. A `retryAfter` beyond it ends the attempts at once.
  package var patience: Duration

  package init(
    attempts: Int = 6, firstWait: Duration = .milliseconds(500), maxWait: Duration = .seconds(30),
    patience: Duration = .seconds(180)
  ) {
    self.attempts = attempts
    self.firstWait = firstWait
    self.maxWait = maxWait
    self.patience = patience
  }

  /// How long to wait before the next attempt; `nil` when there is to be none.
  ///
  /// Without a `retryAfter` it is a random share of a doubling limit ("full jitter"), so that clients that failed
  /// together do not come back together.
  ///
  /// - Parameters:
  ///   - attempt: the one that failed; 1 is the first.
  ///   - retryAfter: what the service asks for.
  ///   - waited: the waits before, since something was last done.
  ///   - share: 0...1, drawn evenly.
  package func wait(
    afterAttempt attempt: Int, retryAfter: Duration?, waited: Duration, share: Double
  ) -> Duration? {
    guard permits(attemptAfter: attempt) else { return nil }
    let wait = retryAfter ?? limit(afterAttempt: attempt) * share
    return permits(wait, after: waited) ? wait : nil
  }

  /// The longest time that the waits can take together before the attempts end.
  ///
  /// - Parameters:
  ///   - attempt: the one that failed, whose wait is `wait`.
  ///   - retryAfter: what the service asks for, this time and presumably the next times.
  ///   - waited: the waits before.
  ///   - rest: the least wait after the attempt of this number, for other reasons.
  package func longestWaits(
    afterAttempt attempt: Int, _ wait: Duration, retryAfter: Duration?, waited: Duration,
    rest: (_ attempt: Int) -> Duration = { _ in .zero }
  ) -> Duration {
    let others = (attempt + 1..<max(attempt + 1, attempts)).reduce(Duration.zero) { sum, attempt in
      sum + max(retryAfter ?? limit(afterAttempt: attempt), rest(attempt))
    }
    let most = min(patience - waited, Self.timeLimit?.left ?? patience)
    return max(wait, min(wait + others, most))
  }

  private func limit(afterAttempt attempt: Int) -> Duration {
    min(maxWait, firstWait * (1 << min(attempt - 1, 20)))
  }

  package func permits(attemptAfter attempt: Int) -> Bool { attempt < attempts }

  package func permits(_ wait: Duration, after waited: Duration) -> Bool {
    waited + wait <= patience && wait <= Self.timeLimit?.left ?? wait
  }
}

extension ContainerFailure {
  /// The retry budget is spent.
  ///
  /// - Parameter hint: what to do, if that is more than to try again.
  package static func unavailable(
    _ message: String, retryAfter: Duration?, hint: String? = nil
  ) -> ContainerFailure {
    let when = retryAfter.map { "in \($0.components.seconds + 1) seconds or later" } ?? "later"
    return ContainerFailure(
      .unavailable(retryAfter: retryAfter), message, hint: hint ?? "Run the command again \(when).")
  }
}
