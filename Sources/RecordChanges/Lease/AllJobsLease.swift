package import CloudKitModel
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

/// Keeps all jobs from writing to a container, in both environments, while another command replaces its content: holds
/// the locks of a state folder and the leases of all jobs.
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
  /// - Parameter body: gets a function that throws when another run has taken over one of the leases.
  /// - Throws: ``LeaseError``, ``RunLock/Taken``, what keeps the state folder from being used, the container's errors,
  ///   and those of `body`.
  package func run<Result>(_ body: (_ check: () async throws -> Void) async throws -> Result) async throws
    -> Result
  {
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
      await release(held)
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
      let records = try await place.container.allRecords(
        Query(LeaseRecord.recordType), desiredKeys: ["purpose"])
      jobs.formUnion(records.compactMap(LeaseName.init(ofJobIn:)))
    }
    return jobs.sorted { $0.job < $1.job }
  }

  private func release(_ leases: [JobLease]) async {
    for lease in leases {
      guard let failure = await lease.release(nil) else { continue }
      places.first?.dependencies.note("warning: \(failure)")
    }
  }
}
