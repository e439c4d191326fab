internal import Synchronization

/// Holds back fetches while documents wait for the one task that stores their articles. A fast network would otherwise
/// fill the memory of a first run.
///
/// A document waits from its check until the recorder takes it. What the recorder itself keeps back is not counted: it may
/// be waiting for more checks.
final class ArticleBacklog: Sendable {
  private struct State {
    var items = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())
  private let maxItems: Int

  /// - Parameter maxItems: fetches wait while more items than this do.
  init(maxItems: Int) { self.maxItems = maxItems }

  func add(_ items: Int) {
    guard items > 0 else { return }
    state.withLock { $0.items += items }
  }

  func remove(_ items: Int) {
    guard items > 0 else { return }
    let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.items -= items
      guard state.items <= maxItems else { return [] }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in released { waiter.resume() }
  }

  /// Returns when there is room, or when the task is cancelled.
  func waitForRoom() async {
    guard state.withLock({ $0.items > maxItems }) else { return }
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.items > maxItems, !Task.isCancelled else { return false }
          state.waiters[waiter] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }
}
