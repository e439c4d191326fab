internal import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

/// Reads and writes the lease records of a job. If a reply is lost, reads the record again to find out what happened.
actor LeaseRecordStore {
  enum Result: Sendable {
    case written
    /// Another run wrote the record.
    case lost
    case refused(any Error)
  }

  private let name: LeaseName
  private let container: any Container
  /// The fields of the schema's AdminLease; `nil` when the schema is not known.
  private var known: Set<String>?
  /// The records of this run and of the whole job as last read or written, by name.
  private var seen: [String: Record] = [:]
  /// From the first record that this run wrote.
  private(set) var author: RunAuthor?
  /// Digests of the keys that wrote the leases of this job and of seeds, as the records show.
  private(set) var keys: Set<String> = []
  private let dependencies: WriteSessionDependencies

  init(_ name: LeaseName, in container: any Container, _ dependencies: WriteSessionDependencies) {
    self.name = name
    self.container = container
    self.dependencies = dependencies
    let type = dependencies.schema?[recordType: LeaseRecord.recordType]
    known = type.map { Set($0.fields.map(\.name)) }
  }

  /// Whether the schema has the field for the number of shards. Without it, a whole run and its shards are not kept
  /// apart.
  var knowsParts: Bool { known?.contains("parts") ?? true }

  func read() async throws -> LeaseTable {
    let names = [name.recordName, name.wholeRecordName]
    let found = try await container.leases(names + [LeaseName.seed.wholeRecordName])
    seen[name.wholeRecordName] = found[1]
    seen[name.recordName] = found[0]
    for record in found { keys.formUnion(record?.keysOfTool ?? []) }
    var board = LeaseTable(own: found[0], whole: found[1])
    let parts = board.whole?.leaseParts ?? 0
    if parts > 0, parts != name.part?.count {
      board.parts = try await container.leases(name.partNames(count: parts)).compactMap(\.self)
    }
    if !container.clock.isLocal { board.serviceTime = try await container.clock.time()?.earliest }
    return board
  }

  /// Takes the lease in the given state. A shard first writes the number of shards into the record of the whole job,
  /// so that a whole run can look up its shards by name.
  func claim(_ board: LeaseTable, content: [String: FieldValue?]) async -> Result {
    if let part = name.part, knowsParts {
      let registered = await register(part, content, in: board.whole)
      guard case .written = registered else { return registered }
      return await write(content)
    }
    return await write(content.merging(["parts": .int64(0)]) { $1 })
  }

  private func register(
    _ part: LeaseName.Part, _ content: [String: FieldValue?], in whole: Record?
  ) async -> Result {
    guard whole?.leaseParts != part.count || whole?.isLeaseHeld == true else { return .written }
    var fields: [String: FieldValue?] = [
      "parts": .int64(Int64(part.count)), "expiresAt": .timestamp(LeaseRecord.released),
    ]
    if whole == nil { fields.merge(content.filter { $0.key != "expiresAt" }) { $1 } }
    return await write(fields, to: name.wholeRecordName)
  }

  /// Writes a record as it was last seen, this run's own by default.
  func write(_ fields: [String: FieldValue?], to other: String? = nil) async -> Result {
    let recordName = other ?? name.recordName
    var waited = Duration.zero
    var attempt = 1
    while true {
      var trouble: Result
      var lostReply: ContainerFailure?
      var retryAfter: Duration?
      do {
        switch try await send(fields, to: recordName, seen[recordName]) {
        case .record(let record)?:
          author = author ?? RunAuthor(record.modified, isFirst: true)
          keys.formUnion(record.keysOfTool)
          seen[recordName, default: record].changeTag = record.changeTag
          return .written
        case .failed(_, let error)? where error.isTransient:
          trouble = .refused(error)
          retryAfter = error.retryAfter
        case .failed(_, let error)? where !error.isLostRace: return .refused(error)
        default: trouble = .lost
        }
      } catch let failure as ContainerFailure where failure.leavesWriteOpen {
        trouble = .lost
        lostReply = failure
      } catch {
        return .refused(error)
      }
      // The request may have succeeded although the reply was lost, or HTTP may have sent it twice. The record shows
      // what happened.
      if case .lost = trouble {
        do {
          if let settled = try await decideByReading(fields, of: recordName) { return settled }
          // No other run has written it: the service is at fault.
          if let lostReply { trouble = .refused(lostReply) }
        } catch {
          trouble = .refused(error)
        }
      }
      let pause = RetryPolicy.leases.wait(
        afterAttempt: attempt, retryAfter: retryAfter, waited: waited, share: dependencies.randomShare())
      guard let pause else { return trouble }
      let wait = Wait(
        "container busy", detail: "container busy (the record of the lease)", elapsed: waited, pause: pause,
        limit: RetryPolicy.leases.longestWaits(
          afterAttempt: attempt, pause, retryAfter: retryAfter, waited: waited))
      let ended = dependencies.waits.begin(wait)
      defer { ended() }
      do { try await dependencies.clock.sleep(for: pause) } catch { return .refused(error) }
      waited += pause
      attempt += 1
    }
  }

  /// Whether the record has this run's values or another run's; `nil` if it is unchanged.
  private func decideByReading(_ fields: [String: FieldValue?], of recordName: String) async throws -> Result?
  {
    let former = seen[recordName]
    let found = try await container.leases([recordName])[0]
    seen[recordName] = found
    guard found?["holder"] == fields["holder"] ?? nil else {
      return found?.changeTag == former?.changeTag ? nil : .lost
    }
    return found?["expiresAt"] == fields["expiresAt"] ?? nil ? .written : nil
  }

  /// Sends one write. Fields that the schema lacks are left out, and those that an older
  /// schema lacks when the container refuses them.
  private func send(
    _ fields: [String: FieldValue?], to recordName: String, _ existing: Record?
  ) async throws -> RecordOutcome? {
    let sent = fields.filter { known?.contains($0.key) ?? true }
    let operation = RecordOperation(
      existing == nil ? .create : .update, recordType: LeaseRecord.recordType, recordName: recordName,
      changeTag: existing?.changeTag, fields: sent)
    let outcome: RecordOutcome?
    do { outcome = try await container.modify([operation]).first } catch let error as ServerError
      where error.code == .badRequest
    {
      outcome = .failed(recordName: recordName, error)
    }
    guard outcome?.error?.code == .badRequest, !LeaseRecord.leastFields.isSuperset(of: sent.keys) else {
      return outcome
    }
    known = LeaseRecord.leastFields
    return try await send(fields, to: recordName, existing)
  }
}

extension ServerError {
  /// The record was changed since it was read.
  fileprivate var isLostRace: Bool {
    code == .conflict || code == .exists || code == .notFound && !reason.contains("record_type")
  }
}
