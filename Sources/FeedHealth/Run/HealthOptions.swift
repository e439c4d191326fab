public import CloudKitModel

/// What one run checks, and how hard.
public struct HealthOptions: Sendable {
  /// Only feeds of this category, by slug.
  public var category: String?
  /// Only these feeds, by record name or feed URL; empty for all.
  public var only: [String] = []
  /// Check feeds before their time too.
  public var force = false
  /// Feeds being fetched at once, 1 or more.
  public var concurrency = 256
  /// Of them on the same host, 1 or more.
  public var perHost = 1
  /// After this no new feed is begun; what is left is reported as skipped.
  public var budget: Duration?
  /// Write nothing: the report has what would have been written as its plan.
  public var isDryRun = false
  /// Before a feed is looked at again that one look would call down.
  public var secondLookDelay = Duration.seconds(5)
  public var policy = FetchPolicy()
  public var thresholds = HealthThresholds()

  public init() {}
}

/// The time, and how to let it pass.
public struct HealthClock: Sendable {
  public var now: @Sendable () -> Timestamp
  public var wait: @Sendable (Duration) async throws -> Void
  /// Waits while the container is busy, so that the caller can report it.
  public var waitForContainer: @Sendable (Duration) async throws -> Void

  public init(
    now: @escaping @Sendable () -> Timestamp,
    wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    waitForContainer: (@Sendable (Duration) async throws -> Void)? = nil
  ) {
    self.now = now
    self.wait = wait
    self.waitForContainer = waitForContainer ?? wait
  }
}

/// What keeps a run from starting.
public enum HealthCheckError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Named on the command line, but not in the container.
  case unknownFeeds([String])
  /// No category of the container has this slug.
  case unknownCategory(String, nearest: String?)

  public var description: String {
    switch self {
    case .unknownFeeds(let names): "no such feed in the container: \(names.joined(separator: ", "))"
    case .unknownCategory(let slug, _): "no such category in the container: \(slug)"
    }
  }
}
