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
  ///   - serviceTime: as the reply stated it that brought the record.
  mutating func judge(_ record: Record, uptime: Duration, serviceTime: Timestamp?) -> Verdict {
    guard record.isLeaseHeld, !dead.contains(record.leaseHolder) else { return .free }
    if let serviceTime, let modified = record.modified?.timestamp,
      .milliseconds(serviceTime.milliseconds - modified.milliseconds) >= terms.staleness
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
