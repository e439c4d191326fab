package import CloudKitModel
package import Diagnostics
package import Platform
package import SchemaLanguage

/// Writes records for commands and jobs: takes the lease, records the history, runs the executor, shows progress, and
/// returns a report. Nothing else in the tool writes records.
package struct WriteSession: Sendable {
  private let job: WritingJob
  private var container: any Container
  private let leases: any Container
  private let dependencies: WriteSessionDependencies

  package init(_ job: WritingJob, container: any Container, dependencies: WriteSessionDependencies) {
    self.job = job
    self.container = container
    leases = container
    self.dependencies = dependencies
  }

  /// The session with its records written through a container that wraps this one. Requests for the lease do not pass it.
  package func through(_ wrapper: any Container) -> WriteSession {
    return copy(of: self) { $0.container = wrapper }
  }

  /// Runs a job that reads and writes while it holds its lease.
  ///
  /// - Parameter earlier: the lease of an interrupted run that this one continues. This run does not wait for it to
  ///   end.
  package func run<Result>(
    continuing earlier: SavedLease? = nil, _ body: (JobWriter) async throws -> Result
  ) async throws -> Result {
    let (folder, lock) = try await lockedFolder()
    let (lease, isCurrent) = try await lease(after: lock?.formerRuns ?? [], continuing: earlier)
    let writer = JobWriter(
      self.job, container: container, dependencies: dependencies, folder: folder, lease: lease,
      isCurrent: isCurrent)
    dependencies.workBegan()
    let renewal = lease.map { lease in Task { await lease.keepAlive() } }
    defer {
      renewal?.cancel()
      withExtendedLifetime(lock) {}
    }
    do {
      try lock?.leaseTaken()
      let result = try await body(writer)
      await writer.end()
      return result
    } catch {
      await writer.end()
      throw error
    }
  }

  /// Jobs can also run where nothing can be written, as in a container image or on a full disk. They need neither lock nor
  /// history.
  private func lockedFolder() async throws -> (StateFolder?, RunLock?) {
    var folder: StateFolder?
    do {
      folder = job.isInHistory ? try dependencies.stateFolder?() : nil
      guard let folder, let lease = job.lease else { return (folder, nil) }
      return (
        folder, try await RunLock.take(lease.lockName, in: folder, command: job.command, dependencies)
      )
    } catch let failure as FileFailure where job.kind == .job && (folder == nil || failure.action == .write) {
      dependencies.note("note: no history is kept and no local lock is used: \(failure.message)")
      return (nil, nil)
    }
  }

  private func lease(
    after formerRuns: [String], continuing earlier: SavedLease?
  ) async throws -> (JobLease?, isCurrent: Bool) {
    guard let name = job.lease,
      let lease = try await JobLease.take(
        name, in: leases, dependencies, dead: Set(formerRuns), writing: job.writtenTypes, continuing: earlier)
    else { return (nil, true) }
    return (lease, await lease.isCurrent)
  }
}

/// The clock, folders and other dependencies of a write session, which tests can replace.
package struct WriteSessionDependencies: Sendable {
  /// The time of day, for the history and for what a job remembers.
  package var now: @Sendable () -> Timestamp
  package var clock: any MonotonicClock
  /// A name for this run, as ``RunID`` makes it.
  package var runID: String
  /// Opens the folder of locks and history; `nil` keeps neither.
  package var stateFolder: (@Sendable () throws -> StateFolder)?
  package var lease = LeaseDurations()
  /// The container's schema: it says which types users may create, and whether there are leases. `nil` when it is not
  /// known.
  package var schema: Schema?
  /// Waits while the container is busy.
  package var wait: @Sendable (Duration) async throws -> Void
  /// A random number, uniformly from 0...1.
  package var randomShare: @Sendable () -> Double = { Double.random(in: 0...1) }
  /// Prints notes for the user, which are not part of the result.
  package var note: @Sendable (PrintableText) -> Void = { _ in }
  /// Prints what needs a person.
  package var warn: @Sendable (String) -> Void = { _ in }
  /// Called when the run holds its lease and begins to work: until then it may be waiting for another run.
  package var workBegan: @Sendable () -> Void = {}
  package var waits = WaitReporter.silent
  /// Called after each request with the number of changes decided so far, or of requests made. The total is `nil` while
  /// it is not known.
  package var progress: @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in }

  package init(
    now: @escaping @Sendable () -> Timestamp, runID: String, schema: Schema? = nil,
    clock: any MonotonicClock = SystemClock(), stateFolder: (@Sendable () throws -> StateFolder)? = nil,
    wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.now = now
    self.runID = runID
    self.schema = schema
    self.clock = clock
    self.stateFolder = stateFolder
    self.wait = wait
  }
}

/// The job that writes, as recorded in the history and in the lease.
package struct WritingJob: Sendable {
  /// The words of the command: `seed apply`.
  package var command: String
  package var kind: RunRecord.Kind
  /// `nil` for jobs without a lease: single records, simulation.
  package var lease: LeaseName?
  /// Types of the catalog whose changes the history keeps, although users may create such records.
  package var catalogTypes: Set<String> = []
  /// The types that a run of the job must be able to write. A key that shows no right to one of them ends the run at once,
  /// also when there is nothing to write yet.
  package var writtenTypes: Set<String> = []
  /// False for made-up records in a local container: no run of them is in its history.
  package var isInHistory = true
  /// False for a job that finds what it writes while it writes: its progress has no total.
  let knowsTotal: Bool

  package init(
    _ command: String, kind: RunRecord.Kind = .person, lease: LeaseName? = nil, knowsTotal: Bool = true
  ) {
    self.command = command
    self.kind = kind
    self.lease = lease
    self.knowsTotal = knowsTotal
  }

  /// The types whose records the history does not keep.
  ///
  /// - Parameter schema: the container's; `nil` when it is not known.
  func typesOfUsers(_ schema: Schema?) -> UserCreatedRecordTypes {
    UserCreatedRecordTypes(schema, except: catalogTypes)
  }
}
