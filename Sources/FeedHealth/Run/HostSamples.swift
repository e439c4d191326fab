internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import Synchronization

/// A check of a feed that waits for the end of its sample, because its host may not have been reached.
struct HeldCheck: Sendable {
  let target: FeedCheckTarget
  var seen: FetchObservation
  let seenAt: Duration
  let queue: HostQueue
  /// The host was asked once more, with the same result.
  var isConfirmed = false
}

/// A feed that arrived, of a host that can show later whether the network still works.
struct Witness: Sendable {
  let target: FeedCheckTarget
  let throttle: HostThrottle
}

/// The hosts of a run, in samples that are judged together, so that a long run can record results while it continues.
/// No failure that our own network may have caused is recorded before the end of its sample, and no success of a sample
/// before this is ruled out for what was asked until then.
final class HostSamples: Sendable {
  private struct Sample {
    var hosts: [String] = []
    /// The number of feeds neither checked nor skipped yet.
    var open = 0
    var held: [HeldCheck] = []
    var isClear = false
    /// Hosts for which a name server answered only when it was asked again.
    var lateNames = 0
    /// Names that had addresses in this run have none any more.
    var hasLostNames = false
    /// Of a few operators, so that the others need not be kept.
    var witnesses: [Witness] = []
    /// Hosts that had delivered feeds are not reached any more.
    var isCutOff = false
  }

  private struct State {
    var samples: [Sample]
    /// The failures in a row to reach a host, and the last of them, by scheme and host.
    var failures: [String: (count: Int, last: FetchObservation)] = [:]
    var hosts: [String: CheckedHost] = [:]
    var places: [String: Int] = [:]

    func members(of sample: Int) -> [CheckedHost] { samples[sample].hosts.compactMap { hosts[$0] } }

    mutating func keep(_ witness: Witness, in sample: Int) {
      let operators = samples[sample].witnesses.map { hosts[$0.target.host]?.operatedWith }
      guard operators.count < HostSamples.witnesses,
        !operators.contains(hosts[witness.target.host]?.operatedWith)
      else { return }
      samples[sample].witnesses.append(witness)
    }
  }

  private let rule: OutageRule
  private let state: Mutex<State>

  /// - Parameters:
  ///   - targets: the feeds of the run. Their hosts are dealt to samples in this order; a run with fewer hosts than one
  ///     sample is judged as a whole.
  ///   - atFault: hosts whose failures are their own as long as others deliver feeds.
  init(_ targets: [FeedCheckTarget], _ thresholds: HealthThresholds, atFault: Set<String> = []) {
    rule = OutageRule(thresholds: thresholds)
    let size = max(1, thresholds.outageSample)
    let distinct = Set(targets.map(\.host)).count
    var state = State(samples: Array(repeating: Sample(), count: max(1, distinct / size)))
    for target in targets {
      let name = target.host
      let history = atFault.contains(name) ? .unknown : target.hostHistory
      let place = state.places[name] ?? min(state.hosts.count / size, state.samples.count - 1)
      let isSecure = target.feedURL.hasPrefix("https:")
      if let known = state.hosts[name] {
        // A host worked when one of its feeds did.
        if history == .working || known.history == .unknown { state.hosts[name]?.history = history }
        if known.isSecure != isSecure { state.hosts[name]?.isSecure = nil }
      } else {
        state.hosts[name] = CheckedHost(name: name, isSecure: isSecure, history: history)
        state.places[name] = place
        state.samples[place].hosts.append(name)
      }
      state.samples[place].open += 1
    }
    self.state = Mutex(state)
  }

  func sample(of host: String) -> Int { state.withLock { $0.places[host] ?? 0 } }

  /// Notes what a request showed. Returns the sample if its successes can be recorded from now on.
  func note(
    _ observation: FetchObservation, about target: FeedCheckTarget, _ throttle: HostThrottle
  ) -> Int? {
    if observation.failure == .invalidURL { return nil }
    let suspicion = observation.signature(about: target)
    if case .refusedHere = observation.outcome, suspicion == nil { return nil }
    let result: CheckedHost.Result =
      observation.isSuccess ? .delivered : suspicion.map(CheckedHost.Result.suspect) ?? .answered
    return state.withLock { state in
      if observation.redirectedTo == nil, suspicion?.isOfHost == true {
        let key = Self.key(target)
        state.failures[key] = ((state.failures[key]?.count ?? 0) + 1, observation)
      } else if !state.failures.isEmpty {
        state.failures[Self.key(target)] = nil
      }
      guard let place = state.places[target.host], let known = state.hosts[target.host] else { return nil }
      if known.result == nil || known.signature != nil || result == .delivered {
        if known.signature?.isAboutName == true, result.signature?.isAboutName != true {
          state.samples[place].lateNames += 1
        }
        state.hosts[target.host]?.result = result
        state.hosts[target.host]?.network = observation.network
      }
      if result == .delivered { state.keep(Witness(target: target, throttle: throttle), in: place) }
      guard state.hosts[target.host]?.isReached == true, !state.samples[place].isClear,
        rule.isRuledOut(among: state.members(of: place))
      else { return nil }
      state.samples[place].isClear = true
      return place
    }
  }

