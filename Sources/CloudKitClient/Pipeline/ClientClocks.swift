public import CloudKitModel
internal import FoundationEssentials

/// The clocks of a client, which tests can replace.
public protocol ClientClocks: Sendable {
  /// Monotonic time since a fixed moment.
  var now: Duration { get }
  /// The date of requests.
  var wallTime: Timestamp { get }
  func sleep(for duration: Duration) async throws
}

/// The machine's own clocks.
public struct SystemClocks: ClientClocks {
  private static let start = ContinuousClock.now

  public init() {}

  public var now: Duration { ContinuousClock.now - Self.start }
  public var wallTime: Timestamp {
    Timestamp(Date())
  }
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
