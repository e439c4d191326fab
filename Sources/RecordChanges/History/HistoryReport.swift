internal import CloudKitModel
public import Diagnostics

/// The report of `history`: the runs, newest first.
public struct HistoryReport: Report {
  private let runs: [RunRecord]
  /// Messages about runs whose files cannot be read.
  private let damaged: [String]
  /// The number of older runs that were not read.
  private let leftOut: Int
  private let standing: StandingChanges

  /// - Parameter limit: the maximum number of runs to show.
  public init(_ history: RunHistory?, limit: Int?) throws {
    try self.init(history, limit: limit, maxBytes: RunHistory.maxReadBytes)
  }

  init(_ history: RunHistory?, limit: Int?, maxBytes: Int) throws {
    let (readings, leftOut) = try history?.runs(upTo: maxBytes) ?? ([], 0)
    standing = StandingChanges(readings.compactMap { try? $0.run.get() })
    let shown = readings.prefix(limit ?? readings.count)
    runs = shown.compactMap { try? $0.run.get() }
    damaged = shown.compactMap { if case .failure(let error) = $0.run { error.description } else { nil } }
    self.leftOut = limit.map { $0 <= readings.count } ?? false ? 0 : leftOut
  }

  public var json: JSONValue {
    var json: JSONObject = ["runs": .array(runs.map { .object($0.json(standing)) })]
    if !damaged.isEmpty { json["damaged"] = .array(damaged.map(JSONValue.string)) }
    if leftOut > 0 { json["leftOut"] = JSONValue(leftOut) }
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let unreadable = damaged.map { "\(style.red("✗")) \($0)\n" as PrintableText }.joined()
    guard !runs.isEmpty || !damaged.isEmpty else { return "no runs yet\n" }
    let older: PrintableText =
      leftOut == 0
      ? ""
      : "… and \(counted(leftOut, "older run")), not read because the history is larger than \(RunHistory.maxReadBytes >> 20) MiB\n"
    return unreadable
      + runs.map { run in
        let undo = standing.reversibility(of: run)
        let reason = undo.reason.map { " (\($0))" } ?? ""
        return
          "\(style.bold("\(run.id)"))  \(run.started.iso8601)  \(run.command)  \(run.summary)\(run.rest(style))  undo: \(undo.word)\(reason)\n"
      }.joined() + older
  }
}

/// The report of `history RUN`: one run with all its changes.
public struct HistoryRunReport: Report {
  private let run: RunRecord
  private let standing: StandingChanges
  private let since: ChangesSinceRun?

  /// - Parameters:
  ///   - history: the history of the run, which shows whether it was undone.
  ///   - since: to also show when each record was last changed, and whether this key did it.
  public init(_ run: RunRecord, in history: RunHistory, since: ChangesSinceRun? = nil) throws {
    self.run = run
    self.since = since
    standing = try history.standing(of: run)
  }

  public var json: JSONValue {
    var json = run.json(standing)
    json["changes"] = .array(
      run.entries.map { entry in
        var change = entry.change.planJSON()
        change["outcome"] = .string(entry.outcome.explanation)
        change["lastChange"] = since?.json(entry)
        return .object(change)
      })
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let undo = standing.reversibility(of: run)
    let reason = undo.reason.map { ", \($0)" } ?? ""
    let written = run.entries.filter(\.outcome.mayStand)
    let open = run.entries.filter { !$0.outcome.isDone }
    let rest = open.prefix(50).map { entry -> PrintableText in
      "  \(style.yellow("·")) \(entry.change.recordType) \(entry.change.label ?? entry.change.recordName): \(entry.outcome.explanation)\n"
    }.joined()
    let more: PrintableText = open.count > 50 ? "  … and \(open.count - 50) more\n" : ""
    return "\(style.bold("\(run.id)"))  \(run.command)  \(run.started.iso8601)  \(run.target.name)\n"
      + lines(of: written) + rest + more
      + "\(run.summary)\(run.rest(style)); undo: \(undo.word)\(reason)\n"
  }
}

extension HistoryRunReport {
  /// The first changes, each with what became of its record.
  private func lines(of entries: [RunRecord.Entry]) -> PrintableText {
    let shown = entries.prefix(RecordChangeText.maxShown)
    let hidden = entries.count - shown.count
    return shown.map { RecordChangeText($0.change).lines + (since?.text($0) ?? "") }.joined()
      + (hidden > 0 ? "… and \(hidden) more\n" : "")
  }
}

/// The report of `history RUN --former-schema`: the schema before the run.
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
  fileprivate func json(_ standing: StandingChanges) -> JSONObject {
    let undo = standing.reversibility(of: self)
    var json: JSONObject = [
      "id": .string(id), "command": .string(command), "container": .string(target.name),
      "environment": .string(target.environment.rawValue), "started": .string(started.iso8601),
    ]
    json["ended"] = ended.map { .string($0.iso8601) }
    if knowsCounts {
      json["created"] = JSONValue(counts.created)
      json["updated"] = JSONValue(counts.updated)
      json["deleted"] = JSONValue(counts.deleted)
      if unknownCounts.total > 0 { json["unknown"] = JSONValue(unknownCounts.total) }
    }
    if kind == .person { json["finished"] = .bool(isFinished) }
    json["undo"] = .string(undo.word)
    json["reason"] = undo.reason.map(JSONValue.string)
    json["undoes"] = undoes.map { .string($0.runID) }
    return json
  }

  fileprivate var summary: String {
    guard knowsCounts else { return "counts not known" }
    let (known, unknown) = (counts, unknownCounts)
    return [
      (known.created, unknown.created, "created"), (known.updated, unknown.updated, "updated"),
      (known.deleted, unknown.deleted, "deleted"),
    ].map { "\($1 > 0 ? "at least " : "")\($0) \($2)" }.joined(separator: ", ")
  }

  /// What of the run is not done; empty for a finished run.
  fileprivate func rest(_ style: TerminalStyle) -> PrintableText {
    let left = entries.count { !$0.outcome.isDone }
    let cutOff: PrintableText = ended == nil ? "  \(style.yellow("cut off"))" : ""
    return left == 0 ? cutOff : cutOff + "  \(style.yellow("\(left) of \(entries.count) not done"))"
  }
}

extension RunRecord.Entry.Outcome {
  /// In words for people.
  fileprivate var explanation: String {
    switch self {
    case .written: "written"
    case .found: "was there already"
    case .refused: "refused"
    case .unknown: "unknown"
    case .notSent: "not sent"
    }
  }
}
