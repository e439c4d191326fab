package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct RecordDeletion: Report {
  package private(set) var changes: [RecordChange]
  private let missing: [String]
  /// None until they are set: this module does not know what the records are for.
  package var risks = ChangeRisks()
  /// The title of a record, and how many readers it says that it has, by its name.
  private let notes: [String: (title: String?, readers: ReaderCount)]
  private static let shownKeys = Record.knownNameFields + ["subscriberCount"]
  /// The records that refer to a deleted one and stay, by its name.
  private var referring: [String: [Record]] = [:]
  /// What the seed files say about a deleted record, a line each, by its name.
  package var seedLines: [String: [String]] = [:]
  /// `nil` for a plan.
  private var written: ChangeReport?

  package init(named recordNames: [String], in container: some Container) async throws {
    let names = Set(recordNames).sorted()
    let found = try await container.lookupAll(names, desiredKeys: Self.shownKeys).map { try $0.found }
    self.init(found.compactMap(\.self), missing: zip(names, found).filter { $1 == nil }.map(\.0))
  }

  package init(matching query: Query, in container: some Container) async throws {
    self.init(try await container.allRecords(query, desiredKeys: Self.shownKeys), missing: [])
  }

  private init(_ records: [Record], missing: [String]) {
    changes = records.map { record in
      var change = RecordChange(deleting: record)
      change.label = record.knownName
      return change
    }
    notes = records.keyed(by: \.recordName).mapValues {
      ($0.shownTitle?.quoted, ReaderCount(published: $0["subscriberCount"]?.int64))
    }
    self.missing = missing
  }

  /// The title of a record and its readers, with two blanks before them; empty for a record without both.
  private func note(on recordName: String) -> String {
    let count = risks.readers[recordName] ?? notes[recordName]?.readers
    let readers = count.flatMap { $0.mayHaveReaders ? $0.wordsWithReason : nil }
    let parts = [notes[recordName]?.title, readers].compactMap(\.self)
    return parts.isEmpty ? "" : "  \(parts.joined(separator: ", "))"
  }

  /// What will be deleted, a record a line: its type, name and title, and the readers who lose it.
  @ReportBodyBuilder package var details: ReportBody {
    ReportBody.first(200, of: changes.filter { !$0.isNamedByPerson }) { change in
      ListItem(
        .removed,
        "\(change.recordType) \(change.recordName.shownAsName)\(note(on: change.recordName))",
        details: change.clearedFirst
          + (references(to: change.recordName) + (seedLines[change.recordName] ?? [])).map { StyledText($0) })
    }
    ReportBody.changes(changes.filter(\.isNamedByPerson))
  }

  private static let maxReferences = 5

  /// What refers to a record, and to nothing after its deletion, a line each.
  private func references(to recordName: String) -> [String] {
    let records = referring[recordName] ?? []
    let lines = records.prefix(Self.maxReferences).map { record in
      let name = record.knownName.map { "the \(record.recordType) '\($0)'" }
      let refusal =
        record.keeps(recordName) ? " with the action VALIDATE: delete that first, or clear its field" : ""
      return "\(name ?? "a \(record.recordType) record") refers to it\(refusal)"
    }
    let more = records.count - lines.count
    return more > 0 ? lines + ["… and \(counted(more, "more record")) refer to it"] : lines
  }

  /// The deletions as the container would do them: it refuses what a record that stays refers to with the action VALIDATE.
  private var foreseen: ChangeReport {
    let reason = "another record refers to it with the action VALIDATE"
    return ChangeReport(
      results: changes.map { change in
        let isKept = (referring[change.recordName] ?? []).contains { $0.keeps(change.recordName) }
        return (change, isKept ? .failed(ServerError(.validatingReferenceError, reason)) : .applied)
      })
  }

  /// The deletion with the records that go with those: see `withCascades` of record changes.
  package func withCascades(_ references: ReferenceFields, in container: any Container) async throws
    -> RecordDeletion
  {
    var deletion = self
    var referring: [String: [Record]] = [:]
    deletion.changes = try await changes.withCascades(references, in: container) { record, target in
      referring[target, default: []].append(record)
    }
    let gone = Set(deletion.changes.map(\.recordName))
    deletion.referring = referring.mapValues { $0.filter { !gone.contains($0.recordName) } }
    return deletion
  }

  package func carriedOut(_ report: ChangeReport) -> RecordDeletion {
    return copy(of: self) { $0.written = report }
  }

  /// A dry run has the status of the run that it shows.
  package var status: ExitStatus { (written ?? foreseen).status }
  package var failure: CommandFailure? { (written ?? foreseen).failure }
  package var isConfirmation: Bool { missing.isEmpty && (written != nil || changes.isEmpty) }

  private var deleted: Int { written.map { $0.applied + $0.alreadyApplied } ?? 0 }
  private var requested: Int { changes.count + missing.count }

  package var json: JSONValue {
    .object([
      "deleted": deleted.json, "requested": requested.json,
      "missing": missing.map(\.withoutUserRecordNames).json,
      "remaining": (written ?? ChangeReport(results: changes.map { ($0, .notAttempted) })).remainingJSON,
      "dryRun": .bool(written == nil),
      "changes": written == nil ? .array(changes.map { .object($0.planJSON()) }) : nil,
      "risks": written == nil ? risks.json.risks : nil, "readers": written == nil ? risks.json.readers : nil,
    ])
  }

  package var body: ReportBody {
    let all = counted(requested, "record")
    if let written {
      "deleted \(deleted) of \(all)\(written.unknownPart)"
    } else {
      details
      "would delete \(foreseen.applied) of \(all)"
    }
    for name in missing {
      ListItem(.note, "\(name.withoutUserRecordNames): no record has this name, slug or address")
    }
    if written == nil { risks.options }
  }
}
