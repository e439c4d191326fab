/// How patient a sender is with a service that is busy or out of reach: one value for whole requests and for the
/// records in them.
public struct RetryPolicy: Sendable, Hashable {
  /// Times one request, or one record, is sent at most.
  public var attempts: Int
  /// The first wait is at most this; each further one at most twice the one before.
  public var firstWait: Duration
  /// No wait of the sender's own choice is longer.
  public var maxWait: Duration
  /// All waits together, until something is done. A `retryAfter` that leads beyond is not waited for at all.
  public var patience: Duration

  public init(
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
  public func wait(
    afterAttempt attempt: Int, retryAfter: Duration?, waited: Duration, share: Double
  ) -> Duration? {
    guard attempt < attempts else { return nil }
    let limit = min(maxWait, firstWait * (1 << min(attempt - 1, 20)))
    let wait = retryAfter ?? limit * share
    return waited + wait <= patience ? wait : nil
  }
}

extension ContainerFailure {
  /// The retry budget is spent.
  ///
  /// - Parameter hint: what to do, if that is more than to try again.
  public static func unavailable(
    _ message: String, retryAfter: Duration?, hint: String? = nil
  ) -> ContainerFailure {
    let when = retryAfter.map { "in \($0.components.seconds + 1) seconds or later" } ?? "later"
    let again =
      "Run the command again \(when)" + (retryAfter == nil ? ": it continues where it stopped." : ".")
    return ContainerFailure(.unavailable(retryAfter: retryAfter), message, hint: hint ?? again)
  }
}
