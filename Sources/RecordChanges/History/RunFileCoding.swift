internal import CloudKitModel
internal import Diagnostics

/// Writes and reads a run's file. It has one JSON object on each line: a header, the intended changes, an entry before and
/// after each request, and an end.
enum RunFileCoding {
  static let version: Int64 = 1

  static func head(_ run: RunRecord) -> JSONValue {
    var object: JSONObject = [
      "history": .integer(version), "id": .string(run.id), "command": .string(run.command),
      "kind": .string(run.kind.rawValue), "container": .string(run.target.name),
      "environment": .string(run.target.environment.rawValue),
      "started": .integer(run.started.milliseconds),
    ]
    object["containerID"] = run.target.id.map(JSONValue.string)
    object["undoes"] = run.undoes.map { .string($0.runID) }
    object["foundUndone"] = run.undoes.flatMap(\.foundUndoneJSON)
    object["schema"] = run.schema.map(JSONValue.string)
    return .object(object)
  }

  /// The records that the run is going to write, without their values.
  static func intents(_ changes: [RecordChange]) -> JSONValue {
    let names = changes.map { change -> JSONValue in
      var change = change
      change.fields = [:]
      change.changeTag = nil
      return change.json
    }
    return ["intends": .array(names)]
  }

  /// - Parameter before: the records to be deleted, by name.
  static func sending(
    _ changes: [RecordChange], before: [String: Record], withheld: RunRecord.Counts
  ) -> JSONValue {
    var object: JSONObject = [
      "sending": .array(changes.map { entry($0, before: before[$0.recordName]) })
    ]
    if withheld.total > 0 { object["withheld"] = withheld.json }
    return .object(object)
  }

  private static func entry(_ change: RecordChange, before record: Record?) -> JSONValue {
    guard case .object(var object) = change.json, let record else { return change.json }
    let fields = record.fields.sorted { $0.key < $1.key }
      .map { (key: $0.key, value: $0.value.withoutAddress.json) }
    object["before"] = .object(JSONObject(fields))
    return .object(object)
  }

  static func settled(_ settlements: [JournaledOutcome], withheld: RunRecord.Counts) -> JSONValue {
    var object: JSONObject = [
      "settled": .array(
        settlements.map { settlement in
          let tag = settlement.changeTag.map { [JSONValue.string($0)] } ?? []
          return .array(
            [.string(settlement.change.recordName), .string(settlement.outcome.recorded.word)] + tag)
        })
    ]
    if withheld.total > 0 { object["withheldWritten"] = withheld.json }
    return .object(object)
  }

  static func end(at moment: Timestamp, jobCounts: RunRecord.Counts?) -> JSONValue {
    var object: JSONObject = ["ended": .integer(moment.milliseconds)]
    object["counts"] = jobCounts?.json
    return .object(object)
  }
}

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

extension RunRecord.Entry.Outcome {
  /// In the history's files.
  fileprivate var word: String {
    switch self {
    case .written: "written"
    case .found: "already there"
    case .refused: "refused"
    case .unknown: "unknown"
    case .notSent: "not sent"
    }
  }

  init(word: String?) {
    switch word {
    case "written": self = .written
    case "already there": self = .found
    case "unknown": self = .unknown
    case "not sent": self = .notSent
    default: self = .refused
    }
  }
}

extension UndoGoal {
  fileprivate var foundUndoneJSON: JSONValue? {
    guard !foundUndone.isEmpty else { return nil }
    let members = foundUndone.sorted { $0.key < $1.key }.map {
      (key: $0.key, value: JSONValue.array($0.value.sorted().map(JSONValue.string)))
    }
    return .object(JSONObject(members))
  }

  /// Reads the goal from a header; `nil` unless the run undoes another.
  init?(head: JSONValue) {
    guard let run = head["undoes"]?.string else { return nil }
    let found = (head["foundUndone"]?.object?.members ?? []).map {
      ($0.key, Set(($0.value.array ?? []).compactMap(\.string)))
    }
    self.init(run, foundUndone: Dictionary(found) { $1 })
  }
}

extension RunRecord.Counts {
  fileprivate var json: JSONValue {
    [
      "create": JSONValue(created), "update": JSONValue(updated),
      "delete": JSONValue(deleted),
    ]
  }

  /// A line counts the records of one request. The limit keeps sums over a file of any content from overflowing.
  private static let limits: ClosedRange<Int64> = 0...1_000_000_000

  init(json: JSONValue) {
    func count(_ key: String) -> Int {
      json[key]?.integer.map { Int(min(max($0, Self.limits.lowerBound), Self.limits.upperBound)) } ?? 0
    }
    created = count("create")
    updated = count("update")
    deleted = count("delete")
  }

  static func += (left: inout Self, right: Self) {
    left.created += right.created
    left.updated += right.updated
    left.deleted += right.deleted
  }
}

extension FieldValue {
  /// An asset's URL expires; until then, anyone with the URL can read the file.
  fileprivate var withoutAddress: FieldValue {
    switch self {
    case .asset(var asset):
      asset.downloadURL = nil
      return .asset(asset)
    case .list(let type, let elements): return .list(of: type, elements.map(\.withoutAddress))
    default: return self
    }
  }
}
