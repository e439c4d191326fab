import CloudKitModel
import RecordChanges
import Synchronization

/// A clock of a test that stands still until the test moves it, and wakes those who sleep on the way.
final class SharedClock: MonotonicClock {
  private struct Sleeper {
    let id: Int
    let until: Duration
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var uptime = Duration.zero
    var sleepers: [Sleeper] = []
    var lastID = 0
    var wakes = 0
  }

  private let state = Mutex(State())

  var uptime: Duration { state.withLock(\.uptime) }
  /// How many sleeps ended because time had passed.
  var wakes: Int { state.withLock(\.wakes) }

  func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          state.sleepers.append(Sleeper(id: id, until: state.uptime + duration, continuation: continuation))
        }
        if Task.isCancelled { wake { $0.id == id } }
      }
    } onCancel: {
      wake { $0.id == id }
    }
    try Task.checkCancellation()
  }

  /// Moves time to `moment`. Returns when everybody who was woken sleeps again.
  func advance(to moment: Duration) async throws {
    try await waitForSleepers(1)
    let count = state.withLock { state in
      state.uptime = max(state.uptime, moment)
      return state.sleepers.count
    }
    let woken = wake { $0.until <= moment }
    state.withLock { $0.wakes += woken }
    try await waitForSleepers(count)
  }

  @discardableResult
  private func wake(_ isMeant: (Sleeper) -> Bool) -> Int {
    let woken = state.withLock { state in
      defer { state.sleepers.removeAll(where: isMeant) }
      return state.sleepers.filter(isMeant)
    }
    for sleeper in woken { sleeper.continuation.resume() }
    return woken.count
  }

  private func waitForSleepers(_ count: Int) async throws {
    while state.withLock({ $0.sleepers.count < count }) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
