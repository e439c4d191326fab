internal import Synchronization

/// The feeds of one host, taken one by one by as many lanes as the host may have.
final class HostQueue: Sendable {
  let gate: HostGate
  let count: Int
  private let waiting: Mutex<ArraySlice<FeedSubject>>

  init(_ subjects: [FeedSubject], gate: HostGate) {
    self.gate = gate
    count = subjects.count
    waiting = Mutex(subjects[...])
  }

  var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

  func next() -> FeedSubject? { waiting.withLock { $0.popFirst() } }

  /// One queue a host, the longest first: they decide how long a run takes. Equals keep the order of the feeds, in
  /// which ``OutageWatch`` takes its samples: what a sample holds back is let go soonest so.
  static func queues(for subjects: [FeedSubject], policy: FetchPolicy) -> [HostQueue] {
    var groups: [[FeedSubject]] = []
    var places: [String: Int] = [:]
    for subject in subjects {
      let place = places[key(subject)] ?? groups.count
      places[key(subject)] = place
      if place == groups.count { groups.append([subject]) } else { groups[place].append(subject) }
    }
    return groups.sorted { $0.count > $1.count }
      .map { HostQueue($0, gate: HostGate(host: $0[0].host, policy: policy)) }
  }

  /// Each port of this machine is a server of its own.
  private static func key(_ subject: FeedSubject) -> String {
    HostName.isLoopback(subject.host) ? HostName.origin(of: subject.feedURL) ?? subject.host : subject.host
  }
}
