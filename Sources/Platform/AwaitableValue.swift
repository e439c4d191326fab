internal import Synchronization

/// A value shared by tasks that can wait until it meets a condition. A cancelled task stops waiting.
package final class AwaitableValue<State: Sendable>: Sendable {
  private struct Contents {
    var state: State
    /// Counts changes, so that a change between check and wait is not missed.
    var version = 0
    var nextTicket = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let contents: Mutex<Contents>

  package init(_ state: State) { contents = Mutex(Contents(state: state)) }

  /// Calls `take` with the value now and after every change, until it returns a result. `take` may change the
  /// value. Throws `CancellationError`.
  package func wait<Result: Sendable>(until take: @Sendable (inout State) -> Result?) async throws -> Result {
    while true {
      try Task.checkCancellation()
      let (result, version) = contents.withLock { (take(&$0.state), $0.version) }
      if let result { return result }
      await waitForChange(since: version)
    }
  }

  package var current: State { contents.withLock(\.state) }

  package func update(_ change: (inout State) -> Void) {
    let woken = contents.withLock { contents in
      change(&contents.state)
      contents.version += 1
      defer { contents.waiting = [:] }
      return contents.waiting.values
    }
    for continuation in woken { continuation.resume() }
  }

  private func waitForChange(since version: Int) async {
    let ticket = contents.withLock { contents in
      contents.nextTicket += 1
      return contents.nextTicket
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = contents.withLock { contents in
          if contents.version != version || Task.isCancelled { return true }
          contents.waiting[ticket] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      contents.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
  }
}
