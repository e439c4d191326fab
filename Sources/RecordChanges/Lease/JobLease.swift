internal import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

/// Prevents two runs of one job from working at the same time, also on different machines, with a record that the
/// running one renews.
///
/// The clocks of two machines are never compared (``LeaseWatcher``). A lease only saves work; change tags keep the
/// data correct. It is not written by the executor, because a conflict must end this run instead of being retried.
actor JobLease {
  enum Acquisition: Sendable {
    case held
    /// The container has no leases, for the given reason, such as a right that the key lacks.
    case unavailable(PrintableText, without: Privilege? = nil)
  }

  let name: LeaseName
  private let dependencies: WriteSessionDependencies
  private let records: LeaseRecordStore
  private var terms: LeaseDurations { dependencies.lease }
  private var clock: any MonotonicClock { dependencies.clock }

  /// How the container stamps this run's writes, as its first write of the lease shows; `nil` when the container did not
  /// return the record.
  var author: RunAuthor? { get async { await records.author } }

  /// Digests of the tool's keys, as the lease records show them.
  var keys: Set<String> { get async { await records.keys } }

  private var isHeld = false
  private var isLost = false
  private var isDoubted = false
  /// When the record was last known to belong to this run.
  private var confirmed = Duration.zero
  private(set) var savedLease: SavedLease
  /// What the last complete run stored; `nil` for a job that is divided into shards.
  private(set) var formerRun: LastJobRun?
  /// False if another run has written since the claim that this run continues.
  private(set) var isCurrent = true
  private var wasCompared = false

  init(_ name: LeaseName, dependencies: WriteSessionDependencies, container: any Container) {
    self.name = name
    self.dependencies = dependencies
    records = LeaseRecordStore(name, in: container, dependencies)
    savedLease = SavedLease(holder: dependencies.runID)
  }

  // MARK: Taking

  /// Takes a lease. If the container has no leases, prints a note with the reason and returns `nil`.
  ///
  /// - Throws: as ``take(dead:continuing:)``, and `ServerError` when the missing right to the lease proves that the key may
  ///   not write `types` either.
  static func take(
    _ name: LeaseName, in container: any Container, _ dependencies: WriteSessionDependencies,
    dead: Set<String>, writing types: Set<String> = [],
    continuing earlier: SavedLease? = nil
  ) async throws -> JobLease? {
    let reason: PrintableText
    if let schema = dependencies.schema, schema[recordType: LeaseRecord.recordType] == nil {
      // A run that needs record types says itself that there are none.
      guard !schema.isNew else { return nil }
      reason =
        """
        the schema has no record type \(LeaseRecord.recordType). Ignore this where only one machine writes, or add the \
        type as 'schema init' with --template celestra or sessions writes it
        """
    } else {
      let lease = JobLease(name, dependencies: dependencies, container: container)
      switch try await lease.take(dead: dead, continuing: earlier) {
      case .held: return lease
      case .unavailable(let why, let privilege):
        let refusals = types.sorted().compactMap { type in
          privilege.flatMap {
            dependencies.schema?.refusal(toWrite: type, without: $0, on: LeaseRecord.recordType)
          }
        }
        if let refusal = refusals.first { throw refusal }
        reason = why
      }
    }
    dependencies.note("note: runs on several machines may overlap: \(reason)")
    return nil
  }

  /// Takes the lease. Waits if that is necessary to find out whether its holder is alive.
  ///
  /// - Parameters:
  ///   - dead: runs known to have ended.
  ///   - earlier: the claim of the run that this one continues.
  /// - Throws: ``LeaseError/held(_:)``, and the container's errors.
  func take(dead: Set<String>, continuing earlier: SavedLease?) async throws -> Acquisition {
    var watch = LeaseWatcher(terms: terms, dead: dead.union(earlier.map { [$0.holder] } ?? []))
    let start = clock.uptime
    var waitEnded: (@Sendable () -> Void)?
    defer { waitEnded?() }
    while true {
      let board: LeaseTable
      do { board = try await records.read() } catch let error as ServerError where error.isMissingRight {
        return .unavailable(
          "the key may not read leases", without: error.code == .accessDenied ? .read : nil)
      }
      compare(board, earlier)
      if let blocking = try living(board, &watch) {
        if waitEnded == nil {
          dependencies.note(waiting(for: blocking))
          waitEnded = dependencies.waits.begin(wait(for: blocking))
        }
        if let wait = terms.wait, clock.uptime - start >= wait { throw LeaseError.held(blocking.shownHolder) }
      } else {
        // A claim that has begun is completed even if the run is cancelled, because half a claim would block other
        // runs.
        switch await Task(operation: { await records.claim(board, content: content) }).value {
        // Ignore the failure: change tags keep the data correct, and the run's first write will show what is wrong
        // with the service.
        case .refused(let error):
          let isDenied = (error as? ServerError)?.code == .accessDenied
          return .unavailable(
            "\(CommandFailure(error).message)",
            without: isDenied ? board.own == nil ? .create : .write : nil)
        case .lost: break
        case .written:
          do {
            try Task.checkCancellation()
            if try await isAlone(&watch) { return held(board) }
          } catch {
            await withdraw()
            throw error
          }
          await withdraw()
        }
      }
      try await clock.sleep(for: terms.interval)
    }
  }

  /// Releases a claim that is not used.
  private func withdraw() async {
    let fields = content(expiresAt: LeaseRecord.released)
    _ = await Task { await records.write(fields) }.value
  }

  private func held(_ board: LeaseTable) -> Acquisition {
    isHeld = true
    confirmed = clock.uptime
    savedLease.others = board.otherHolders(than: name.recordName)
    formerRun = name.part == nil && board.parts.isEmpty ? board.own.flatMap(LastJobRun.init) : nil
    return .held
  }

  private func compare(_ board: LeaseTable, _ earlier: SavedLease?) {
    guard let earlier, !wasCompared else { return }
    wasCompared = true
    // A whole run ends the division into shards, whose records are not read any more.
    isCurrent =
      board.own?.leaseHolder == earlier.holder
      && board.otherHolders(than: name.recordName).allSatisfy { earlier.others[$0.key] == $0.value }
  }

  /// The first lease that prevents this run from starting; `nil` if all are free. Throws if its holder is alive and
  /// the caller did not ask to wait.
  private func living(_ board: LeaseTable, _ watch: inout LeaseWatcher) throws -> Record? {
    guard !terms.breaksOthers else { return nil }
    var blocking: Record?
    for record in board.blocking where record.leaseHolder != dependencies.runID {
      switch judge(record, board, &watch) {
      case .free: continue
      case .silent: blocking = blocking ?? record
      case .moving where terms.wait == nil: throw LeaseError.held(record.shownHolder)
      case .moving: blocking = blocking ?? record
      }
    }
    return blocking
  }

  /// Whether no other run took an overlapping lease at the same moment.
  private func isAlone(_ watch: inout LeaseWatcher) async throws -> Bool {
    let board = try await records.read()
    guard !terms.breaksOthers else { return true }
    if let count = name.part?.count, await records.knowsParts, board.whole?.leaseParts != count {
      return false
    }
    let others = board.blocking.filter { $0.leaseHolder != dependencies.runID }
    return others.allSatisfy { judge($0, board, &watch) == .free }
  }

  /// Also asks the lock of the record that blocks this run, which is another file than this run's own for the whole job
  /// and for each shard.
  private func judge(_ record: Record, _ board: LeaseTable, _ watch: inout LeaseWatcher)
    -> LeaseWatcher.Verdict
  {
    let verdict = watch.judge(record, uptime: clock.uptime, serviceTime: board.serviceTime)
    guard verdict != .free, let folder = try? dependencies.stateFolder?() else { return verdict }
    let lock = LeaseName.lockName(ofRecord: record.recordName)
    // Without such a file, its holder did not run in this folder.
    return (try? RunLock.hasEnded(record.leaseHolder, lock: lock, in: folder)) == true ? .free : verdict
  }

  /// With `--wait` the run gives up after that time. Without, it takes the place of a holder that stays silent.
  private func wait(for record: Record) -> Wait {
    let detail = "another run holds the lease (\(record.shownHolder.purpose), run \(record.shownHolder.run))"
    if let most = terms.wait { return Wait("another run holds the lease", detail: detail, limit: most) }
    return Wait(
      "another run holds the lease", detail: detail, limit: terms.silence, end: "taking over",
      condition: "unless it renews it")
  }

  private func waiting(for record: Record) -> PrintableText {
    let other = record.shownHolder
    let renewed = record.modified.map { ", renewed at \($0.timestamp.iso8601)" } ?? ""
    let start = dependencies.now()
    return
      "Another run holds the lease (\(other.purpose), run \(other.run)\(renewed)). If it does not renew it again, it was "
      + "killed, and this run takes over at \((start + terms.silence).iso8601). If it does, this run "
      + (terms.wait.map { "waits for it until \((start + $0).iso8601)." as PrintableText } ?? "ends.")
  }

  // MARK: Holding

  func keepAlive() async {
    while !Task.isCancelled, isHeld, !isLost {
      do { try await clock.sleep(for: terms.renewal) } catch { return }
      // A failed renewal is repeated at the next interval. Whether this run still holds the lease is checked before
      // each write.
      await renew()
    }
  }

  /// Throws ``LeaseError/overtaken(recordName:)`` when another run took the lease.
  func check() throws {
    if isLost { throw LeaseError.overtaken(recordName: name.recordName) }
  }

  /// Checks before a write that this run still holds the lease, if that is in doubt or the last renewal is not
  /// recent.
  func confirm() async throws {
    try check()
    guard isHeld else { return }
    if isDoubted || clock.uptime - confirmed > terms.renewal * 2 { await renew() }
    try check()
  }

  /// Call when a write was refused or its reply was lost. The lease must be renewed before the write is repeated,
  /// because the current value may come from a run that took over the lease.
  func markUncertain() { isDoubted = true }

  /// Stores what the next run must know, even if this one is killed. Throws as ``check()``.
  func store(_ run: LastJobRun) async throws {
    await renew(run.fields)
    try check()
  }

  private func renew(_ more: [String: FieldValue?] = [:]) async {
    guard isHeld, !isLost else { return }
    switch await records.write(content.merging(more) { $1 }) {
    case .written:
      confirmed = clock.uptime
      isDoubted = false
    case .lost: isLost = true
    case .refused: break
    }
  }

  /// Releases the lease, even if the run was cancelled: the write has its own task with a time limit.
  ///
  /// - Returns: why the release failed. The lease then becomes free when it is not renewed.
  func release(_ lastRun: LastJobRun?) async -> PrintableText? {
    guard isHeld, !isLost else { return nil }
    isHeld = false
    let fields = content(expiresAt: LeaseRecord.released).merging(lastRun?.fields ?? [:]) { $1 }
    let result = await TimeLimit.run(for: .seconds(20), by: clock) { [records] in
      await records.write(fields)
    }
    guard case .refused(let error) = result else { return nil }
    let reason =
      error is CancellationError
      ? "the container did not answer in time" : CommandFailure(error).message
    return
      "the lease \(name.recordName) could not be released and blocks other runs for some minutes: \(reason)"
  }

  private var content: [String: FieldValue?] {
    content(expiresAt: Timestamp(milliseconds: dependencies.now().milliseconds + LeaseRecord.shownLifetime))
  }

  private func content(expiresAt moment: Timestamp) -> [String: FieldValue?] {
    [
      "holder": .string(dependencies.runID), "purpose": .string(name.purpose),
      "expiresAt": .timestamp(moment),
    ]
  }
}

extension ServerError {
  var isMissingRight: Bool { code == .accessDenied || code == .notFound }
}
