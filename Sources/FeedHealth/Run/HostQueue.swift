internal import Synchronization

/// The feeds of one host, shared by the tasks that fetch from it.
final class HostQueue: Sendable {
  let throttle: HostThrottle
  let count: Int
  private let waiting: Mutex<ArraySlice<FeedCheckTarget>>

  init(_ targets: [FeedCheckTarget], throttle: HostThrottle) {
    self.throttle = throttle
    count = targets.count
    waiting = Mutex(targets[...])
  }

  var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

  func next() -> FeedCheckTarget? { waiting.withLock { $0.popFirst() } }

  /// One queue a host. Feeds keep their order, but those whose last check failed come last on their host, so that a feed
  /// that its host throttles does not keep the others from being asked.
  ///
  /// - Parameter longestFirst: the hosts with the most feeds first, because they decide how long a run takes; otherwise
  ///   hosts keep the order of their first feed. Ties keep feed order, so that ``OutageDetector`` can decide on a
  ///   sample, and release it, early.
  static func queues(for targets: [FeedCheckTarget], policy: FetchPolicy, longestFirst: Bool) -> [HostQueue] {
    var groups: [[FeedCheckTarget]] = []
    var places: [String: Int] = [:]
    for target in targets {
      let key = key(target)
      if let place = places[key] {
        groups[place].append(target)
      } else {
        places[key] = groups.count
        groups.append([target])
      }
    }
    let ordered = longestFirst ? groups.sorted { $0.count > $1.count } : groups
    return ordered.map { group in
      let failing = group.count == 1 ? [] : group.filter(\.lastCheckFailed)
      let feeds = failing.isEmpty ? group : group.filter { !$0.lastCheckFailed } + failing
      return HostQueue(feeds, throttle: HostThrottle(host: group[0].host, policy: policy))
    }
  }

  /// Each port of this machine counts as a host.
  private static func key(_ target: FeedCheckTarget) -> String {
    HostName.isLoopback(target.host) ? HostName.origin(of: target.feedURL) ?? target.host : target.host
  }
}

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
