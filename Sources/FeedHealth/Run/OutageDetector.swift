internal import FeedState

/// Distinguishes a local network outage from failing feeds (Documentation/reference/feeds.md#own-outage): if half of
/// the hosts that worked at their last check cannot be reached, and those are five or more, the local network is
/// considered down. Hosts that failed before do not count. Hosts never requested before count only while no host at
/// all is reached.
///
/// Hosts are judged in samples, so that a long run can record results while it continues. Nothing about a sample is
/// written before the sample can no longer be an outage. A run with fewer hosts than one sample is judged as a whole.
struct OutageDetector {
  /// Whether the local network failed: not known yet, no, or yes.
  enum Verdict: Sendable, Hashable {
    case open, clear, outage
  }

  /// What is known about a host from before the run.
  enum History: Sendable, Hashable {
    case working, failing, unknown
  }

  /// The hosts of one kind: how many there are, and how many were reached or not.
  private struct Count {
    var hosts = 0
    var reached = 0
    var unreached = 0
  }

  /// A group of feeds that is judged together.
  private struct Sample {
    var counts: [History: Count] = [:]
    /// The number of feeds neither checked nor skipped yet.
    var open = 0
    var verdict = Verdict.open

    subscript(history: History) -> Count { counts[history] ?? Count() }
    var reached: Int { counts.values.reduce(0) { $0 + $1.reached } }
  }

  /// What is known about a host in this run.
  private struct Host {
    let sample: Int
    var history: History
    /// `nil` until a request to it ended.
    var isReached: Bool?
  }

  private let share: Double
  private let minimum: Int
  private var samples: [Sample]
  private var hosts: [String: Host] = [:]

  /// - Parameter feeds: the host of every feed of the run and what is known about it. A host worked when one of its feeds
  ///   did.
  init(feeds: [(host: String, history: History)], thresholds: HealthThresholds) {
    share = thresholds.outageShare
    minimum = thresholds.outageHosts
    let distinct = Set(feeds.map(\.host)).count
    let size = max(1, thresholds.outageSample)
    samples = Array(repeating: Sample(), count: max(1, distinct / size))
    for (name, history) in feeds {
      let index = hosts[name]?.sample ?? min(hosts.count / size, samples.count - 1)
      let known = hosts[name]?.history
      if known == nil || history == .working || known == .unknown && history == .failing {
        hosts[name] = Host(sample: index, history: history)
      }
      samples[index].open += 1
    }
    for host in hosts.values { samples[host.sample].counts[host.history, default: Count()].hosts += 1 }
    for index in samples.indices { decide(index) }
  }

  func sample(of host: String) -> Int { hosts[host]?.sample ?? 0 }
  func verdict(onSample index: Int) -> Verdict { samples[index].verdict }

  /// Records the end of a request to the host. A host counts as reached after one successful connection.
  mutating func requestEnded(_ name: String, reached: Bool) {
    guard let host = hosts[name], host.isReached != true, host.isReached != reached else { return }
    var count = samples[host.sample][host.history]
    if host.isReached == false { count.unreached -= 1 }
    if reached { count.reached += 1 } else { count.unreached += 1 }
    samples[host.sample].counts[host.history] = count
    hosts[name]?.isReached = reached
    decide(host.sample)
  }

  /// Records that one feed of the host was checked or skipped.
  mutating func accounted(_ name: String) {
    samples[sample(of: name)].open -= 1
    decide(sample(of: name))
  }

  /// Decides the open samples of a run that ends early.
  mutating func close() {
    for index in samples.indices where samples[index].verdict == .open {
      samples[index].verdict = looksLikeOutage(samples[index]) ? .outage : .clear
    }
  }

  private mutating func decide(_ index: Int) {
    let sample = samples[index]
    guard sample.verdict == .open else { return }
    if isSettled(sample) {
      samples[index].verdict = .clear
    } else if sample.open == 0 {
      samples[index].verdict = looksLikeOutage(sample) ? .outage : .clear
    }
  }

  /// True when no answer to come can make the sample an outage.
  private func isSettled(_ sample: Sample) -> Bool {
    let working = sample[.working]
    if working.hosts >= minimum {
      return Double(working.hosts - working.reached) < share * Double(working.hosts)
    }
    return sample.reached > 0 || working.hosts + sample[.unknown].hosts < minimum
  }

  private func looksLikeOutage(_ sample: Sample) -> Bool {
    let working = sample[.working]
    if working.hosts >= minimum {
      let tried = Double(working.reached + working.unreached)
      return working.unreached >= minimum.quotient(share) && Double(working.unreached) >= share * tried
    }
    return sample.reached == 0 && working.unreached + sample[.unknown].unreached >= minimum
  }
}

extension Int {
  /// The least number of unreachable hosts that can be an outage: the share of the least number of hosts.
  fileprivate func quotient(_ share: Double) -> Int { Swift.max(1, Int((Double(self) * share).rounded(.up))) }
}
