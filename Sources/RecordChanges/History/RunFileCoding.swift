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
  /// The records of types that users may create: those that are sent, or were written.
  var withheld: RunRecord.Counts?
  var ended: Timestamp?
  /// Of a job.
  var counts: RunRecord.Counts?

  static let members: [FileMember<Self>] = [
    FileMember("intends", optional: \.intends), FileMember("sending", optional: \.sending),
    FileMember("settled", optional: \.settled), FileMember("withheld", optional: \.withheld),
    FileMember("ended", optional: \.ended), FileMember("counts", optional: \.counts),
  ]
}

/// The head of a run's file.
extension RunRecord: FileRecord {
  static let form = FileForm("the history of a run", kind: "celestra-admin run")

  package init() {
    self.init(
      "", id: "", kind: .person, target: ContainerIdentity(name: "", environment: .development),
      started: Timestamp(milliseconds: 0))
  }

  package static let members: [FileMember<Self>] = [
    FileMember("id", \.id), FileMember("command", \.command), FileMember("runKind", \.kind),
    FileMember("container", \.target.name), FileMember("environment", \.target.environment),
    FileMember("containerID", optional: \.target.id), FileMember("started", \.started),
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
}

extension RunRecord.Entry.Outcome: FileValue {}

extension ChangeReport.Outcome {
  /// The outcome as the history keeps it.
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
  package init() { self.init("") }

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
