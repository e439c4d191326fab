/// How patient a client is with a service that is busy or out of reach.
public struct RetryPolicy: Sendable, Hashable {
  /// Times one request is sent at most.
  public var attempts: Int
  /// The first wait is at most this; each further one at most twice the one before.
  public var firstWait: Duration
  /// No wait of the client's own choice is longer.
  public var longestWait: Duration
  /// All waiting of one request together. A longer `retryAfter` is not waited for at all.
  public var patience: Duration

  public init(
    attempts: Int = 6, firstWait: Duration = .milliseconds(500), longestWait: Duration = .seconds(30),
    patience: Duration = .seconds(180)
  ) {
    self.attempts = attempts
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.patience = patience
  }

  /// The wait after the given attempt (1 is the first): a random share of a doubling limit ("full jitter"), so that
  /// clients that failed together do not come back together.
  ///
  /// - Parameter share: 0...1, drawn evenly.
  func wait(afterAttempt attempt: Int, share: Double) -> Duration {
    let limit = min(longestWait, firstWait * (1 << min(attempt - 1, 20)))
    return limit * share
  }
}
