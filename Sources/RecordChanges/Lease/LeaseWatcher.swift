internal import CloudKitModel

/// Watches the leases of other runs. If the change tag of a lease changes, its holder is running; if it stays
/// unchanged for long enough, its holder has ended.
struct LeaseWatcher {
  /// What is known about the holder of a lease.
  enum Verdict: Hashable {
    /// The holder is dead, or has released the lease.
    case free
    /// Not known yet.
    case silent
    /// The holder renewed the lease while it was watched.
    case moving
  }

  let terms: LeaseDurations
  /// Runs known to be dead: their process has ended, or this run continues theirs.
  let dead: Set<String>
  private var seen: [String: (tag: String?, since: Duration)] = [:]

  init(terms: LeaseDurations, dead: Set<String>) {
    self.terms = terms
    self.dead = dead
  }

  /// - Parameters:
  ///   - uptime: of the observer.
  ///   - serviceTime: as in ``LeaseTable/serviceTime``.
  mutating func judge(_ record: Record, uptime: Duration, serviceTime: Timestamp?) -> Verdict {
    guard record.isLeaseHeld, !dead.contains(record.leaseHolder) else { return .free }
    if let serviceTime, let modified = record.modified?.timestamp,
      serviceTime.since(modified) >= terms.staleness
    {
      return .free
    }
    guard let known = seen[record.recordName] else {
      seen[record.recordName] = (record.changeTag, uptime)
      return .silent
    }
    guard known.tag == record.changeTag else {
      seen[record.recordName] = (record.changeTag, uptime)
      return .moving
    }
    return uptime - known.since >= terms.silence ? .free : .silent
  }
}

/// The durations of leases, and how long a run waits for another one.
package struct LeaseDurations: Sendable, Hashable {
  /// A lease is free if its change tag does not change for this long, by the observer's clock.
  package var silence: Duration
  /// The interval at which a holder renews its lease.
  package var renewal: Duration
  /// On a service, a lease is free if the service's time is this much later than the record's `modified` time.
  package var staleness = Duration.seconds(600)
  /// The interval at which a run reads the lease of another one.
  package var interval: Duration
  /// How long to wait for another run to end; `nil` fails with ``LeaseError/held(_:)`` as soon as the other run is
  /// known to be alive.
  package var wait: Duration?
  /// Takes over the lease without checking its holder.
  package var breaksOthers = false

  /// - Parameter silence: the time without renewal after which a lease is free. The other durations are derived from
  /// it: 40 s and 5 s for the default of 3 minutes.
  package init(silence: Duration = .seconds(180)) {
    self.silence = silence
    renewal = silence * 2 / 9
    interval = silence / 36
  }
}
