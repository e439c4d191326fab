import CloudKitModel
import RecordChanges
import Synchronization

/// A clock of a test: sleeping ends at once and moves it. What else happens meanwhile is the test's to say.
final class SteppingClock: MonotonicClock {
  private struct State {
    var uptime = Duration.zero
    var sleeps: [Duration] = []
  }

  private let state = Mutex(State())
  private let whileSleeping: @Sendable (_ uptime: Duration) async throws -> Void
  /// A renewal sleeps so long: it waits until its task is cancelled, so that a test decides when to renew.
  private let held: Duration?

  init(
    holding held: Duration? = nil,
    _ whileSleeping: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) {
    self.held = held
    self.whileSleeping = whileSleeping
  }

  var uptime: Duration { state.withLock(\.uptime) }
  var sleeps: [Duration] { state.withLock(\.sleeps) }

  func pass(_ duration: Duration) { state.withLock { $0.uptime += duration } }

  func sleep(for duration: Duration) async throws {
    if duration == held || duration == .seconds(20) {
      let (endless, _) = AsyncStream.makeStream(of: Void.self)
      for await _ in endless {}
      throw CancellationError()
    }
    try Task.checkCancellation()
    let uptime = state.withLock { state in
      state.sleeps.append(duration)
      state.uptime += duration
      return state.uptime
    }
    try await whileSleeping(uptime)
  }
}
