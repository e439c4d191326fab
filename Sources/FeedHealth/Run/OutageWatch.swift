/// Tells our own outage from the feeds' (feeds.md section 1.3): when half the hosts cannot be connected to, the
/// fault is here.
///
/// Hosts are judged in samples, so that a long run can record what it learns while it goes on. Nothing about a
/// sample may be written before it is clear, and a sample is clear only when its outcome can no longer be an
/// outage; a run of no more hosts than one sample is therefore judged as a whole.
struct OutageWatch {
  enum Verdict: Sendable, Hashable {
    case open, clear, outage
  }

  private struct Sample {
    var hosts = 0
    var reached = 0
    var unreached = 0
    /// Feeds that are not accounted for.
    var open = 0
    var verdict = Verdict.open
  }

  private struct Host {
    let sample: Int
    /// `nil` until a request to it ended.
    var isReached: Bool?
  }

  private let share: Double
  private var samples: [Sample]
  private var hosts: [String: Host] = [:]

  /// - Parameter feedHosts: the host of every feed of the run, repeated as they come.
  init(feedHosts: [String], thresholds: HealthThresholds) {
    share = thresholds.outageShare
    let distinct = Set(feedHosts).count
    let size = max(1, thresholds.outageSample)
    samples = Array(repeating: Sample(), count: max(1, distinct / size))
    for name in feedHosts {
      let index = hosts[name]?.sample ?? min(hosts.count / size, samples.count - 1)
      if hosts[name] == nil {
        hosts[name] = Host(sample: index)
        samples[index].hosts += 1
      }
      samples[index].open += 1
    }
  }

  func sample(of host: String) -> Int { hosts[host]?.sample ?? 0 }
  func verdict(onSample index: Int) -> Verdict { samples[index].verdict }

  /// A request to the host ended. One that connected outweighs all that did not.
  mutating func sighted(_ name: String, reached: Bool) {
    guard let host = hosts[name], host.isReached != true, host.isReached != reached else { return }
    if host.isReached == false { samples[host.sample].unreached -= 1 }
    if reached { samples[host.sample].reached += 1 } else { samples[host.sample].unreached += 1 }
    hosts[name]?.isReached = reached
    decide(host.sample)
  }

  /// One feed of the host is done with.
  mutating func accounted(_ name: String) {
    samples[sample(of: name)].open -= 1
    decide(sample(of: name))
  }

  private mutating func decide(_ index: Int) {
    let sample = samples[index]
    guard sample.verdict == .open else { return }
    if Double(sample.hosts - sample.reached) < share * Double(sample.hosts) {
      samples[index].verdict = .clear
    } else if sample.open == 0 {
      let tried = Double(sample.reached + sample.unreached)
      let isOutage = sample.unreached > 0 && Double(sample.unreached) >= share * tried
      samples[index].verdict = isOutage ? .outage : .clear
    }
  }
}
