/// Time that only moves forward, by which a run measures how long something takes: clocks of two machines are never
/// compared.
package protocol MonotonicClock: Sendable {
  /// Since a fixed moment.
  var uptime: Duration { get }
  func sleep(for duration: Duration) async throws
}

/// The machine's own clock, which also counts the time that it sleeps.
package struct SystemClock: MonotonicClock {
  private static let start = ContinuousClock.now

  package init() {}

  package var uptime: Duration { ContinuousClock.now - Self.start }
  package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
