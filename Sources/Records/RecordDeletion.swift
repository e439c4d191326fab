package import CloudKitModel
package import Diagnostics
package import RecordChanges

/// The deletion of records, planned and then carried out.
package struct RecordDeletion: Report {
  package private(set) var changes: [RecordChange]
  /// Names that no record has.
  private let missing: [String]
  /// None until they are set: this module does not know what the records are for.
  package var risks = ChangeRisks()
  /// What is shown beside the names of records.
  private let notes: [String: Note]
  /// Fields that say what a record is, in any type that has them.
  private static let shownKeys = Record.knownNameFields + ["subscriberCount"]
  /// `nil` for a plan.
  private var written: ChangeReport?

  /// The title of a record, and how many readers it says that it has.
  private struct Note {
    let title: String?
    let readers: ReaderCount

    init(on record: Record) {
      title = (record["title"] ?? record["name"])?.string.map(SanitizedText.quoted)
      readers = ReaderCount(published: record["subscriberCount"]?.int64)
    }
  }

  /// The records of these names, each once.
  package init(named recordNames: [String], in container: some Container) async throws {
    let names = Set(recordNames).sorted()
    var changes: [RecordChange] = []
    var missing: [String] = []
    var notes: [String: Note] = [:]
    for (name, outcome) in zip(names, try await container.lookupAll(names, desiredKeys: Self.shownKeys)) {
      if let record = try outcome.found {
        changes.append(Self.deletion(of: record))
        notes[name] = Note(on: record)
      } else {
        missing.append(name)
      }
    }
    self.changes = changes
    self.missing = missing
    self.notes = notes
  }

  private static func deletion(of record: Record) -> RecordChange {
    var change = RecordChange(deleting: record)
    change.label = record.knownName
    return change
  }

  /// Every record that a query finds.
  package init(matching query: Query, in container: some Container) async throws {
    var changes: [RecordChange] = []
    var notes: [String: Note] = [:]
    try await container.forEachPage(of: query, desiredKeys: Self.shownKeys) { page in
      changes += page.records.map(Self.deletion)
      for record in page.records { notes[record.recordName] = Note(on: record) }
    }
    self.changes = changes
    missing = []
    self.notes = notes
  }

  /// The title of a record and its readers, with two blanks before them; empty for a record without both.
  private func note(on recordName: String) -> String {
    let count = risks.readers[recordName] ?? notes[recordName]?.readers
    let parts = [notes[recordName]?.title, count.flatMap { $0.mayHaveReaders ? $0.words : nil }].compactMap(
      \.self)
    return parts.isEmpty ? "" : "  \(parts.joined(separator: ", "))"
  }

  /// What will be deleted, a record a line: its type, name and title, and the readers who lose it.
  package var details: ReportBody {
    ReportBody.first(200, of: changes) { change in
      ListItem(
        .removed,
        "\(change.recordType) \(SanitizedText.line(change.recordName))\(note(on: change.recordName))")
    }
  }

  /// The deletion with the records that go with those: see `withCascades` of record changes.
  package func withCascades(_ references: ReferenceFields, in container: any Container) async throws
    -> RecordDeletion
  {
    var deletion = self
    deletion.changes = try await changes.withCascades(references, in: container)
    return deletion
  }

  package func carriedOut(_ report: ChangeReport) -> RecordDeletion {
    var deletion = self
    deletion.written = report
    return deletion
  }

  package var status: ExitStatus { written?.status ?? .done }
  package var failure: CommandFailure? { written?.failure }
  package var isConfirmation: Bool { missing.isEmpty && (written != nil || changes.isEmpty) }

  private var deleted: Int { written.map { $0.applied + $0.alreadyApplied } ?? 0 }
  private var requested: Int { changes.count + missing.count }

  package var json: JSONValue {
    .object([
      "deleted": JSONValue(deleted), "requested": JSONValue(requested),
      "missing": .array(missing.map(JSONValue.string)),
      "remaining": (written ?? ChangeReport(results: changes.map { ($0, .notAttempted) })).remainingJSON,
      "dryRun": .bool(written == nil),
      "changes": written == nil ? .array(changes.map { .object($0.planJSON()) }) : nil,
      "risks": written == nil ? risks.json : nil,
    ])
  }

  package var body: ReportBody {
    let all = counted(requested, "record")
    if written == nil {
      details
      "would delete \(changes.count) of \(all)"
    } else {
      "deleted \(deleted) of \(all)"
    }
    for name in missing { ListItem(.note, "\(name): no record has this name, slug or address") }
    if written == nil { risks.options }
  }
}

extension RecordChange {
  /// The deletion of every record that a query finds.
  package static func deletions(
    matching query: Query, in container: some Container
  ) async throws -> [RecordChange] {
    var changes: [RecordChange] = []
    try await container.forEachPage(of: query, desiredKeys: []) { page in
      changes += page.records.map(RecordChange.init(deleting:))
    }
    return changes
  }
}
