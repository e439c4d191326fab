public import CloudKitModel
public import Diagnostics
public import RecordChanges

/// The deletion of records, planned and then carried out.
public struct RecordDeletion: Report {
  public private(set) var changes: [RecordChange]
  /// Those of ``changes`` that were not asked for: the container deletes them with the others.
  public private(set) var cascades: [RecordChange] = []
  /// Names that no record has.
  private let missing: [String]
  /// What is shown beside the names of records: titles and readers.
  private let notes: [String: String]
  /// Fields that say what a record is, in any type that has them.
  private static let shownKeys = ["title", "name", "subscriberCount"]
  /// `nil` for a plan.
  private var written: ChangeReport?

  /// The records of these names, each once.
  public init(named recordNames: [String], in container: some Container) async throws {
    let names = Set(recordNames).sorted()
    var changes: [RecordChange] = []
    var missing: [String] = []
    var notes: [String: String] = [:]
    for (name, outcome) in zip(names, try await container.lookupAll(names, desiredKeys: Self.shownKeys)) {
      if let record = try outcome.found {
        changes.append(RecordChange(deleting: record))
        notes[name] = Self.note(on: record)
      } else {
        missing.append(name)
      }
    }
    self.changes = changes
    self.missing = missing
    self.notes = notes
  }

  /// Every record that a query finds.
  public init(matching query: Query, in container: some Container) async throws {
    var changes: [RecordChange] = []
    var notes: [String: String] = [:]
    try await container.forEachPage(of: query, desiredKeys: Self.shownKeys) { page in
      changes += page.records.map(RecordChange.init(deleting:))
      for record in page.records { notes[record.recordName] = Self.note(on: record) }
    }
    self.changes = changes
    missing = []
    self.notes = notes
  }

  private static func note(on record: Record) -> String? {
    let title = (record["title"] ?? record["name"])?.string.map(SanitizedText.quoted)
    var readers: String?
    if case .int64(let count)? = record["subscriberCount"], count > 0 { readers = counted(count, "reader") }
    let parts = [title, readers].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// What will be deleted, a record a line: its type, name and title, and the readers who lose it.
  public var details: PrintableText {
    let shown = changes.prefix(200).map { change -> PrintableText in
      "- \(change.recordType) \(SanitizedText.line(change.recordName))\(notes[change.recordName].map { "  \($0)" } ?? "")\n"
    }
    let hidden = changes.count - shown.count
    return shown.joined() + (hidden > 0 ? "… and \(hidden) more\n" : "")
  }

  /// The deletion with the records that go with those: see `withCascades` of record changes.
  public func withCascades(_ references: ReferenceFields, in container: any Container) async throws
    -> RecordDeletion
  {
    var deletion = self
    deletion.changes = try await changes.withCascades(references, in: container)
    let asked = Set(changes.map(\.recordName))
    deletion.cascades = deletion.changes.filter { !asked.contains($0.recordName) }
    return deletion
  }

  public func carriedOut(_ report: ChangeReport) -> RecordDeletion {
    var deletion = self
    deletion.written = report
    return deletion
  }

  public var status: ExitStatus { written?.status ?? .done }
  public var failure: CommandFailure? { written?.failure }
  public var isConfirmation: Bool { missing.isEmpty && (written != nil || changes.isEmpty) }

  private var deleted: Int { written.map { $0.applied + $0.alreadyApplied } ?? 0 }
  private var requested: Int { changes.count + missing.count }

  public var json: JSONValue {
    .object([
      "deleted": JSONValue(deleted), "requested": JSONValue(requested),
      "missing": .array(missing.map(JSONValue.string)),
      "remaining": (written ?? ChangeReport(results: changes.map { ($0, .notAttempted) })).remainingJSON,
      "dryRun": .bool(written == nil),
      "changes": written == nil ? .array(changes.map { .object($0.planJSON()) }) : nil,
    ])
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let absent = missing.map { name -> PrintableText in
      "  \(style.dim("·")) \(name): no record has this name\n"
    }.joined()
    let all = counted(requested, "record")
    guard written != nil else {
      return details + "would delete \(changes.count) of \(all)\n" + absent
    }
    return "deleted \(deleted) of \(all)\n" + absent
  }
}

extension RecordChange {
  /// The deletion of every record that a query finds.
  public static func deletions(
    matching query: Query, in container: some Container
  ) async throws -> [RecordChange] {
    var changes: [RecordChange] = []
    try await container.forEachPage(of: query, desiredKeys: []) { page in
      changes += page.records.map(RecordChange.init(deleting:))
    }
    return changes
  }
}
