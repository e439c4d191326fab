import Synchronization

/// Runs the emulator's deliberate delays. Stopping the emulator ends all running delays and prevents new ones.
final class DelayController: Sendable {
  private struct State {
    var isOver = false
    var next = 0
    var waiting: [Int: Task<Void, any Error>] = [:]
  }

  private let state = Mutex(State())

  /// Waits for the duration, or until the emulator stops. Throws `CancellationError` if the caller's task is
  /// cancelled.
  func wait(for duration: Duration) async throws {
    guard duration > .zero, let (ticket, task) = begin(duration) else { return }
    defer { _ = state.withLock { $0.waiting.removeValue(forKey: ticket) } }
    await withTaskCancellationHandler {
      // A delay cut short by a stop counts as finished.
      _ = await task.result
    } onCancel: {
      task.cancel()
    }
    try Task.checkCancellation()
  }

  private func begin(_ duration: Duration) -> (ticket: Int, task: Task<Void, any Error>)? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.next += 1
      let task = Task { try await Task.sleep(for: duration) }
      state.waiting[state.next] = task
      return (state.next, task)
    }
  }

  func end() {
    let cut = state.withLock { state in
      state.isOver = true
      return state.waiting.values
    }
    for task in cut { task.cancel() }
  }
}
