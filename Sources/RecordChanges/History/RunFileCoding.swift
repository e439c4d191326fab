internal import CloudKitModel
package import Diagnostics

/// A line of a run's file after its head: the intended changes, the changes of a request before it is sent and what became
/// of them, or the end.
struct RunFileLine: FileRecord {
  /// What became of a change: in the file a list, because there is one for each record.
  struct Settled: FileValue {
    var recordName: String
    var outcome: RunRecord.Entry.Outcome
    var changeTag: String?

    var json: JSONValue { ([recordName, outcome.rawValue] + (changeTag.map { [$0] } ?? [])).json }

    init(recordName: String, outcome: RunRecord.Entry.Outcome, changeTag: String?) {
      (self.recordName, self.outcome, self.changeTag) = (recordName, outcome, changeTag)
    }

    init(json: JSONValue) throws {
      let parts = try [String](json: json)
      guard (2...3).contains(parts.count) else { throw FileFormError("an outcome is incomplete") }
      self.init(
        recordName: parts[0], outcome: try RunRecord.Entry.Outcome(json: .string(parts[1])),
        changeTag: parts.count > 2 ? parts[2] : nil)
    }
  }

  /// The records that the run is going to write, without their values.
  var intends: [RecordChange]?
  var sending: [RunRecord.Entry]?
  var settled: [Settled]?
  /// The records of types that users may create: those with an open outcome once this is sent, or that were written.
  var withheld: RunRecord.Counts?
  /// Of the records that the history does not name, those whose outcome is still not known.
  var unknown: RunRecord.Counts?
  var ended: Timestamp?
  /// Of a job or of a change of the schema.
  var counts: RunRecord.Counts?
  /// What became of a change of the schema, unless it was made.
  var change: RunRecord.Entry.Outcome?

  static let members: [FileMember<Self>] = [
    FileMember("intends", optional: \.intends), FileMember("sending", optional: \.sending),
    FileMember("settled", optional: \.settled), FileMember("withheld", optional: \.withheld),
    FileMember("unknown", optional: \.unknown), FileMember("ended", optional: \.ended),
    FileMember("counts", optional: \.counts), FileMember("change", optional: \.change),
  ]
}

extension RunRecord: FileRecord {
  static let form = FileForm("the history of a run", kind: "celestra-admin run")

  package init() {
    self.init(
      id: "", command: "", kind: .person, target: ContainerIdentity(name: "", environment: .development),
      started: Timestamp(milliseconds: 0))
  }

  package static let members: [FileMember<Self>] = [
    FileMember("id", \.id), FileMember("command", \.command), FileMember("runKind", \.kind),
    FileMember("container", \.target.name), FileMember("environment", \.target.environment),
    FileMember("containerID", optional: \.target.id), FileMember("started", \.started),
    FileMember("firstWrite", optional: \.firstWrite),
    FileMember("undoes", optional: \.undoes), FileMember("schema", optional: \.schema),
  ]

  var head: JSONValue { .object(json(after: Self.form.head)) }
}

extension RunRecord.Kind: FileValue {}

extension RunRecord.Entry: FileRecord {
  package init() { self.init(change: RecordChange(), outcome: .unknown) }

  package static let members: [FileMember<Self>] = [
    FileMember("action", \.change.action), FileMember("recordType", \.change.recordType),
    FileMember("recordName", \.change.recordName), FileMember("label", optional: \.change.label),
    FileMember("changeTag", optional: \.change.changeTag), FileMember("fields", orEmpty: \.change.fields),
    FileMember("before", optional: \.before),
  ]

  /// The two changes of one record by one run as one: from the values before the first to those of the second.
  fileprivate func followed(by next: RunRecord.Entry) -> RunRecord.Entry {
    guard change.action != .delete, next.change.action == .update else { return next }
    var both = next
    both.change.action = change.action
    both.change.fields = change.fields.merging(next.change.fields) {
      FieldChange(from: $0.from, to: $1.to)
    }
    return both
  }
}

