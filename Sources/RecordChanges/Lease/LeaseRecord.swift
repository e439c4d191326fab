package import CloudKitModel
internal import Cryptography
package import Diagnostics

/// The content of an AdminLease record.
package enum LeaseRecord {
  package static let recordType = "AdminLease"
  /// The fields that every schema with leases has; older ones lack the others.
  static let leastFields: Set<String> = ["expiresAt", "holder", "purpose"]
  /// The `expiresAt` of a released lease: in the past by every clock.
  static let released = Timestamp(milliseconds: 0)
  /// What a lease record has after its release; the other fields stay.
  package static let releasedFields: [String: FieldValue] = ["expiresAt": .timestamp(released)]
  /// In milliseconds, from a renewal to the `expiresAt` that it writes, for people who look at the record. A run judges
  /// a lease by its silence instead.
  static let shownLifetime: Int64 = 2 * 60 * 1000
}

extension Container {
  /// The jobs that hold a lease; `nil` when the container has no leases, or the key may not read them. Throws the container's
  /// other errors.
  package func leaseHolders() async throws -> [LeaseHolder]? {
    do {
      return try await allRecords(Query(LeaseRecord.recordType)).filter(\.isLeaseHeld).map(\.shownHolder)
    } catch let refusal as ServerError
      where [.accessDenied, .badRequest, .notFound].contains(refusal.code)
    {
      return nil
    }
  }

  /// Throws ``CommandFailure`` for changes that delete a lease which its run did not release.
  package func requireReleasedLeases(deletedBy changes: [RecordChange]) async throws {
    let deleted = changes.filter { $0.action == .delete && $0.recordType == LeaseRecord.recordType }
    let records = try await existingRecords(deleted.map(\.recordName), desiredKeys: nil).values
    guard let held = records.filter(\.isLeaseHeld).min(by: { $0.recordName < $1.recordName }) else { return }
    let holder = held.shownHolder
    throw CommandFailure(
      "\(held.recordName) is the lease of a run (\(holder.purpose), run \(holder.run)); nothing was deleted, because without it another run could write at the same time",
      code: "locked",
      hint: "Wait until the run ends. If you are sure that it no longer runs, add --break-lease.",
      status: .locked)
  }

  /// The lease records with these names; `nil` for one that does not exist. Throws the container's errors.
  func leases(_ names: [String]) async throws -> [Record?] {
    let type = LeaseRecord.recordType
    do { return try await lookupAll(names, of: type).map { try $0.found } } catch let refusal as ServerError {
      throw refusal.ofQuery(of: type)
    }
  }
}

extension Record {
  var leaseHolder: String { self["holder"]?.string ?? "" }

  /// True if a run took the lease and did not release it, whether that run is alive or not.
  var isLeaseHeld: Bool {
    !leaseHolder.isEmpty && (self["expiresAt"]?.timestamp ?? LeaseRecord.released) > LeaseRecord.released
  }

  /// The shards that the job is divided into at present; 0 when it is not.
  var leaseParts: Int {
    guard let parts = self["parts"]?.int64, (1...10_000).contains(parts) else { return 0 }
    return Int(parts)
  }

  /// Digests of the keys that this lease record shows: those that made it and changed it last, and those that the last
  /// run remembered. Only the tool's keys may write such records.
  var keysOfTool: Set<String> {
    let stamps = [created, modified].compactMap { $0?.userRecordName }.filter { !$0.isEmpty }
    let last = LastJobRun(self)?.keys ?? []
    return Set(stamps.map(CreatorNames.keyDigest)).union(last)
  }

  var shownHolder: LeaseHolder {
    let purpose = self["purpose"]?.string ?? recordName
    let whole = " 1/1"
    return LeaseHolder(
      purpose: purpose.hasSuffix(whole) ? String(purpose.dropLast(whole.count)) : purpose,
      run: leaseHolder)
  }
}

struct LeaseTable {
  var own: Record?
  /// The record of the whole job, which is ``own`` for a whole run.
  var whole: Record?
  /// The records of the shards that exclude this run: of every shard for a whole run, else of the shards of a division
  /// into another number.
  var parts: [Record] = []
  /// The earliest time that it can be by the service's clock; `nil` for a container on this machine, whose clock may be
  /// set while a run holds the lease.
  var serviceTime: Timestamp?

  /// The leases that prevent this run from starting while their holders are alive.
  var blocking: [Record] {
    let isWhole = own?.recordName == whole?.recordName
    return [own, isWhole ? nil : whole].compactMap(\.self) + parts
  }

  func otherHolders(than name: String) -> [String: String] {
    let others = [whole].compactMap(\.self) + parts
    return others.filter { $0.recordName != name }.reduce(into: [:]) { $0[$1.recordName] = $1.leaseHolder }
  }
}

