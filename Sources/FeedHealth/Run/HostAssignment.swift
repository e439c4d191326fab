internal import Synchronization

/// Assigns the hosts of a run to the tasks that fetch from them. It keeps no host that a task has taken, so that the
/// memory of its feeds is free once they are checked.
final class HostAssignment: Sendable {
  /// The hosts that no task has taken.
  private struct Waiting {
    var hosts: [HostQueue?]
    var first = 0
    var isEmpty: Bool { first == hosts.count }

    mutating func popFirst() -> HostQueue? {
      guard !isEmpty else { return nil }
      defer { first += 1 }
      return hosts[first].take()
    }
  }

  private let waiting: Mutex<Waiting>
  /// How many tasks can work at once.
  let count: Int

  /// - Parameter targets: the feeds that are due, the longest due first.
  init(_ targets: [FeedCheckTarget], options: HealthOptions) {
    let queues = HostQueue.queues(for: targets, policy: options.policy, longestFirst: options.budget == nil)
    let hosts = queues.flatMap { queue in
      repeatElement(queue, count: min(max(1, options.perHost), queue.count))
    }
    count = hosts.count
    waiting = Mutex(Waiting(hosts: hosts))
  }

  func next() -> HostQueue? { waiting.withLock { $0.popFirst() } }

  /// Moves a host to the end of the waiting hosts. Returns false, and does nothing, if none is waiting.
  func giveWay(_ queue: HostQueue) -> Bool {
    waiting.withLock { waiting in
      guard !waiting.isEmpty, !queue.isEmpty else { return false }
      waiting.hosts.append(queue)
      return true
    }
  }
}