extension RunRecord.Entry.Outcome: FileValue {}

extension ChangeReport.Outcome {
  var recorded: RunRecord.Entry.Outcome {
    switch self {
    case .applied: .written
    case .alreadyApplied: .found
    case .conflict, .failed: .refused
    case .unknown: .unknown
    case .notAttempted: .notSent
    }
  }
}

extension UndoGoal: FileRecord {
  package init() { self.init(runID: "") }

  package static let members: [FileMember<Self>] = [
    FileMember("run", \.runID), FileMember("foundUndone", orEmpty: \.foundUndone),
  ]
}

extension RunRecord.Counts: FileRecord {
  package static let members: [FileMember<Self>] = [
    FileMember("create", \.created), FileMember("update", \.updated), FileMember("delete", \.deleted),
  ]

  /// A line counts the records of one request, and no sum over a file of any content may overflow.
  package func check() throws {
    guard [created, updated, deleted].allSatisfy((0...1_000_000_000).contains) else {
      throw FileFormError("a number of records is out of range")
    }
  }

  static func += (left: inout Self, right: Self) {
    left.created += right.created
    left.updated += right.updated
    left.deleted += right.deleted
  }
}

extension RunRecord {
  /// Reads a run's file. A last line that was cut off belongs to a request that was never sent, and is left out.
  ///
  /// Throws ``FileFormError`` when the file is damaged or of a newer version.
  init(parsing bytes: [UInt8]) throws {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = try FileForm.parse(lines[0])
    try Self.form.check(head)
    var reader = RunFileReader(run: try RunRecord(json: head))
    for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      do {
        reader.read(try RunFileLine(json: FileForm.parse(line)))
      } catch let error as FileFormError {
        // The last line has no end only if it was cut off.
        if number == lines.count - 1 { break }
        throw FileFormError("line \(number + 1) is damaged: \(error)")
      }
    }
    self = reader.run
  }
}

private struct RunFileReader {
  var run: RunRecord
  private var places: [String: Int] = [:]
  /// What the run has written to a record so far: it may write a record twice.
  private var written: [String: RunRecord.Entry] = [:]

  init(run: RunRecord) { self.run = run }

  mutating func read(_ line: RunFileLine) {
    for change in line.intends ?? [] { put(RunRecord.Entry(change: change)) }
    for entry in line.sending ?? [] { put(entry) }
    for settled in line.settled ?? [] { settle(settled) }
    if line.intends?.isEmpty == false { run.knowsGoal = true }
    if line.sending != nil { run.withheldUnknown = line.withheld ?? .init() }
    if line.settled != nil || line.counts != nil {
      run.withheldUnknown = line.unknown ?? .init()
      run.withheld += line.withheld ?? .init()
    }
    if let moment = line.ended {
      // Before a service's first reply the time is this machine's, and two of its replies may differ by a second.
      run.ended = max(moment, run.started)
      run.jobCounts = line.counts
      // A run that ended intends nothing else. An import of a schema intends no records.
      run.knowsGoal = line.change != .refused
      if line.change == .refused { run.schema = nil }
    }
  }

  private mutating func put(_ entry: RunRecord.Entry) {
    let name = entry.change.recordName
    let entry = written[name].map { $0.followed(by: entry) } ?? entry
    if let place = places[name] {
      run.entries[place] = entry
    } else {
      places[name] = run.entries.count
      run.entries.append(entry)
    }
  }

  private mutating func settle(_ settled: RunFileLine.Settled) {
    let name = settled.recordName
    guard let place = places[name] else { return }
    var entry = run.entries[place]
    (entry.outcome, entry.tagAfter) = (settled.outcome, settled.changeTag)
    if entry.outcome == .written { written[name] = entry }
    // A second change that was not written leaves what the first one wrote.
    run.entries[place] = entry.outcome.mayStand ? entry : written[name] ?? entry
  }
}
