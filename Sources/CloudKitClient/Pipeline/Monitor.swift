import Synchronization

/// A value that tasks share, and a place to wait until it is as they need it. A cancelled task stops waiting.
final class Monitor<State: Sendable>: Sendable {
  private struct Contents {
    var state: State
    /// Counts changes, so that one made between looking and waiting is not missed.
    var version = 0
    var nextTicket = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let contents: Mutex<Contents>

  init(_ state: State) { contents = Mutex(Contents(state: state)) }

  /// Offers the value to `take` now and after every change until it returns something; it may change the value.
  func wait<Result: Sendable>(until take: @Sendable (inout State) -> Result?) async throws -> Result {
    while true {
      try Task.checkCancellation()
      let (result, version) = contents.withLock { (take(&$0.state), $0.version) }
      if let result { return result }
      await waitForChange(since: version)
    }
  }

  /// Changes the value and lets every waiting task look at it again.
  func update(_ change: (inout State) -> Void) {
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
