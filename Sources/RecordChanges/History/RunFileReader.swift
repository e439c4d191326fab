internal import CloudKitModel
internal import Diagnostics

extension RunRecord {
  /// Reads a run's file. A last line that was cut off belongs to a request that was never sent, and is left out.
  ///
  /// Throws ``ChangeCodingError`` when the file is damaged or of another version.
  init(parsing bytes: [UInt8]) throws {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = lines.first, let head = try? JSONValue(parsing: first) else {
      throw ChangeCodingError("it has no head")
    }
    var reader = RunFileReader(run: try RunRecord(head: head))
    for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      guard let json = try? JSONValue(parsing: line) else {
        if number == lines.count - 1 { break }
        throw ChangeCodingError("line \(number + 1) is damaged")
      }
      try reader.read(json)
    }
    self = reader.run
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
      target: ContainerIdentity(
        name: container, environment: environment, id: head["containerID"]?.string),
      started: Timestamp(milliseconds: started), undoes: UndoGoal(head: head),
      schema: head["schema"]?.string)
  }
}

/// Collects the lines of a run's file after its header.
private struct RunFileReader {
  var run: RunRecord
  private var places: [String: Int] = [:]
  /// What the run has written to a record so far: it may write a record twice.
  private var written: [String: RunRecord.Entry] = [:]

  init(run: RunRecord) { self.run = run }

  mutating func read(_ json: JSONValue) throws {
    for change in json["intends"]?.array ?? [] {
      run.knowsGoal = true
      put(RunRecord.Entry(change: try RecordChange(json: change)))
    }
    for entry in json["sending"]?.array ?? [] { put(try sent(entry)) }
    if json["sending"] != nil { run.withheldUnknown = json["withheld"].map(RunRecord.Counts.init) ?? .init() }
    if json["settled"] != nil { run.withheldUnknown = RunRecord.Counts() }
    for settled in json["settled"]?.array ?? [] { settle(settled) }
    if let counts = json["withheldWritten"] { run.withheld += RunRecord.Counts(json: counts) }
    if let moment = json["ended"]?.integer {
      run.ended = Timestamp(milliseconds: moment)
      run.jobCounts = json["counts"].map(RunRecord.Counts.init)
      // A run that ended intends nothing else. An import of a schema intends no records.
      run.knowsGoal = true
    }
  }

  private func sent(_ json: JSONValue) throws -> RunRecord.Entry {
    var entry = RunRecord.Entry(change: try RecordChange(json: json), outcome: .unknown)
    guard let before = json["before"] else { return entry }
    do throws(FieldValueError) { entry.before = try Record.fields(before) } catch {
      throw ChangeCodingError("a value of \(entry.change.recordName) cannot be read: \(error.reason)")
    }
    return entry
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

  private mutating func settle(_ json: JSONValue) {
    guard let parts = json.array, let name = parts.first?.string, let place = places[name] else { return }
    var entry = run.entries[place]
    entry.outcome = RunRecord.Entry.Outcome(word: parts.dropFirst().first?.string)
    entry.tagAfter = parts.count > 2 ? parts[2].string : nil
    if entry.outcome == .written { written[name] = entry }
    // A second change that was not written leaves what the first one wrote.
    run.entries[place] = entry.outcome.mayStand ? entry : written[name] ?? entry
  }
}

extension RunRecord.Entry {
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