  /// The failure of a feed whose host was not reached for several others in a row, so that it need not be requested to know
  /// that. A host with hundreds of feeds would otherwise take hours to fail.
  func knownFailure(of target: FeedCheckTarget, at now: Timestamp) -> FetchObservation? {
    let failure = state.withLock { $0.failures.isEmpty ? nil : $0.failures[Self.key(target)] }
    guard let failure, failure.count >= Self.enoughFailures else { return nil }
    var observation = failure.last
    observation.time = now
    return observation
  }

  private static let enoughFailures = 3

  private static func key(_ target: FeedCheckTarget) -> String {
    HostName.origin(of: target.feedURL) ?? target.host
  }

  func hold(_ check: HeldCheck) {
    state.withLock { state in
      state.places[check.target.host].map { state.samples[$0].held.append(check) }
    }
  }

  /// Notes that one feed of the host is done, or waits. Returns its sample if that was the last one of it.
  func finish(_ host: String) -> Int? {
    state.withLock { state in
      guard let place = state.places[host] else { return nil }
      state.samples[place].open -= 1
      return state.samples[place].open == 0 ? place : nil
    }
  }

  /// The checks that waited for the end of the sample, by host: of those to ask once more, and of the others. A name
  /// without an address is asked for again, too: a name server under load may refuse.
  func takeHeld(of sample: Int) -> (again: [[HeldCheck]], others: [[HeldCheck]]) {
    state.withLock { state in
      let members = state.members(of: sample)
      let suspects = rule.suspects(among: members)
      let groups = Dictionary(grouping: state.samples[sample].held, by: \.target.host)
      state.samples[sample].held = []
      var (again, others) = ([[HeldCheck]](), [[HeldCheck]]())
      for host in members {
        guard let checks = groups[host.name] else { continue }
        if host.history != .failing, suspects[host.name] != nil || host.signature?.kind == .unknownNames {
          again.append(checks)
        } else {
          others.append(checks)
        }
      }
      return (again, others)
    }
  }

  /// Some hosts whose names were resolved in this run; empty unless names of the sample are not.
  func namesToAskAgain(for sample: Int) -> [String] {
    state.withLock { state in
      let members = state.members(of: sample)
      guard members.contains(where: { $0.signature?.isAboutName == true }) else { return [] }
      return (members + state.hosts.values).lazy.filter(\.isNamed).prefix(Self.witnesses).map(\.name)
    }
  }

  /// A host alone may fail for a reason of its own.
  static let witnesses = 3

  /// No name that had an address has one any more, which says that names of the sample without one may have one.
  func noteLostNames(for sample: Int) { state.withLock { $0.samples[sample].hasLostNames = true } }

  /// Hosts that delivered feeds in this run, one of each operator, those of the sample first; empty unless hosts of the
  /// sample were not reached, and these are too few for an outage.
  func witnesses(for sample: Int) -> [Witness] {
    state.withLock { state in
      let members = state.members(of: sample)
      let suspects = rule.suspects(among: members)
      let isDoubtful = members.contains {
        $0.history != .failing && suspects[$0.name]?.isAboutName == false
      }
      guard isDoubtful, rule.outage(among: members) == nil else { return [] }
      var operators: Set<AnyHashable?> = []
      return ([state.samples[sample]] + state.samples).flatMap(\.witnesses).filter { witness in
        operators.insert(state.hosts[witness.target.host]?.operatedWith).inserted
      }
    }
  }

  /// The network ended after hosts had delivered feeds, so that theirs say nothing about the others.
  func noteCutOff(of sample: Int) { state.withLock { $0.samples[sample].isCutOff = true } }

  /// `nil` when our own network is not the cause of the failures.
  func outage(of sample: Int) -> LocalOutage? {
    state.withLock { state in
      let (known, members) = (state.samples[sample], state.members(of: sample))
      return known.isClear && !known.isCutOff ? nil : rule.outage(among: members, isCutOff: known.isCutOff)
    }
  }

  /// No name server knows the host, while it knows others only when it is asked again, or no longer, or is silent about half
  /// of the sample: it drops or refuses requests, and says nothing about this host.
  func isLost(_ check: HeldCheck, in sample: Int) -> Bool {
    guard check.seen.signature?.isAboutName == true else { return false }
    return state.withLock { state in
      state.samples[sample].hasLostNames || state.samples[sample].lateNames >= Self.minLateNames
        || rule.hidesNames(of: state.members(of: sample))
    }
  }

  private static let minLateNames = 3
}
