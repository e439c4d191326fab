internal import CloudKitModel
internal import Diagnostics
internal import Platform
internal import Synchronization

/// A running job that holds its lease, and through which it writes.
package final class JobWriter: Sendable {
  /// False when another run has held the lease since the run that this one continues: what that run counted is too old.
  package let isCurrent: Bool
  private let job: WritingJob
  private let container: any Container
  private let dependencies: WriteSessionDependencies
  private let folder: StateFolder?
  private let lease: JobLease?
  private let started: Timestamp
  private let state = Mutex(State())

  private struct State {
    var recorder: RunRecorder?
    var lastRun: LastJobRun?
    /// Changes of a job without a known total.
    var decided = 0
  }

  init(
    _ job: WritingJob, container: any Container, dependencies: WriteSessionDependencies, folder: StateFolder?,
    lease: JobLease?, isCurrent: Bool
  ) {
    self.job = job
    self.container = container
    self.dependencies = dependencies
    self.folder = folder
    self.lease = lease
    self.isCurrent = isCurrent
    started = dependencies.now()
  }

  /// The id of the run in the history.
  package var runID: String { dependencies.runID }

  /// What to store about this run in the lease's record; `nil` keeps what an earlier run stored.
  package var lastRun: LastJobRun? {
    get { state.withLock(\.lastRun) }
    set { state.withLock { $0.lastRun = newValue } }
  }

  /// Stores this about the run at once, so that the next run knows it even if this one is killed. Throws as ``check()``.
  package func store(_ run: LastJobRun) async throws {
    lastRun = run
    try await lease?.store(run)
  }

  /// What the job's last complete run stored, which costs no request while the lease is held. `nil` for a job that has
  /// not run, or that is divided into shards. Throws the container's errors.
  package var formerRun: LastJobRun? {
    get async throws {
      if let lease { return await lease.formerRun }
      guard let name = job.lease else { return nil }
      return try await LastJobRun.last(of: name, in: container)
    }
  }

  /// Whether the job holds a lease, whose record remembers its runs.
  package var isLeased: Bool { lease != nil }

  /// For a checkpoint; `nil` without a lease.
  package var savedLease: SavedLease? {
    get async { await lease?.savedLease }
  }

  /// The key that this run writes with, as the container stamps it; `nil` without a lease.
  package var author: RunAuthor? {
    get async { await lease?.author }
  }

  /// Digests of the tool's keys, past ones too, as the lease records show them (``CreatorNames/keyDigest(of:)``).
  package var keys: Set<String> {
    get async {
      let caller = container.callerRecordName.map(CreatorNames.keyDigest)
      return await (lease?.keys ?? []).union(caller.map { [$0] } ?? [])
    }
  }

  /// Throws ``LeaseError/overtaken(recordName:)`` when another run took the lease, so that nothing more is read in
  /// vain.
  package func check() async throws { try await lease?.check() }

  /// Writes the changes.
  ///
  /// Throws if the history cannot be written, before anything is sent. Later failures are in the report.
  ///
  /// - Parameters:
  ///   - undoes: what an undo takes back with these changes.
  ///   - derivation: as of a ``ChangeExecutor``.
  ///   - isLast: no further changes are known, so that a job without a known total has one from now on.
  package func apply(
    _ changes: [RecordChange], policy: ConflictPolicy, undoing undoes: UndoGoal? = nil,
    derivation: ChangeExecutor.Derivation? = nil, isLast: Bool = false
  ) async throws -> ChangeReport {
    guard !changes.isEmpty else {
      // The history keeps what an undo found undone, so that no run stays open.
      if undoes?.foundUndone.isEmpty == false { try recorder(undoes)?.intend([]) }
      return ChangeReport()
    }
    let recorder = try recorder(undoes)
    let executor = ChangeExecutor(
      container: lease.map { LeaseCheckedContainer(base: container, lease: $0) } ?? container,
      policy: policy, author: await lease?.author, derivation: derivation, journal: recorder,
      wait: dependencies.wait, waits: dependencies.waits,
      randomShare: dependencies.randomShare, progress: progress(of: changes.count, isLast: isLast))
    var report = await executor.apply(changes)
    if let schema = dependencies.schema { report.nameRoles(in: schema) }
    if let recorder, recorder.isUndoable { report.undoableRun = dependencies.runID }
    return report
  }

  /// Shows the changes of one call of ``apply(_:policy:undoing:derivation:isLast:)``, or for a job without a known total all so
  /// far.
  private func progress(of count: Int, isLast: Bool) -> @Sendable (_ decided: Int, _ total: Int) -> Void {
    let progress = dependencies.progress
    guard !job.knowsTotal else { return { progress($0, $1) } }
    let before = state.withLock { state in
      defer { state.decided += count }
      return state.decided
    }
    return { decided, _ in progress(before + decided, isLast ? before + count : nil) }
  }

  private func recorder(_ undoes: UndoGoal?) throws -> RunRecorder? {
    guard let folder else { return nil }
    return try state.withLock { state in
      if let recorder = state.recorder { return recorder }
      let run = RunRecord(
        id: dependencies.runID, command: job.command, kind: job.kind, target: container.identity,
        started: started, firstWrite: max(started, dependencies.now()), undoes: undoes)
      let recorder = try RunRecorder(
        run, in: try RunHistory(in: folder), container: container,
        userMade: job.typesOfUsers(dependencies.schema))
      state.recorder = recorder
      return recorder
    }
  }

  /// Ends the run in the history and releases the lease. A failure is only noted, because the records are already
  /// written.
  func end() async {
    let (recorder, lastRun) = state.withLock { ($0.recorder, $0.lastRun) }
    do {
      try recorder?.end(at: dependencies.now())
      if let folder, recorder != nil { try RunHistory(in: folder).prune(after: dependencies.runID) }
    } catch {
      dependencies.warn("the history could not be kept: \(CommandFailure(error).message)")
    }
    if let failure = await lease?.release(lastRun) { dependencies.warn("\(failure)") }
  }
}

struct LeaseCheckedContainer: ContainerWrapper {
  let base: any Container
  let lease: JobLease

  /// Its writes would not be checked.
  var simulatedUsers: (any SimulatedUsersContainer)? { nil }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await lease.confirm()
    do {
      let outcomes = try await base.modify(operations)
      if outcomes.contains(where: { $0.error != nil }) { await lease.markUncertain() }
      return outcomes
    } catch {
      await lease.markUncertain()
      throw error
    }
  }
}
