internal import CloudKitModel

/// Keeps overlapping runs apart, across machines, by a record in the container that expires.
///
/// A run ``observe()``s the lease before it reads anything, and takes it once it knows that it has something to
/// write: a run that finds every value as it was writes nothing at all. What must never happen is that an older
/// truth is written over a newer one, and that the observed change tags exclude: had another run written since,
/// they would have moved, and taking the lease fails. The time of expiry only says how long others wait for a run
/// that was killed. The lease is written directly, not by the executor: a lost race must be a refusal here, never
/// something to retry.
actor Lease {
  /// What a run knows of its lease, kept in a checkpoint so that the run's continuation may take it over.
  struct Claim: Sendable, Hashable {
    var holder: String
    /// Change tags of this lease and of those for parts that overlap, by record name, before the scan began.
    var seen: [String: String]
  }

  static let recordType = "AdminLease"
  static let missing = "the schema has no record type \(recordType): overlapping runs are not kept apart"
  static func unreleased(_ failure: any Error) -> String {
    "the lease could not be released and blocks other runs until it expires: \(failure)"
  }
  /// Milliseconds. After a crash others wait so long. It may run out under a run that is being throttled: that run
  /// then goes on only if no other took the lease meanwhile.
  static let lifetime: Int64 = 2 * 60 * 1000
  /// The `expiresAt` of a released lease: in the past by every clock, even if the clock of the run was wrong.
  static let over = Timestamp(milliseconds: 0)
  /// Times a write is sent whose reply is lost and which did not happen.
  private static let attempts = 3
  /// Limit for the release, which the run's cancellation does not stop.
  private static let longestRelease = Duration.seconds(20)

  private let container: any Container
  private let recordName: String
  private let job: String
  private let shard: Shard
  private let holder: String
  private let now: @Sendable () -> Timestamp
  private var seen: [String: String]?
  private var expiresAt = Timestamp(milliseconds: 0)
  private var isDoubted = false
  private var isWriting = false
  /// A write of this run may be in the record, even if its reply was lost.
  private var mayBeWritten = false
  private(set) var isHeld = false

  /// - Parameters:
  ///   - job: what is locked: `recount subscribers`.
  ///   - holder: a random name for this run; never a person's or a machine's.
  init(
    job: String, shard: Shard, holder: String, container: any Container,
    now: @escaping @Sendable () -> Timestamp
  ) {
    let part = shard.isWhole ? "" : "-\(shard.index)-of-\(shard.count)"
    recordName = "lease-" + job.map { $0 == " " ? "-" : String($0) }.joined() + part
    self.job = job
    self.shard = shard
    self.holder = holder
    self.container = container
    self.now = now
  }

  var claim: Claim { Claim(holder: holder, seen: seen ?? [:]) }

  /// Looks at the lease without taking it.
  ///
  /// - Parameter earlier: the claim of the run that this one continues. Its lease, if it still holds one, is this
  ///   run's to take.
  /// - Returns: false when another run has written since that claim was made: what was counted under it is too old.
  ///
  /// Throws ``RecountError/locked(until:wait:)`` while another run holds the lease, or one for a part that overlaps.
  @discardableResult
  func observe(continuing earlier: Claim? = nil) async throws -> Bool {
    async let parts = overlapping()
    let own = try await lookup()
    let records = [own].compactMap(\.self) + (try await parts)
    let others = records.filter { $0.holder != earlier?.holder }
    try refuse(others)
    seen = records.reduce(into: [:]) { $0[$1.recordName] = $1.changeTag }
    guard let earlier else { return true }
    return others.allSatisfy { earlier.seen[$0.recordName] == $0.changeTag }
  }

  /// Takes the lease as it was observed. Throws ``RecountError/locked(until:wait:)`` or ``RecountError/overtaken``.
  func acquire() async throws {
    guard !isHeld, !isWriting else { return }
    try await write(until: end)
    isHeld = true
    do {
      // The query index may lag behind what was there when this run began.
      let others = try await overlapping()
      try refuse(others)
      guard others.allSatisfy({ seen?[$0.recordName] == $0.changeTag }) else { throw RecountError.overtaken }
    } catch {
      await release()
      throw error
    }
  }

  /// Makes sure that the lease is still this run's, when a third of its life is over or there is a reason to doubt
  /// it. Does nothing when it is not held. Throws ``RecountError/overtaken``.
  func renewIfDue() async throws {
    let isDue = expiresAt.since(now()) < .milliseconds(Self.lifetime * 2 / 3)
    guard isHeld, !isWriting, isDoubted || isDue else { return }
    try await write(until: end)
  }

  private var end: Timestamp { Timestamp(milliseconds: now().milliseconds + Self.lifetime) }

  /// A write was refused, or its reply lost. Before it is tried again on top of what is there now, the lease must
  /// be renewed: what is there may be the newer value of a run that took over.
  func doubt() { isDoubted = true }

  /// Releases the lease, also when the run was cancelled: the write has a task of its own, with a time limit.
  ///
  /// - Returns: why the release failed. The lease then expires by itself.
  @discardableResult
  func release() async -> (any Error)? {
    guard isHeld || mayBeWritten else { return nil }
    isHeld = false
    let writing = Task { try await write(until: Self.over) }
    let deadline = Task {
      try await Task.sleep(for: Self.longestRelease)
      writing.cancel()
    }
    defer { deadline.cancel() }
    switch await writing.result {
    case .failure(let error) where !(error is RecountError): return error
    // Another run has the lease.
    case .success, .failure: return nil
    }
  }

  // MARK: The record

  private func write(until end: Timestamp) async throws {
    isWriting = true
    mayBeWritten = true
    defer { isWriting = false }
    do {
      try await writeUntilSettled(end)
    } catch let error as RecountError {
      // Another run wrote the record.
      (isHeld, mayBeWritten) = (false, false)
      throw error
    }
    expiresAt = end
    isDoubted = false
    mayBeWritten = end != Self.over
  }

  private func writeUntilSettled(_ end: Timestamp) async throws {
    for attempt in 1... {
      do {
        if try accept(try await container.modify([operation(expiresAt: end)]).first) { return }
        if try isWritten(expiresAt: end, try await lookup()) { return }
        guard attempt < Self.attempts else { throw RecountError.overtaken }
      } catch let failure as ContainerFailure where failure.kind == .transport && attempt < Self.attempts {
        // The reply may be lost and not the request.
        if try isWritten(expiresAt: end, try await lookup()) { return }
      }
    }
  }

  private func operation(expiresAt moment: Timestamp) -> RecordOperation {
    let tag = seen?[recordName]
    return RecordOperation(
      tag == nil ? .create : .update, recordType: Self.recordType, recordName: recordName, changeTag: tag,
      fields: [
        "holder": .string(holder), "purpose": .string("\(job) \(shard)"), "expiresAt": .timestamp(moment),
      ])
  }

  /// False when the record is no longer as this run saw it.
  private func accept(_ outcome: RecordOutcome?) throws -> Bool {
    switch outcome {
    case .record(let record):
      seen?[recordName] = record.changeTag
      return true
    case .failed(_, let error) where [.conflict, .exists, .notFound].contains(error.code): return false
    case .failed(_, let error): throw error
    case .deleted, nil: throw ContainerFailure(.transport, "the lease's outcome is missing from the answer")
    }
  }

  /// Whether the record holds this write. It can after a conflict: HTTP libraries send a request again on a new
  /// connection without being asked, and the second one then conflicts with the first. If the record holds another
  /// write of this run, the next attempt goes on from its change tag. Throws ``RecountError`` when another run wrote.
  private func isWritten(expiresAt moment: Timestamp, _ record: Record?) throws -> Bool {
    guard record?.holder == holder else {
      guard record?.changeTag != seen?[recordName] else { return false }
      try refuse([record].compactMap(\.self))
      throw RecountError.overtaken
    }
    seen?[recordName] = record?.changeTag
    return record?["expiresAt"]?.timestamp == moment
  }

  private func lookup() async throws -> Record? {
    try await container.lookup(LookupRequest([recordName])).first?.found
  }

  /// Leases for other parts that have targets in common with this one.
  private func overlapping() async throws -> [Record] {
    try await container.allRecords(Query(Self.recordType)).filter(isOfOverlappingPart)
  }

  private func isOfOverlappingPart(_ record: Record) -> Bool {
    guard record.recordName != recordName, let purpose = record["purpose"]?.string,
      purpose.hasPrefix(job + " "), let other = Shard(String(purpose.dropFirst(job.count + 1)))
    else { return false }
    return other.overlaps(shard)
  }

  private func refuse(_ records: [Record]) throws {
    let moment = now()
    let ends = records.filter { $0.holder != holder }.compactMap { $0["expiresAt"]?.timestamp }
    guard let end = ends.max(), end > moment else { return }
    throw RecountError.locked(until: end, wait: end.since(moment))
  }
}

extension Record {
  fileprivate var holder: String? { self["holder"]?.string }
}

/// Looks at the lease before every write.
struct LeasedContainer: Container {
  let base: any Container
  let lease: Lease

  var identity: ContainerIdentity { base.identity }
  func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await lease.renewIfDue()
    do {
      let outcomes = try await base.modify(operations)
      if outcomes.contains(where: { $0.error != nil }) { await lease.doubt() }
      return outcomes
    } catch {
      await lease.doubt()
      throw error
    }
  }
}
