public import CloudKitModel
public import Diagnostics

/// The report of `history`: the runs, newest first.
public struct HistoryReport: Report {
  private let runs: [RunRecord]
  /// Messages about runs whose files cannot be read.
  private let damaged: [String]
  private let undone: Set<String>

  /// - Parameter limit: the maximum number of runs to show.
  public init(_ history: RunHistory?, limit: Int?) throws {
    let readings = try history?.runs() ?? []
    let all = readings.compactMap { try? $0.run.get() }
    undone = all.undoneRuns
    let shown = Set(readings.prefix(limit ?? readings.count).map(\.id))
    runs = all.filter { shown.contains($0.id) }
    damaged = readings.compactMap { reading in
      if case .failure(let error) = reading.run, shown.contains(reading.id) { error.description } else { nil }
    }
  }

  public var json: JSONValue {
    var json: JSONObject = ["runs": .array(runs.map { .object($0.json(undone: undone)) })]
    if !damaged.isEmpty { json["damaged"] = .array(damaged.map(JSONValue.string)) }
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let unreadable = damaged.map { "\(style.red("✗")) \($0)\n" as PrintableText }.joined()
    guard !runs.isEmpty else { return damaged.isEmpty ? "no runs yet\n" : unreadable }
    return unreadable
      + runs.map { run in
        let undo = run.reversibility(undone: undone)
        let reason = undo.reason.map { " (\($0))" } ?? ""
        let open: PrintableText = run.ended == nil ? "  \(style.yellow("cut off"))" : ""
        return
          "\(style.bold("\(run.id)"))  \(run.command)  \(run.summary)\(open)  undo: \(undo.word)\(reason)\n"
      }.joined()
  }
}

/// The report of `history RUN`: one run with all its changes.
public struct HistoryRunReport: Report {
  private let run: RunRecord
  private let undone: Set<String>

  /// - Parameter history: the history of the run, which shows whether it was undone.
  public init(_ run: RunRecord, in history: RunHistory) throws {
    self.run = run
    undone = try history.runs().compactMap { try? $0.run.get() }.undoneRuns
  }

  public var json: JSONValue {
    var json = run.json(undone: undone)
    json["changes"] = .array(
      run.entries.map { entry in
        var change = entry.change.planJSON()
        change["outcome"] = .string(entry.outcome.word)
        return .object(change)
      })
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let undo = run.reversibility(undone: undone)
    let reason = undo.reason.map { ", \($0)" } ?? ""
    let written = run.entries.filter { $0.outcome != .notWritten }.map(\.change)
    return "\(style.bold("\(run.id)"))  \(run.command)  \(run.started.iso8601)  \(run.target.name)\n"
      + RecordChangeText.lines(of: written) + "\(run.summary); undo: \(undo.word)\(reason)\n"
  }
}

/// The report of `history RUN --schema`: the schema before the run.
public struct FormerSchemaReport: Report {
  private let schema: String

  /// `nil` for a run that did not change the schema.
  public init?(_ run: RunRecord) {
    guard let schema = run.schema else { return nil }
    self.schema = schema
  }

  public var json: JSONValue { ["schema": .string(schema)] }
  public func text(_ style: TerminalStyle) -> PrintableText { PrintableText(document: schema) }
}

extension RunRecord {
  fileprivate func json(undone: Set<String>) -> JSONObject {
    let undo = reversibility(undone: undone)
    var json: JSONObject = [
      "id": .string(id), "command": .string(command), "container": .string(target.name),
      "environment": .string(target.environment.rawValue), "started": .string(started.iso8601),
    ]
    json["ended"] = ended.map { .string($0.iso8601) }
    json["created"] = JSONValue(counts.created)
    json["updated"] = JSONValue(counts.updated)
    json["deleted"] = JSONValue(counts.deleted)
    json["undo"] = .string(undo.word)
    json["reason"] = undo.reason.map(JSONValue.string)
    json["undoes"] = undoes.map(JSONValue.string)
    return json
  }

  fileprivate var summary: String {
    "\(counts.created) created, \(counts.updated) updated, \(counts.deleted) deleted"
  }

  /// True if no change of the run is still to be written.
  fileprivate var isFinished: Bool { ended != nil && entries.allSatisfy { $0.outcome != .unknown } }
}

extension RunRecord.Entry.Outcome {
  fileprivate var word: String {
    switch self {
    case .written: "written"
    case .notWritten: "not written"
    case .unknown: "unknown"
    }
  }
}

extension [RunRecord] {
  /// The ids of runs that were undone, by runs that were not undone themselves. Newest first.
  public var undoneRuns: Set<String> {
    reduce(into: []) { undone, run in
      guard let target = run.undoes, run.isFinished, !undone.contains(run.id) else { return }
      undone.insert(target)
    }
  }

  /// The last run by a person in a container: the one to undo when none is named. Newest first. Throws ``UndoError``.
  public func lastUndoable(in target: ContainerIdentity) throws -> RunRecord {
    let people = filter { $0.kind == .person && $0.target == target && $0.schema == nil && !$0.isEmpty }
    guard let last = people.first else { throw UndoError.noRun }
    guard last.undoes == nil else {
      let undone = undoneRuns
      let before = people.first { $0.undoes == nil && !undone.contains($0.id) }
      throw UndoError.lastIsUndo(id: last.id, before: before?.id)
    }
    return last
  }
}

extension RunRecord {
  fileprivate var isEmpty: Bool { withheld.total == 0 && entries.allSatisfy { $0.outcome == .notWritten } }
}
