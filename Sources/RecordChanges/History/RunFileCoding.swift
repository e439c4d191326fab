internal import CloudKitModel
internal import Diagnostics

/// Writes and reads a run's file. It has one JSON object on each line: a header, an entry before and after each
/// request, and an end.
enum RunFileCoding {
  static let version: Int64 = 1

  static func head(_ run: RunRecord) -> JSONValue {
    var object: JSONObject = [
      "history": .integer(version), "id": .string(run.id), "command": .string(run.command),
      "kind": .string(run.kind.rawValue), "container": .string(run.target.name),
      "environment": .string(run.target.environment.rawValue),
      "started": .integer(run.started.milliseconds),
    ]
    object["undoes"] = run.undoes.map(JSONValue.string)
    object["schema"] = run.schema.map(JSONValue.string)
    return .object(object)
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
          return .array([.string(settlement.change.recordName), .string(settlement.word)] + tag)
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

extension JournaledOutcome {
  fileprivate var word: String {
    switch outcome {
    case .applied: "written"
    case .alreadyApplied: isUncertain ? "unknown" : "already there"
    case .conflict: "conflict"
    case .failed: "refused"
    case .unknown: "unknown"
    case .notAttempted: "again"
    }
  }
}

extension RunRecord.Counts {
  fileprivate var json: JSONValue {
    [
      "create": JSONValue(created), "update": JSONValue(updated),
      "delete": JSONValue(deleted),
    ]
  }

  fileprivate init(json: JSONValue) {
    created = json["create"]?.integer.flatMap { Int(exactly: $0) } ?? 0
    updated = json["update"]?.integer.flatMap { Int(exactly: $0) } ?? 0
    deleted = json["delete"]?.integer.flatMap { Int(exactly: $0) } ?? 0
  }

  fileprivate static func += (left: inout Self, right: Self) {
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

// MARK: - Reading

extension RunRecord {
  /// Reads a run's file. A last line that was cut off belongs to a request that was never sent, and is left out.
  ///
  /// Throws ``ChangeCodingError`` when the file is damaged or of a newer version.
  init(parsing bytes: [UInt8]) throws {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = lines.first, let head = try? JSONValue(parsing: first) else {
      throw ChangeCodingError("it has no head")
    }
    try self.init(head: head)
    var places: [String: Int] = [:]
    for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      guard let json = try? JSONValue(parsing: line) else {
        if number == lines.count - 1 { break }
        throw ChangeCodingError("line \(number + 1) is damaged")
      }
      try read(json, &places)
    }
  }

  private init(head: JSONValue) throws {
    guard let version = head["history"]?.integer else {
      throw ChangeCodingError("the file is not the history of a run")
    }
    guard version == RunFileCoding.version else {
      throw ChangeCodingError("the file was written by another version of this tool")
    }
    guard let id = head["id"]?.string, let command = head["command"]?.string,
      let kind = head["kind"]?.string.flatMap(Kind.init(rawValue:)),
      let container = head["container"]?.string, let started = head["started"]?.integer,
      let environment = head["environment"]?.string.flatMap(Environment.init(rawValue:))
    else { throw ChangeCodingError("the header of the file is damaged") }
    self.init(
      id: id, command: command, kind: kind,
      target: ContainerIdentity(name: container, environment: environment),
      started: Timestamp(milliseconds: started), undoes: head["undoes"]?.string,
      schema: head["schema"]?.string)
  }

  private mutating func read(_ json: JSONValue, _ places: inout [String: Int]) throws {
    for entry in json["sending"]?.array ?? [] {
      let change = try RecordChange(json: entry)
      var added = Entry(change: change)
      if let before = entry["before"] {
        do throws(FieldValueError) { added.before = try Record.fields(before) } catch {
          throw ChangeCodingError("a value of \(change.recordName) cannot be read: \(error.reason)")
        }
      }
      if let place = places[change.recordName] {
        entries[place] = added
      } else {
        places[change.recordName] = entries.count
        entries.append(added)
      }
    }
    for settled in json["settled"]?.array ?? [] {
      guard let parts = settled.array, let name = parts.first?.string, let place = places[name] else {
        continue
      }
      entries[place].outcome =
        switch parts.dropFirst().first?.string {
        case "written": .written
        case "unknown": .unknown
        default: .notWritten
        }
      entries[place].tagAfter = parts.count > 2 ? parts[2].string : nil
    }
    if let written = json["withheldWritten"] { withheld += Counts(json: written) }
    if let moment = json["ended"]?.integer {
      ended = Timestamp(milliseconds: moment)
      jobCounts = json["counts"].map(Counts.init)
    }
  }
}
