internal import CloudKitModel

/// Keeps overlapping runs apart, across machines, by a record in the container that expires.
///
/// Every change of holder goes through the record's change tag, so two runs cannot both succeed. A run may also
/// ``observe()`` only and take the lease when it has something to write: had another run written in between, the
/// tag would differ and taking it fails. The lease is written directly, not by the executor: a lost race must
/// be a refusal here, never something to retry.
actor Lease {
  static let recordType = "AdminLease"
  static let missing = "the schema has no record type \(recordType): overlapping runs are not kept apart"
  /// Long enough for a throttled page, short enough after a crash.
  static let lifetime: Int64 = 10 * 60 * 1000
  /// Times a write is sent whose reply is lost and which did not happen.
  private static let attempts = 3

  private let container: any Container
  private let recordName: String
  private let job: String
  private let shard: Shard
  private let holder: String
  private let now: @Sendable () -> Timestamp
  private var changeTag: String?
  private var expiresAt: Timestamp?
  private var isRenewing = false
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

  /// Looks at the lease without taking it. Throws ``RecountError/locked(until:)`` while another run holds it, or
  /// one for a part that overlaps.
  func observe() async throws {
    let outcome = try await container.lookup(LookupRequest([recordName])).first
    if let error = outcome?.error, error.code != .notFound { throw error }
    try refuse(outcome?.record)
    changeTag = outcome?.record?.changeTag
    try await refuseOverlaps()
  }

  /// Takes the lease as it was observed.
  func acquire() async throws {
    guard !isHeld else { return }
    try await write(expiresAt: Timestamp(milliseconds: now().milliseconds + Self.lifetime))
    isHeld = true
    do {
      try await refuseOverlaps()
    } catch {
      await release()
      throw error
    }
  }

  /// Extends the lease when a third of its life is over; does nothing when it is not held.
  func renewIfDue() async throws {
    guard isHeld, !isRenewing, let expiresAt else { return }
    let left = expiresAt.milliseconds - now().milliseconds
    if left < Self.lifetime * 2 / 3 { try await renew() }
  }

  /// Makes sure that the lease is still this run's. Throws ``RecountError/leaseLost``.
  func renew() async throws {
    guard isHeld else { return }
    isRenewing = true
    defer { isRenewing = false }
    do {
      try await write(expiresAt: Timestamp(milliseconds: now().milliseconds + Self.lifetime))
    } catch is RecountError {
      isHeld = false
      throw RecountError.leaseLost
    }
  }

  /// Ends the lease, as well as it can: one that cannot be ended expires by itself.
  func release() async {
    guard isHeld else { return }
    isHeld = false
    try? await write(expiresAt: now())
  }

  private func write(expiresAt moment: Timestamp) async throws {
    for attempt in 1... {
      do {
        try accept(try await container.modify([operation(expiresAt: moment)]).first)
        break
      } catch  where error.leavesWriteOpen {
        guard try await !isWritten(expiresAt: moment) else { break }
        guard attempt < Self.attempts, error is ContainerFailure else { throw error }
      }
    }
    expiresAt = moment
  }

  private func operation(expiresAt moment: Timestamp) -> RecordOperation {
    RecordOperation(
      changeTag == nil ? .create : .update, recordType: Self.recordType, recordName: recordName,
      changeTag: changeTag,
      fields: [
        "holder": .string(holder), "purpose": .string("\(job) \(shard)"), "expiresAt": .timestamp(moment),
      ])
  }

  /// Whether the container has what was to be written. The reply may be lost and not the request; and a request
  /// sent again on a fresh connection, as HTTP libraries do unasked, meets a conflict with itself.
  private func isWritten(expiresAt moment: Timestamp) async throws -> Bool {
    let record = try await container.lookup(LookupRequest([recordName])).first?.record
    guard record?["holder"]?.string == holder, record?["expiresAt"]?.timestamp == moment else { return false }
    changeTag = record?.changeTag
    return true
  }

  private func accept(_ outcome: RecordOutcome?) throws {
    switch outcome {
    case .record(let record): changeTag = record.changeTag
    case .failed(_, let error) where [.conflict, .exists, .notFound].contains(error.code):
      throw RecountError.locked(until: nil)
    case .failed(_, let error): throw error
    case .deleted, nil: throw ContainerFailure(.transport, "the lease's outcome is missing from the answer")
    }
  }

  private func refuseOverlaps() async throws {
    for record in try await container.allRecords(Query(Self.recordType)) where overlaps(record) {
      try refuse(record)
    }
  }

  /// The query index may lag: a run that is about to begin looks again after taking its own.
  private func overlaps(_ record: Record) -> Bool {
    guard record.recordName != recordName, let purpose = record["purpose"]?.string,
      purpose.hasPrefix(job + " "), let other = Shard(String(purpose.dropFirst(job.count + 1)))
    else { return false }
    return other.overlaps(shard)
  }

  private func refuse(_ record: Record?) throws {
    guard let record, record["holder"]?.string != holder, let end = record["expiresAt"]?.timestamp,
      end > now()
    else { return }
    throw RecountError.locked(until: end)
  }
}

extension Error {
  /// It takes a look at the record to know whether the lease was written.
  fileprivate var leavesWriteOpen: Bool {
    if case .locked? = self as? RecountError { return true }
    return (self as? ContainerFailure)?.kind == .transport
  }
}
