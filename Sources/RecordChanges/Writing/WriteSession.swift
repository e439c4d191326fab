public import CloudKitModel
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

/// Writes records for commands and jobs: takes the lease, records the history, runs the executor, shows progress, and
/// returns a report. Nothing else in the tool writes records.
public struct WriteSession: Sendable {
  public let job: WritingJob
  private let container: any Container
  private let leases: any Container
  private let environment: WriteSessionDependencies

  /// - Parameters:
  ///   - container: where the records are written.
  ///   - leases: the same container, when requests for the lease are not to be counted with the others.
  public init(
    _ job: WritingJob, container: any Container, leases: (any Container)? = nil,
    environment: WriteSessionDependencies
  ) {
    self.job = job
    self.container = container
    self.leases = leases ?? container
    self.environment = environment
  }

  /// Applies changes that were planned before. Nothing is locked when there are none.
  ///
  /// Throws ``LeaseError``, ``RunLock/Taken``, and what keeps the state folder from being used; everything else stands
  /// in the report.
  ///
  /// - Parameter memory: what the job remembers when every change is in the container.
  public func apply(
    _ changes: [RecordChange], policy: ConflictPolicy, memory: LastJobRun? = nil
  ) async throws -> ChangeReport {
    guard !changes.isEmpty || memory != nil else { return ChangeReport() }
    return try await run { scope in
      let report = try await scope.apply(changes, policy: policy)
      if report.isComplete { scope.memory = memory }
      return report
    }
  }

  /// Runs a job that reads and writes while it holds its lease.
  ///
  /// - Parameter earlier: the claim of the run that this one continues: it does not wait for that run's lease.
  public func run<Result>(
    continuing earlier: SavedLease? = nil, _ body: (LeasedJobWriter) async throws -> Result
  ) async throws -> Result {
    let folder = try stateFolder()
    let lock = try await lock(in: folder)
    let (lease, isCurrent) = try await lease(after: lock?.formerRun, continuing: earlier)
    let scope = LeasedJobWriter(
      self.job, container: container, environment: environment, folder: folder, lease: lease,
      isCurrent: isCurrent)
    environment.workBegan()
    let renewal = lease.map { lease in Task { await lease.keepAlive() } }
    defer {
      renewal?.cancel()
      withExtendedLifetime(lock) {}
    }
    do {
      let result = try await body(scope)
      await scope.end()
      return result
    } catch {
      await scope.end()
      throw error
    }
  }

  /// Jobs can also run on a read-only file system, such as a container image. They need neither lock nor history.
  private func stateFolder() throws -> StateFolder? {
    guard let open = environment.stateFolder else { return nil }
    do { return try open() } catch let failure as FileFailure where job.kind == .job {
      environment.note("note: no history is kept and no local lock is used: \(failure.message)")
      return nil
    }
  }

  private func lock(in folder: StateFolder?) async throws -> RunLock? {
    guard let folder, let lease = job.lease else { return nil }
    let start = environment.clock.uptime
    while true {
      do {
        return try RunLock(
          in: folder, name: lease.lockName, command: job.command, run: environment.runID)
      } catch let taken as RunLock.Taken {
        guard let wait = environment.terms.wait, environment.clock.uptime - start < wait else { throw taken }
        try await environment.clock.sleep(for: environment.terms.interval)
      }
    }
  }

  private func lease(
    after formerRun: String?, continuing earlier: SavedLease?
  ) async throws -> (JobLease?, isCurrent: Bool) {
    guard let name = job.lease else { return (nil, true) }
    if let schema = environment.schema, schema[recordType: LeaseRecord.recordType] == nil {
      note("the schema has no record type \(LeaseRecord.recordType)")
      return (nil, true)
    }
    let lease = JobLease(name, environment: environment, container: leases)
    switch try await lease.take(dead: Set([formerRun].compactMap(\.self)), continuing: earlier) {
    case .held: return (lease, await lease.isCurrent)
    case .unavailable(let reason):
      note(reason)
      return (nil, true)
    }
  }

  private func note(_ reason: PrintableText) {
    environment.note("note: runs on several machines may overlap: \(reason)")
  }
}
