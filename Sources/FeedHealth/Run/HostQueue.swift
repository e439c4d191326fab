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
