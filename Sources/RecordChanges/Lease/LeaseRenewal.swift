internal import CloudKitModel

/// Watches leases of other runs until they move, or do not move for so long that their holders must be dead.
struct LeaseRenewal {
  enum Verdict: Hashable {
    /// Its holder is dead, or has released it.
    case free
    /// Nothing is known yet.
    case silent
    /// Its holder renewed it under the observer's eyes.
    case moving
  }

  let terms: LeaseTerms
  /// Runs known to be dead: their process has ended, or this run continues theirs.
  let dead: Set<String>
  private var seen: [String: (tag: String?, since: Duration)] = [:]

  init(terms: LeaseTerms, dead: Set<String>) {
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
