package import CloudKitModel
package import Diagnostics
package import RecordChanges

/// Records as an app's users would create them, for tests and demonstrations. Each names its creator.
package protocol RecordSimulation: Sequence<Record>, Sendable {
  /// The number of records.
  var count: Int { get }
  /// The record types in the order in which they are created, each with the fields that its records have.
  var types: [(name: String, fields: [String])] { get }
  /// What one record is called, and whose or of what they are: `subscription`, `1,000 users`.
  var noun: String { get }
  var origin: String { get }
  /// What the records are, for the report.
  func json(present: Int) -> JSONObject
}

/// The result of writing simulated records.
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
      present += try await container.lookupAll(batch, desiredKeys: []).count { $0.record != nil }
    }
    return present
  }

  /// Writes the records, and ends at the first batch that is not written completely. A second run with the same seed
  /// writes the rest.
  ///
  /// - Parameters:
  ///   - users: the container that the writer writes to, if it makes records for each user.
  ///   - progress: called with the number of records that are present.
  package func write(
    through writer: JobWriter, as users: SimulatedUsers? = nil,
    progress: (_ present: Int) -> Void = { _ in }
  ) async throws -> SimulationOutcome {
    var outcome = SimulationOutcome()
    let records = AnyIterator(makeIterator())
    while outcome.unfinished == nil, case let batch = Array(records.prefix(2000)), !batch.isEmpty {
      users?.expect(batch)
      outcome.add(try await writer.apply(batch.map(RecordChange.creating), policy: .refuse))
      progress(outcome.present)
    }
    return outcome
  }
}

extension RecordChange {
  fileprivate static func creating(_ record: Record) -> RecordChange {
    RecordChange(
      .create, recordType: record.recordType, recordName: record.recordName,
      fields: record.fields.mapValues { FieldChange(to: $0) })
  }
}
