internal import Synchronization

/// Assigns the hosts of a run to the tasks that fetch from them.
final class HostAssignment: Sendable {
  private let waiting: Mutex<ArraySlice<HostQueue>>
  let count: Int

  /// - Parameter perHost: how many tasks may ask one host at once.
  init(_ queues: [HostQueue], perHost: Int) {
    let lanes = queues.flatMap { queue in repeatElement(queue, count: min(max(1, perHost), queue.count)) }
    count = lanes.count
    waiting = Mutex(lanes[...])
  }

  func next() -> HostQueue? { waiting.withLock { $0.popFirst() } }

  /// Moves a host to the end of the waiting hosts. Returns false, and does nothing, if none is waiting.
  func giveWay(_ queue: HostQueue) -> Bool {
    waiting.withLock { waiting in
      guard !waiting.isEmpty, !queue.isEmpty else { return false }
      waiting.append(queue)
      return true
    }
  }
}
