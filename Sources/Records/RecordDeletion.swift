public import CloudKitModel
public import Diagnostics
public import RecordChanges

/// The deletion of records, planned and then carried out.
public struct RecordDeletion: Report {
  public let changes: [RecordChange]
  /// Names that no record has.
  private let missing: [String]
  /// `nil` for a plan.
  private var written: ChangeReport?

  /// The records of these names, each once.
  public init(named recordNames: [String], in container: some Container) async throws {
    let names = Set(recordNames).sorted()
    var changes: [RecordChange] = []
    var missing: [String] = []
    for (name, outcome) in zip(names, try await container.lookupAll(names, desiredKeys: [])) {
      if let record = try outcome.found {
        changes.append(RecordChange(deleting: record))
      } else {
        missing.append(name)
      }
    }
    self.changes = changes
    self.missing = missing
  }

  /// Every record that a query finds.
  public init(matching query: Query, in container: some Container) async throws {
    var changes: [RecordChange] = []
    try await container.forEachPage(of: query, desiredKeys: []) { page in
      changes += page.records.map(RecordChange.init(deleting:))
    }
    self.changes = changes
    missing = []
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
    var json: JSONObject = [
      "deleted": JSONValue(deleted), "requested": JSONValue(requested),
      "missing": .array(missing.map(JSONValue.string)),
      "remaining": (written ?? ChangeReport(results: changes.map { ($0, .notAttempted) })).remainingJSON,
      "dryRun": .bool(written == nil),
    ]
    if written == nil { json["changes"] = .array(changes.map { .object($0.planJSON()) }) }
    return .object(json)
  }

  public func text(_ style: Style) -> PrintableText {
    let absent = missing.map { name -> PrintableText in
      "  \(style.dim("·")) \(name): no record has this name\n"
    }.joined()
    let all = counted(requested, "record")
    guard written != nil else {
      return ChangeText.lines(of: changes) + "would delete \(changes.count) of \(all)\n" + absent
    }
    return "deleted \(deleted) of \(all)\n" + absent
  }
}

extension RecordChange {
  public init(deleting record: Record) {
    self.init(
      .delete, recordType: record.recordType, recordName: record.recordName, changeTag: record.changeTag)
  }
}
