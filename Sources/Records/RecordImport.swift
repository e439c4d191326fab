package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct RecordImport: Report {
  /// A record after those to which it refers with the action VALIDATE.
  package let changes: [RecordChange]
  /// What the container would refuse.
  private let refusals: ChangeReport
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
    let values = records.map(file.values)
    let fields = Set(values.flatMap(\.keys)).sorted()
    let existing = try await container.lookupAll(
      records.map(\.recordName), desiredKeys: fields + Record.knownNameFields.filter { !fields.contains($0) }
    )
    .map { try $0.found }
    try file.check(against: existing)
    recordCount = records.count
    let changes = zip(zip(records, values), existing).compactMap { line, existing -> RecordChange? in
      let (record, values) = line
      // A lease belongs to the run that holds it, and one of them is this run's.
      guard record.recordType != LeaseRecord.recordType else { return nil }
      guard let existing else { return RecordChange(creating: record, label: record.knownName) }
      return RecordChange.toward(values, of: existing, label: record.knownName ?? existing.knownName)
    }
    let ordered = WritingOrder(changes.map(\.operation)).indices.map { changes[$0] }
    self.changes = ordered
    refusals = try await ordered.refusals(in: container, known: file.refusals)
  }

  /// Writes the changes, and once more what was refused because a record did not exist yet.
  ///
  /// - Parameter write: writes changes, and returns what became of each.
  package func carriedOut(
    in container: some Container, by write: ([RecordChange]) async throws -> ChangeReport
  ) async throws -> RecordImport {
    var copy = self
    var report = try await write(changes)
    let left = report.results.indices.filter { report.results[$0].outcome.lacksTarget }
    if !left.isEmpty, report.interruption == nil {
      let existing = try await container.lookupAll(left.map { changes[$0].recordName })
      let again = try zip(left, existing).compactMap { index, outcome -> RecordChange? in
        let (wanted, record) = (changes[index], try outcome.found)
        return record.map(wanted.reapplied) ?? wanted
      }
      let last = try await write(again)
      let outcomes = Dictionary(
        zip(again.map(\.recordName), last.results.map(\.outcome)), uniquingKeysWith: { first, _ in first })
      for index in left {
        if let outcome = outcomes[changes[index].recordName] { report.results[index].outcome = outcome }
      }
      report.interruption = last.interruption
    }
    copy.written = report
    return copy
  }

  package var status: ExitStatus { written?.status ?? refusals.status(of: changes.count) }
  package var failure: CommandFailure? {
    written == nil ? refusals.failure(of: changes.count) : written?.failure
  }
  package var isConfirmation: Bool { written != nil || changes.isEmpty }

  private var done: [RecordChange] {
    if let written { return written.results.filter { $0.outcome == .applied }.map(\.change) }
    let refused = Set(refusals.results.map(\.change.recordName))
    return changes.filter { !refused.contains($0.recordName) }
  }
  private var created: Int { done.count { $0.action == .create } }
  private var updated: Int { done.count - created }
  private var unchanged: Int { recordCount - changes.count + (written?.alreadyApplied ?? 0) }

  package var json: JSONValue {
    .object([
      "read": recordCount.json, "create": created.json, "update": updated.json, "unchanged": unchanged.json,
      "written": JSONValue(written?.applied ?? 0), "remaining": (written ?? refusals).remainingJSON,
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
      "would import \(refusals.isComplete ? "" : "\(done.count + unchanged) of ")\(counted(recordCount, "record")): \(counts)"
      risks.body
    }
  }
}

extension ChangeReport {
  /// Of refusals that a dry run foresees: what a run of this number of changes would end with.
  func status(of changes: Int) -> ExitStatus {
    status == .failed && results.count < changes ? .partial : status
  }

  func failure(of changes: Int) -> CommandFailure? {
    var failure = failure
    failure?.status = status(of: changes)
    return failure
  }
}

extension [RecordChange] {
  /// The refusals of changes that no container takes, and of those that refer with the action VALIDATE to a record that does not exist, nor is created before.
  ///
  /// - Parameter known: why no container takes a record, by its name.
  fileprivate func refusals(
    in container: some Container, known: [String: String]
  ) async throws -> ChangeReport {
    func targets(_ change: RecordChange) -> [String] {
      change.fields.values.flatMap { $0.to?.validatedTargets ?? [] }
    }
    let names = Set(flatMap(targets)).subtracting(map(\.recordName)).sorted()
    let outcomes = zip(names, try await container.lookupAll(names, desiredKeys: []))
    var absent = Set(outcomes.filter { $1.error?.code == .notFound }.map(\.0))
    return ChangeReport(
      results: compactMap { change in
        let refusal =
          known[change.recordName].map { ServerError(.badRequest, $0) }
          ?? targets(change).first(where: absent.contains).map {
            ServerError(.validatingReferenceError, "'\($0)', to which it refers, does not exist")
          }
        guard let refusal else { return nil }
        if change.action == .create { absent.insert(change.recordName) }
        return (change, .failed(refusal))
      })
  }
}
