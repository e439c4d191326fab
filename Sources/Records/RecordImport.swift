package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct RecordImport: Report {
  package let changes: [RecordChange]
  package let recordCount: Int
  /// None until they are set: this module does not know what the records are for.
  package var risks = ChangeRisks()
  /// `nil` for a plan.
  private var written: ChangeReport?

  /// Compares the records of a file with the container. Fields that a line does not name keep their values.
  ///
  /// - Throws: a failure that lists every line that the container would refuse.
  package init(_ file: RecordFile, in container: some Container) async throws {
    let records = file.records
    let fields = Set(records.flatMap(\.fields.keys)).sorted()
    let existing = try await container.lookupAll(
      records.map(\.recordName), desiredKeys: fields + Record.knownNameFields.filter { !fields.contains($0) }
    )
    .map { try $0.found }
    try file.check(against: existing)
    recordCount = records.count
    changes = zip(records, existing).compactMap { record, existing in
      // A lease belongs to the run that holds it, and one of them is this run's.
      guard record.recordType != LeaseRecord.recordType else { return nil }
      return RecordChange.toward(
        record.fields.mapValues(Optional.some), recordType: record.recordType, recordName: record.recordName,
        existing: existing, label: record.knownName ?? existing?.knownName)
    }
  }

  package func carriedOut(_ report: ChangeReport) -> RecordImport {
    var copy = self
    copy.written = report
    return copy
  }

  package var status: ExitStatus { written?.status ?? .done }
  package var failure: CommandFailure? { written?.failure }
  package var isConfirmation: Bool { written != nil || changes.isEmpty }

  private var done: [RecordChange] {
    written.map { $0.results.filter { $0.outcome == .applied }.map(\.change) } ?? changes
  }
  private var created: Int { done.count { $0.action == .create } }
  private var updated: Int { done.count - created }
  private var unchanged: Int { recordCount - changes.count + (written?.alreadyApplied ?? 0) }

  package var json: JSONValue {
    .object([
      "read": JSONValue(recordCount), "create": JSONValue(created),
      "update": JSONValue(updated), "unchanged": JSONValue(unchanged),
      "written": JSONValue(written?.applied ?? 0), "remaining": written?.remainingJSON ?? [],
      "changes": written == nil ? .array(changes.map { .object($0.planJSON()) }) : nil,
      "risks": written == nil ? risks.json : nil,
    ])
  }

  package var body: ReportBody {
    let counts = "\(created) new, \(updated) changed, \(unchanged) unchanged"
    if let written {
      let there = written.isComplete ? "" : "\(done.count + unchanged) of "
      "imported \(there)\(counted(recordCount, "record")): \(counts)"
    } else {
      ReportBody.changes(changes)
      "would import \(counted(recordCount, "record")): \(counts)"
      risks.body
    }
  }
}
