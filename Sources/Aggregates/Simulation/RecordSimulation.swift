package import CloudKitModel
package import Diagnostics
package import RecordChanges
internal import Synchronization

/// Records as an app's users would create them, for tests and demonstrations. Each names its creator.
package protocol RecordSimulation: Sequence<Record>, Sendable {
  var count: Int { get }
  /// The record types in the order in which they are created, each with the fields that its records may have.
  var types: [(name: String, fields: [String])] { get }
  /// What one record is called, and whose or of what they are: `subscription`, `1,000 users`.
  var noun: String { get }
  var origin: String { get }
  func json(present: Int) -> JSONObject
}

package struct SimulationOutcome: Sendable {
  package var written = 0
  /// Records that were there, from an earlier run with the same seed. They stay as they are.
  package var unchanged = 0
  /// The report of the batch that was not written completely and ended the run; `nil` when all records were written.
  package var unfinished: ChangeReport?

  package init(written: Int = 0, unchanged: Int = 0) {
    self.written = written
    self.unchanged = unchanged
  }

  /// Records that are in the container now.
  package var present: Int { written + unchanged }

  /// Under the policy `refuse`, a creation is in conflict only with a record of the same name.
  fileprivate mutating func add(_ report: ChangeReport) {
    written += report.applied
    unchanged += report.alreadyApplied + report.conflicts
    if report.interruption != nil || report.remaining.count > report.conflicts { unfinished = report }
  }
}

extension CommandFailure {
  static func schemaLacks(_ types: String) -> CommandFailure {
    CommandFailure(
      "the container's schema has \(types)", code: "no-schema",
      hint:
        "'container fill' knows only two schemas, which 'schema init' writes with --template: celestra and, for --sessions, sessions. For other types there is 'records import'."
    )
  }
}

extension RecordSimulation {
  /// The number of records that the container has already, from earlier runs with the same seed.
  package func countPresent(in container: any Container) async throws -> Int {
    guard let type = types.first?.name else { return 0 }
    let any = try await container.query(QueryRequest(Query(type), desiredKeys: [], resultsLimit: 1))
    guard !any.records.isEmpty else { return 0 }
    var present = 0
    let records = AnyIterator(makeIterator())
    while case let batch = records.prefix(ContainerLimits.recordsPerRequest).map(\.recordName), !batch.isEmpty
    {
      present += try await container.existingRecords(batch).count
    }
    return present
  }

  /// Writes the records, and ends at the first batch that is not written completely. A second run with the same seed
  /// writes the rest.
  ///
  /// - Parameter users: the container that the writer writes to, if it makes records for each user.
  package func write(
    through writer: JobWriter, as users: SimulatedUsers? = nil,
    progress: (_ present: Int) -> Void = { _ in }
  ) async throws -> SimulationOutcome {
    var outcome = SimulationOutcome()
    let records = AnyIterator(makeIterator())
    while outcome.unfinished == nil, case let batch = Array(records.prefix(2000)), !batch.isEmpty {
      users?.expect(batch)
      outcome.add(
        try await writer.apply(batch.map { RecordChange(creating: $0, label: nil) }, policy: .refuse))
      progress(outcome.present)
    }
    return outcome
  }

  /// The report of `container fill`.
  ///
  /// - Parameter outcome: of a dry run, the records that are in the container already.
  package func report(_ outcome: SimulationOutcome, isDryRun: Bool = false) -> PlainReport {
    var failure = outcome.unfinished?.failure
    // The unfinished report is of the last batch only; records of earlier batches are in the container as well.
    if let status = failure?.status(afterWriting: outcome.present) { failure?.status = status }
    let json = JSONValue.object(self.json(present: isDryRun ? count : outcome.present)).adding([
      "written": outcome.written.json, "unchanged": outcome.unchanged.json,
      "remaining": JSONValue(count - outcome.present), "dryRun": isDryRun.json,
    ])
    return PlainReport(json: json, failure: failure, isConfirmation: !isDryRun) {
      if isDryRun {
        let skipped = outcome.unchanged > 0 ? "; \(outcome.unchanged) exist already and stay as they are" : ""
        "would create \(counted(count - outcome.unchanged, noun)) of \(origin)\(skipped)"
      } else {
        let present = outcome.present == count ? "" : "\(outcome.present) of "
        let old = outcome.unchanged > 0 ? ", \(outcome.unchanged) of them from an earlier run" : ""
        "\(present)\(counted(count, noun)) of \(origin)\(old)"
      }
    }
  }
}

/// A container in which each simulated record is created by its user. A container that cannot do this creates them as the
/// caller.
package final class SimulatedUsers: ContainerWrapper {
  package let base: any Container
  private let creators = Mutex<[String: String]>([:])

  package init(_ base: any Container) { self.base = base }

  /// Takes the creators of the records that are written next.
  func expect(_ records: [Record]) {
    let pairs = records.map { ($0.recordName, $0.created?.userRecordName ?? "") }
    creators.withLock { $0 = Dictionary(pairs) { first, _ in first } }
  }

  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    let creators = creators.withLock { known in operations.compactMap { known[$0.recordName ?? ""] } }
    guard let users = base.simulatedUsers, creators.count == operations.count else {
      return try await base.modify(operations)
    }
    return try await users.create(operations, as: creators)
  }
}
