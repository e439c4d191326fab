internal import CloudKitModel
internal import Diagnostics
internal import Platform
internal import Synchronization

/// A running job that holds its lease, and through which it writes.
public final class LeasedJobWriter: Sendable {
  /// False when another run has written since the claim that this run continues: what was counted under it is too old.
  public let isCurrent: Bool
  private let job: WritingJob
  private let container: any Container
  private let environment: WriteSessionDependencies
  private let folder: StateFolder?
  private let lease: JobLease?
  private let state = Mutex(State())

  /// What the job opened, to be closed at its end.
  private struct State {
    var recorder: RunRecorder?
    var memory: LastJobRun?
  }

  init(
    _ job: WritingJob, container: any Container, environment: WriteSessionDependencies, folder: StateFolder?,
    lease: JobLease?, isCurrent: Bool
  ) {
    self.job = job
    self.container = container
    self.environment = environment
    self.folder = folder
    self.lease = lease
    self.isCurrent = isCurrent
  }

  /// What to store about this run in the lease's record; `nil` keeps what an earlier run stored.
  public var memory: LastJobRun? {
    get { state.withLock(\.memory) }
    set { state.withLock { $0.memory = newValue } }
  }

  /// For a checkpoint; `nil` without a lease.
  public var claim: SavedLease? {
    get async { await lease?.claim }
  }

  /// Throws ``LeaseError/overtaken(recordName:)`` when another run took the lease, so that nothing more is read in
  /// vain.
  public func check() async throws { try await lease?.check() }

  /// Writes the changes.
  ///
  /// Throws if the history cannot be written, before anything is sent. Later failures are in the report.
  ///
  /// - Parameters:
  ///   - undoes: what an undo takes back with these changes.
  ///   - derivation: see ``ChangeExecutor/Options/derivation``.
  public func apply(
    _ changes: [RecordChange], policy: ConflictPolicy, undoing undoes: UndoGoal? = nil,
    derivation: ChangeExecutor.Options.Derivation? = nil
  ) async throws -> ChangeReport {
    guard !changes.isEmpty else { return ChangeReport() }
    let recorder = try recorder(undoes)
    let executor = ChangeExecutor(
      container: lease.map { LeaseCheckedContainer(base: container, lease: $0) } ?? container,
      options: .init(policy: policy, author: await lease?.author, derivation: derivation), journal: recorder,
      wait: environment.wait,
      randomShare: environment.randomShare, progress: environment.progress)
    var report = await executor.apply(changes)
    if let recorder, recorder.isUndoable { report.undoableRun = environment.runID }
    return report
  }

  private func recorder(_ undoes: UndoGoal?) throws -> RunRecorder? {
    guard let folder else { return nil }
    return try state.withLock { state in
      if let recorder = state.recorder { return recorder }
      let run = RunRecord(
        job.command, id: environment.runID, kind: job.kind, target: container.identity,
        started: environment.now(), undoes: undoes)
      let recorder = try RunRecorder(
        run, in: try RunHistory(in: folder), container: container,
        userMade: UserCreatedRecordTypes(environment.schema)
      )
      state.recorder = recorder
      return recorder
    }
  }

  /// Ends the run in the history and releases the lease. A failure is only noted, because the records are already
  /// written.
  func end() async {
    let (recorder, memory) = state.withLock { ($0.recorder, $0.memory) }
    do {
      try recorder?.end(at: environment.now())
      if let folder, recorder != nil { try RunHistory(in: folder).prune(now: environment.now()) }
    } catch {
      environment.note("warning: the history could not be kept: \("\(error)")")
    }
    if let failure = await lease?.release(memory) { environment.note("warning: \(failure)") }
  }
}

/// A container that checks the lease before every write.
struct LeaseCheckedContainer: Container {
  let base: any Container
  let lease: JobLease

  var identity: ContainerIdentity { base.identity }
  var grouping: (any GroupCountingContainer)? { base.grouping }
  var serviceTime: Timestamp? { base.serviceTime }
  var callerRecordName: String? { base.callerRecordName }

  func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }

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
