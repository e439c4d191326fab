package import CloudKitModel
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

/// Keeps all jobs from writing to a container while another command replaces its content: holds the locks of a state
/// folder and the leases of all jobs.
///
/// A job that runs ends this command, or makes it wait; a job that starts meanwhile is refused.
package struct AllJobsLease: Sendable {
  /// One environment of the container, and the dependencies of a write session there, with the schema of that environment.
  package typealias Place = (container: any Container, dependencies: WriteSessionDependencies)

  private let command: String
  private let jobs: Set<LeaseName>
  private let places: [Place]

  /// - Parameters:
  ///   - command: what holds the leases: `container restore`.
  ///   - jobs: the jobs that are known, beside those of the state folder's locks and of the container's leases.
  ///   - places: at least one. The first one's state folder has the locks.
  package init(_ command: String, jobs: Set<LeaseName>, in places: [Place]) {
    self.command = command
    self.jobs = jobs.union([.seed, .health])
    self.places = places
  }

  /// Runs `body` while the locks and leases are held, and releases them.
  ///
  /// - Parameters:
  ///   - deletesLeases: whether `body` deletes the records of the leases.
  ///   - body: gets a function that throws when another run has taken over one of the leases.
  /// - Throws: ``LeaseError``, ``RunLock/Taken``, what keeps the state folder from being used, the container's errors,
  ///   and those of `body`.
  package func run<Result>(
    deletesLeases: Bool = false, _ body: (_ check: () async throws -> Void) async throws -> Result
  ) async throws -> Result {
    let locks = try await takeLocks()
    defer { withExtendedLifetime(locks) {} }
    let dead = Set(locks.flatMap(\.formerRuns))
    var leases: [JobLease] = []
    do {
      for place in places {
        for job in try await knownJobs(place) {
          guard let lease = try await JobLease.take(job, in: place.container, place.dependencies, dead: dead)
          else {
            // The same reason holds for all leases of this environment.
            break
          }
          leases.append(lease)
        }
      }
      for lock in locks { try lock.leaseTaken() }
      let held = leases
      let renewals = held.map { lease in Task { await lease.keepAlive() } }
      defer { for renewal in renewals { renewal.cancel() } }
      let result = try await body { for lease in held { try await lease.confirm() } }
      if !deletesLeases { await release(held) }
      return result
    } catch {
      await release(leases)
      throw error
    }
  }

  private func takeLocks() async throws -> [RunLock] {
    guard let dependencies = places.first?.dependencies, let folder = try dependencies.stateFolder?() else {
      return []
    }
    let present = try folder.names().filter {
      $0 == LeaseName.lockPrefix || $0.hasPrefix("\(LeaseName.lockPrefix)-")
    }
    var locks: [RunLock] = []
    for name in Set(present).union(jobs.map(\.lockName)).sorted() {
      locks.append(try await RunLock.take(name, in: folder, command: command, dependencies))
    }
    return locks
  }

  private func knownJobs(_ place: Place) async throws -> [LeaseName] {
    var jobs = jobs
    let type = place.dependencies.schema?[recordType: LeaseRecord.recordType]
    if type?[field: SystemField.recordName.storedName]?.indexes.contains(.queryable) == true {
      do {
        let records = try await place.container.allRecords(
          Query(LeaseRecord.recordType), desiredKeys: ["purpose"])
        jobs.formUnion(records.compactMap(LeaseName.init(ofJobIn:)))
      } catch let refusal as ServerError where refusal.isMissingRight {
        // Taking a lease says so.
      }
    }
    return jobs.sorted { $0.job < $1.job }
  }

  private func release(_ leases: [JobLease]) async {
    for lease in leases {
      guard let failure = await lease.release(nil) else { continue }
      places.first?.dependencies.warn("\(failure)")
    }
  }
}

/// Watches the leases of other runs. If the change tag of a lease changes, its holder is running; if it stays
/// unchanged for long enough, its holder has ended.
struct LeaseWatcher {
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
  private(set) var seen: [String: (tag: String?, since: Duration)] = [:]

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
