internal import Diagnostics
internal import Platform
internal import Synchronization

/// Waits while another process is writing to a container's file, and says so. SQLite asks before each further attempt.
final class BusyFile: Sendable {
  private struct State {
    var began: ContinuousClock.Instant
    let ended: @Sendable () -> Void
  }

  private let timeout: Duration
  private let waits: WaitReporter
  private let state = Mutex<State?>(nil)

  /// The pause between two attempts, as long as SQLite's own, in microseconds.
  private static let pause: UInt32 = 25_000

  init(timeout: Duration, waits: WaitReporter) {
    self.timeout = timeout
    self.waits = waits
  }

  /// Pauses. Returns false when the time is up. Blocks the thread, as SQLite requires.
  func triesAgain() -> Bool {
    let began = state.withLock { state in
      if let state { return state.began }
      let begun = State(
        began: .now, ended: waits.begin(Wait("another process is writing to the container", limit: timeout)))
      state = begun
      return begun.began
    }
    guard ContinuousClock.now - began < timeout else { return false }
    usleep(Self.pause)
    return true
  }

  /// The operation has ended, for whatever reason.
  func waitEnded() {
    state.withLock { state in
      defer { state = nil }
      return state?.ended
    }?()
  }
}