/// The state of a run's lease, saved in a checkpoint. The run that continues the checkpoint takes over the lease
/// without waiting, and finds out whether another run has written since.
package struct SavedLease: Sendable, Hashable {
  package var holder: String
  /// The holders of the other records of the job, by record name.
  package var others: [String: String] = [:]
}

extension SavedLease: FileRecord {
  package init() { self.init(holder: "") }

  package static let members: [FileMember<Self>] = [
    FileMember("holder", \.holder), FileMember("others", orEmpty: \.others),
  ]
}

/// The facts about a job's last run that are stored in its AdminLease record, where any machine can read them.
package struct LastJobRun: Sendable, Hashable {
  /// By the container's clock.
  package var finishedAt: Timestamp
  /// The result of the run; empty where another program, or a newer version of this one, wrote it.
  package var result: JSONObject
  /// The git revision of the applied seeds.
  package var revision: String?

  package init(finishedAt: Timestamp, result: JSONObject, revision: String? = nil) {
    self.finishedAt = finishedAt
    self.result = result
    self.revision = revision
  }

  /// A job's last complete run: of the whole, or of the shard that finished first.
  ///
  /// `nil` for a job that has not run since the schema has the fields. Throws the container's errors.
  package static func last(of job: LeaseName, in container: some Container) async throws -> LastJobRun? {
    try await lastOfEachShard(of: job, in: container).min { $0.finishedAt < $1.finishedAt }
  }

  /// A job's last complete run of the whole, or of each of its shards.
  ///
  /// Empty for a job that has not run since the schema has the fields, or of which a shard has never finished, so that
  /// the state of the whole job is unknown. Throws the container's errors.
  package static func lastOfEachShard(of job: LeaseName, in container: some Container) async throws
    -> [LastJobRun]
  {
    guard let whole = try await container.leases([job.wholeRecordName])[0] else { return [] }
    guard whole.leaseParts > 0 else { return LastJobRun(whole).map { [$0] } ?? [] }
    let parts = try await container.leases(job.partNames(count: whole.leaseParts))
      .map { $0.flatMap(LastJobRun.init) }
    return parts.contains(nil) ? [] : parts.compactMap(\.self)
  }

  /// The time for which the counts of a recount hold (Documentation/reference/catalog.md#what-jobs-remember): later
  /// changes of the counted records may be missing. `nil` for a job that counts nothing.
  package var countedAsOf: Timestamp? {
    result["asOf"]?.string.flatMap { Timestamp(text: $0) }
  }

  /// Changes whenever the result does.
  package var resultDigest: String { SHA256.hex(JSONValue.object(result).bytes()) }

  /// Digests of the tool's keys, as far as this run knew them.
  var keys: [String] { result["keys"]?.array?.compactMap(\.string) ?? [] }

  /// The digests of the tool's keys that the lease records of a recount and of seeds show, in one lookup. Throws the
  /// container's errors.
  package static func keys(of job: LeaseName, in container: some Container) async throws -> Set<String> {
    let names = [job.wholeRecordName, LeaseName.seed.wholeRecordName]
    return try await container.leases(names).reduce(into: []) { $0.formUnion($1?.keysOfTool ?? []) }
  }

  /// The same keys and the caller's own, for a dry run, which holds no lease that knows them. A key that may not read
  /// leases leaves its own, and so does a job without a lease.
  package static func readableKeys(
    of job: LeaseName?, in container: some Container
  ) async throws -> Set<String> {
    var keys: Set<String> = []
    do {
      if let job { keys = try await Self.keys(of: job, in: container) }
    } catch let refusal as ServerError where refusal.code == .accessDenied {}
    if let caller = container.callerRecordName { keys.insert(CreatorNames.keyDigest(of: caller)) }
    return keys
  }

  private static let form = FileForm("the result of a job", kind: nil)

  init?(_ record: Record) {
    guard let finishedAt = record["finishedAt"]?.timestamp, let result = record["result"]?.string else {
      return nil
    }
    self.init(finishedAt: finishedAt, result: Self.read(result), revision: record["revision"]?.string)
  }

  private static func read(_ text: String) -> JSONObject {
    do throws(FileFormError) {
      let json = try FileForm.parse(Array(text.utf8))
      try form.check(json)
      return json.object ?? [:]
    } catch {
      // Who wrote it knows more than this version: what it says is unknown.
      return [:]
    }
  }

  package var fields: [String: FieldValue?] {
    var numbered = result
    for member in Self.form.head.members { numbered[member.key] = member.value }
    return [
      "finishedAt": .timestamp(finishedAt), "result": .string(JSONValue.object(numbered).text()),
      "revision": revision.map(FieldValue.string),
    ]
  }
}

extension [LastJobRun] {
  /// The time for which the counts of all shards hold; `nil` if it is unknown for one of them.
  package var countedAsOf: Timestamp? {
    let times = compactMap(\.countedAsOf)
    return times.count == count ? times.min() : nil
  }
}
