package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct RecordImport: Report {
  /// A record after those to which it refers with the action VALIDATE.
  package let changes: [RecordChange]
  /// What the container refuses of them, as far as it can be foreseen.
  private let foreseen: ChangeReport
  package let recordCount: Int
  /// None until they are set: this module does not know what the records are for.
  package var risks = ChangeRisks()
  /// `nil` for a plan.
  private var written: ChangeReport?

  /// Compares the records of a file with the container. Fields that a line does not name keep their values, and one that is null is cleared.
  ///
  /// - Throws: a failure that lists every line that the container would refuse.
  package init(_ file: RecordFile, in container: some Container) async throws {
    let records = file.records
    let fields = Set(file.values.flatMap(\.keys)).sorted()
    let existing = try await container.lookupAll(
      records.map(\.recordName), desiredKeys: fields + Record.knownNameFields.filter { !fields.contains($0) }
    )
    .map { try $0.found }
    try file.check(against: existing)
    recordCount = records.count
    let changes = zip(zip(records, file.values), existing).compactMap { line, existing -> RecordChange? in
      let (record, values) = line
      // A lease belongs to the run that holds it, and one of them is this run's.
      guard record.recordType != LeaseRecord.recordType else { return nil }
      guard let existing else { return RecordChange(creating: record, label: record.knownName) }
      return RecordChange.toward(values, of: existing, label: record.knownName ?? existing.knownName)
    }
    let ordered = WritingOrder(changes.map(\.operation)).indices.map { changes[$0] }
    self.changes = ordered
    foreseen = try await ordered.foreseen(in: container)
  }

  package func carriedOut(_ report: ChangeReport) -> RecordImport {
    return copy(of: self) { $0.written = report }
  }

  private var report: ChangeReport { written ?? foreseen }
  /// A dry run has the status of the run that it shows.
  package var status: ExitStatus { report.status }
  package var failure: CommandFailure? { report.failure }
  package var isConfirmation: Bool { written != nil || changes.isEmpty }

  private var done: [RecordChange] { report.results.filter { $0.outcome == .applied }.map(\.change) }
  private var created: Int { done.count { $0.action == .create } }
  private var updated: Int { done.count - created }
  private var unchanged: Int { recordCount - changes.count + report.alreadyApplied }

  package var json: JSONValue {
    .object([
      "read": recordCount.json, "create": created.json, "update": updated.json, "unchanged": unchanged.json,
      "written": JSONValue(written?.applied ?? 0), "remaining": report.remainingJSON,
      "changes": written == nil ? .array(changes.map { .object($0.planJSON()) }) : nil,
      "risks": written == nil ? risks.json.risks : nil, "readers": written == nil ? risks.json.readers : nil,
    ])
  }

  package var body: ReportBody {
    if written == nil { ReportBody.changes(changes) }
    let part = report.isComplete ? "" : "\(done.count + unchanged) of "
    "\(written == nil ? "would import" : "imported") \(part)\(counted(recordCount, "record")): \(created) new, \(updated) changed, \(unchanged) unchanged\(report.unknownPart)"
    if written == nil {
      risks.affected(by: changes)
      risks.options
    }
  }
}

extension [RecordChange] {
  /// Refuses changes that refer with the action VALIDATE to a record that does not exist, nor is created before.
  fileprivate func foreseen(in container: some Container) async throws -> ChangeReport {
    func targets(_ change: RecordChange) -> [String] {
      change.fields.values.flatMap { $0.to?.validatedTargets ?? [] }
    }
    var absent = try await container.absentRecords(Set(flatMap(targets)).subtracting(map(\.recordName)))
    return ChangeReport(
      results: map { change in
        let refusal = targets(change).first(where: absent.contains).map {
          ServerError(.validatingReferenceError, "'\($0)', to which it refers, does not exist")
        }
        if refusal != nil, change.action == .create { absent.insert(change.recordName) }
        return (change, refusal.map { .failed($0) } ?? .applied)
      })
  }
}
