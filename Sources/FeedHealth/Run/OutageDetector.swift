/// Distinguishes our own outage from failing feeds (Documentation/reference/feeds.md#status-rules): when half of the
/// hosts cannot be reached, the fault is ours.
///
/// Hosts are judged in samples, so that a long run can record results while it continues. Nothing about a sample is
/// written before the sample can no longer be an outage. A run with fewer hosts than one sample is judged as a whole.
struct OutageDetector {
  enum Verdict: Sendable, Hashable {
    case open, clear, outage
  }

  private struct Sample {
    var hosts = 0
    var reached = 0
    var unreached = 0
    /// The number of feeds neither checked nor skipped yet.
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

  /// - Parameter feedHosts: the host of every feed of the run, one element a feed.
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

  /// Records that a request to the host ended. One connection outweighs all failures.
  mutating func requestEnded(_ name: String, reached: Bool) {
    guard let host = hosts[name], host.isReached != true, host.isReached != reached else { return }
    if host.isReached == false { samples[host.sample].unreached -= 1 }
    if reached { samples[host.sample].reached += 1 } else { samples[host.sample].unreached += 1 }
    hosts[name]?.isReached = reached
    decide(host.sample)
  }

  /// Records that one feed of the host was checked or skipped.
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
