/// How long leases last, and what a run does while another one holds its lease.
public struct LeaseTerms: Sendable, Hashable {
  /// A lease whose change tag does not move for so long, by the observer's own clock, is free.
  public var silence: Duration
  /// A holder renews its lease so often.
  public var renewal: Duration
  /// On a service, a lease is free when the service's own time is so far past the record's server-set `modified`.
  public var staleness = Duration.seconds(600)
  /// Between two looks at a lease of another run.
  public var interval: Duration
  /// Waits so long for another run to end; `nil` ends with ``LeaseError/held(_:)`` once its lease is seen to move.
  public var wait: Duration?
  /// Takes over the lease from any holder.
  public var breaksOthers = false

  /// - Parameter silence: the other times follow from it: 40 s and 5 s for the usual 3 minutes.
  public init(silence: Duration = .seconds(180)) {
    self.silence = silence
    renewal = silence * 2 / 9
    interval = silence / 36
  }
}

/// Time for leases, which only moves forward: clocks of two machines are never compared.
public protocol MonotonicClock: Sendable {
  var uptime: Duration { get }
  func sleep(for duration: Duration) async throws
}

/// The machine's own clock, which also counts the time that it sleeps.
public struct SystemClock: MonotonicClock {
  private static let start = ContinuousClock.now

  public init() {}

  public var uptime: Duration { ContinuousClock.now - Self.start }
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
