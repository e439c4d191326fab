public import CloudKitModel
internal import FoundationEssentials

/// Both kinds of time that a client needs, handed in so that tests can let it pass.
public protocol ClientTime: Sendable {
  /// Time since some fixed moment; never goes back and knows nothing of clock corrections.
  var now: Duration { get }
  /// What a request is dated with.
  var wallTime: Timestamp { get }
  func sleep(for duration: Duration) async throws
}

/// The machine's own clocks.
public struct SystemTime: ClientTime {
  private static let start = ContinuousClock.now

  public init() {}

  public var now: Duration { ContinuousClock.now - Self.start }
  public var wallTime: Timestamp {
    Timestamp(Date())
  }
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
