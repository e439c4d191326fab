internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
internal import Platform
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

  /// One queue a host. Its feeds are in the order of their last answers, the oldest first; those without one come first. Of
  /// those that the host throttled, the one that waits longest comes before all others, and the rest after them: on a host
  /// that admits few requests each feed has its turn, and feeds that are always throttled do not keep the others from
  /// being asked.
  ///
  /// - Parameter longestFirst: the hosts with the most feeds first, because they decide how long a run takes; otherwise
  ///   hosts keep the order of their first feed. Ties keep feed order, so that a run can decide on a sample of
  ///   hosts, and release it, early.
  static func queues(for targets: [FeedCheckTarget], policy: FetchPolicy, longestFirst: Bool) -> [HostQueue] {
    let groups = targets.groups(by: key)
    let ordered = longestFirst ? groups.sorted { $0.count > $1.count } : groups
    return ordered.map { group in
      HostQueue(
        group.count == 1 ? group : inTurn(group), throttle: HostThrottle(host: group[0].host, policy: policy))
    }
  }

  private static func inTurn(_ feeds: [FeedCheckTarget]) -> [FeedCheckTarget] {
    let order = feeds.map { (feed: $0, time: $0.lastRequest?.milliseconds ?? .min) }
      .sorted { $0.time < $1.time }.map(\.feed)
    let throttled = order.filter(\.wasThrottled)
    guard !throttled.isEmpty else { return order }
    return throttled.prefix(1) + order.filter { !$0.wasThrottled } + throttled.dropFirst()
  }

  /// Each port of this machine counts as a host.
  private static func key(_ target: FeedCheckTarget) -> String {
    HostName.isLoopback(target.host) ? HostName.origin(of: target.feedURL) ?? target.host : target.host
  }
}

/// Assigns the hosts of a run to the tasks that fetch from them. It keeps no host that a task has taken, so that the
/// memory of its feeds is free once they are checked.
final class HostAssignment: Sendable {
  private let waiting: Mutex<FIFOQueue<HostQueue>>
  /// How many tasks can work at once.
  let count: Int

  /// - Parameters:
  ///   - targets: the feeds that are due, the longest due first.
  ///   - perHost: the number of requests to one host at once, 1 or more.
  ///   - longestFirst: the hosts with the most feeds first; otherwise in the order of their first feed.
  init(_ targets: [FeedCheckTarget], policy: FetchPolicy, perHost: Int, longestFirst: Bool) {
    let queues = HostQueue.queues(for: targets, policy: policy, longestFirst: longestFirst)
    let hosts = queues.flatMap { queue in
      repeatElement(queue, count: min(max(1, perHost), queue.count))
    }
    count = hosts.count
    waiting = Mutex(FIFOQueue(hosts))
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
