package import CloudKitModel
package import Diagnostics

/// The report of `history`: the runs, the last one to begin writing first, as `undo` takes them.
package struct HistoryReport: Report {
  private let runs: [RunRecord]
  private let damaged: [String]
  private let leftOut: Int
  /// The number of runs in other containers that are not shown; `nil` where those of all are.
  private let elsewhere: Int?
  /// The only environment whose runs are shown; `nil` for both.
  private let environment: Environment?
  private let standing: StandingChanges

  /// - Parameters:
  ///   - environment: the only environment that `isShown` accepts, if it accepts one alone.
  ///   - isShown: which containers' runs to show; `nil` for all, with their names.
  package init(
    _ history: RunHistory?, limit: Int?, maxBytes: Int = RunHistory.maxReadBytes,
    environment: Environment? = nil, in isShown: ((ContainerIdentity) -> Bool)? = nil
  ) throws {
    self.environment = environment
    let (all, leftOut) = try history?.runs(upTo: maxBytes) ?? ([], 0)
    standing = StandingChanges(all.compactMap { try? $0.run.get() })
    let readings = all.filter { reading in
      guard let isShown, case .success(let run) = reading.run else { return true }
      return isShown(run.target)
    }
    elsewhere = isShown.map { _ in all.count - readings.count }
    let shown = readings.prefix(limit ?? readings.count)
    runs = shown.compactMap { try? $0.run.get() }
    damaged = shown.compactMap { if case .failure(let error) = $0.run { error.description } else { nil } }
    self.leftOut = limit.map { $0 <= readings.count } ?? false ? 0 : leftOut
  }

  package var json: JSONValue {
    .object([
      "runs": .array(runs.map { .object($0.json(standing)) }),
      "damaged": damaged.isEmpty ? nil : damaged.json, "leftOut": leftOut > 0 ? leftOut.json : nil,
      "inOtherContainers": elsewhere.flatMap { $0 > 0 ? $0.json : nil },
    ])
  }

  package var body: ReportBody {
    if runs.isEmpty, damaged.isEmpty {
      elsewhere ?? 0 > 0
        ? "no runs in \(environment.map { "\($0.rawValue) of " } ?? "")this container" : "no runs yet"
    }
    for message in damaged { ListItem(.bad, "\(message)") }
    table
    if leftOut > 0, !runs.isEmpty || !damaged.isEmpty {
      "… and \(counted(leftOut, "older run")), not read because the history is larger than \(RunHistory.maxReadBytes >> 20) MiB"
    }
    if let elsewhere, elsewhere > 0 {
      let other = environment.map { $0 == .production ? "development or in " : "production or in " } ?? ""
      "\("\(counted(elsewhere, "run")) in \(other)other containers: celestra-admin history --all", .dim)"
    }
  }

  private var table: Table {
    let place = elsewhere == nil ? [Table.Column("container")] : []
    var table = Table(
      [.init("run"), .init("first write")] + place + [
        .init("environment"), .init("command"), .init("changes"), .init("undo"),
      ])
    for run in runs {
      let undo = standing.reversibility(of: run)
      let cells: [StyledText] =
        [
          "\(run.id, .strong)",
          "\(Timestamp(milliseconds: run.beganToWrite.milliseconds / 1000 * 1000).iso8601)",
        ] + place.map { _ in "\(run.target.name)" } + [
          "\(run.target.environment.rawValue)", "\(run.title)", run.summary(standing),
          "\(undo.word)\(undo.reason.map { " (\($0))" } ?? "")",
        ]
      table.rows.append(Table.Row(cells))
    }
    return table
  }
}

extension RunHistory {
  /// The report of `history RUN`: one run with all its changes. Throws the errors of ``standing(of:)``.
  ///
  /// - Parameter since: to also show when each record was last changed, and whether this key did it.
  package func report(of run: RunRecord, since: ChangesSinceRun? = nil) throws -> PlainReport {
    let standing = try self.standing(of: run)
    let undo = standing.reversibility(of: run)
    let settled = standing.settled[run.id] ?? []
    let written = run.entries.filter(\.outcome.mayStand)
    let names = written.map(\.change).shownNames(slugs: since?.names ?? [:])
    let changes = run.entries.map { entry in
      JSONValue.object(entry.change.planJSON()).adding([
        "outcome": .string(entry.outcome.explanation), "lastChange": since?.json(entry),
      ])
    }
    return PlainReport(json: JSONValue.object(run.json(standing)).adding(["changes": .array(changes)])) {
      "\(run.id, .strong)  \(run.title)  \(run.started.iso8601)  \(run.target.inWords)"
      ReportBody.first(ReportBody.maxChanges, of: Array(zip(written, names))) { entry, name in
        entry.change.item(named: name, slugs: since?.names ?? [:])
          .adding([since?.text(entry)].compactMap(\.self))
      }
      ReportBody.first(
        50,
        of: run.entries.filter {
          !$0.outcome.isDone && !($0.outcome == .unknown && settled.contains($0.change.recordName))
        }
      ) { entry in
        ListItem(
          .note,
          "\(entry.change.recordType) \(entry.change.shownName ?? "record"): \(entry.outcome.explanation)"
        )
      }
      "\(run.summary(standing)); undo: \(undo.word)\(undo.reason.map { ", \($0)" } ?? "")"
    }
  }
}

extension RunRecord {
  fileprivate func json(_ standing: StandingChanges) -> JSONObject {
    let undo = standing.reversibility(of: self)
    func number(_ path: KeyPath<Counts, Int>) -> JSONValue {
      knowsCounts ? JSONValue(counts[keyPath: path]) : .null
    }
    return [
      "id": id.json, "command": command.json, "container": target.name.json,
      "environment": target.environment.rawValue.json, "started": started.iso8601.json,
      "firstWrite": beganToWrite.iso8601.json,
      "ended": ended?.iso8601.json, "created": number(\.created), "updated": number(\.updated),
      "deleted": number(\.deleted),
      "unknown": knowsCounts && standing.unknown(in: self) > 0 ? standing.unknown(in: self).json : nil,
      "finished": kind == .person ? isFinished.json : nil, "running": isRunning ? true : nil,
      "undo": undo.word.json, "reason": undo.reason?.json, "undoes": undoes?.runID.json,
    ]
  }

  /// The command, and of an undo also what it undid: `undo of 20261128T192124-8b6a54`.
  package var title: String { undoes.map { "\(command) of \($0.runID)" } ?? command }

  /// `12 created, 3 updated`, and what of the run is not done: `cut off, 82 sent, outcome unknown`.
  package func summary(_ standing: StandingChanges) -> StyledText {
    let (counts, unknown) = (counts, standing.unknown(in: self))
    let settled = unknownCounts.total - unknown
    let known =
      [
        (counts.created, "created"), (counts.updated, "updated"), (counts.deleted, "deleted"),
        (settled, "sent, checked by a later run"),
      ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
      + (schema == nil ? [] : ["the schema"])
      + (knowsCounts
        ? []
        : [kind == .person && ended != nil ? "records deleted with it: not counted" : "counts not known"])
    let left = entries.count { !$0.outcome.isDone && $0.outcome != .unknown }
    let open =
      isRunning
      ? ["running"]
      : [
        ended == nil ? schema == nil ? "cut off" : "not finished" : nil,
        left > 0 ? "\(left) of \(entries.count) not done" : nil,
        unknown > 0 ? "\(unknown) sent, outcome unknown" : nil,
      ].compactMap(\.self)
    let start =
      known.isEmpty ? unknown == 0 ? "nothing written" : "" : known.joined(separator: ", ")
    let comma = start.isEmpty || open.isEmpty ? "" : ", "
    return "\(start)\(comma)\(open.joined(separator: ", "), .caution)"
  }
}

extension RunRecord.Entry.Outcome {
  /// In words for people.
  fileprivate var explanation: String { self == .found ? "was there already" : rawValue }
}

/// The last change of each record that a run wrote: when it was, and whether this key made it. Never who.
package struct ChangesSinceRun: Sendable {
  private let authors: ChangeAuthors
  /// By record name; without a record for one that is not there any more.
  private let records: [String: Record?]
  /// The known names of the records and of those that changed fields refer to, by record name.
  let names: [String: String]

  /// `nil` for a run in another container.
  package init?(of run: RunRecord, in container: any Container) async throws {
    guard run.target.isSameContainer(as: container.identity) else { return nil }
    let changes = run.entries.filter(\.outcome.mayStand).map(\.change).prefix(ReportBody.maxChanges)
    let names = changes.referenceTargets.union(changes.map(\.recordName)).sorted()
    let outcomes = try await container.lookupAll(names, desiredKeys: Record.knownNameFields)
    records = Dictionary(
      zip(names, outcomes).compactMap { name, outcome in
        outcome.error.map { $0.code == .notFound } == false ? nil : (name, outcome.record)
      }, uniquingKeysWith: { first, _ in first })
    self.names = records.compactMapValues { $0?.knownName }
    authors = await ChangeAuthors(of: container)
  }

  /// `last changed 2026-11-20T10:00:00Z by another user, after this run`; `nil` for a record that was not read.
  func text(_ entry: RunRecord.Entry) -> StyledText? {
    guard let record = records[entry.change.recordName] else { return nil }
    guard let record else { return entry.change.action == .delete ? nil : "deleted after this run" }
    guard let stamp = record.modified else { return nil }
    let isOfRun = Self.isOfRun(record, entry)
    // The run's own key made a change in the run, also when the service does not say which user that is.
    if isOfRun == true, authors.author(of: stamp) == .unknown {
      return "last changed \(stamp.timestamp.iso8601) in this run"
    }
    let place = isOfRun.map { $0 ? ", in this run" : ", after this run" } ?? ""
    return "last changed \(authors.text(stamp))\(place)"
  }

  /// `{"at": …, "by": …, "inThisRun": true}`; `nil` for a record that was not read or is not there.
  func json(_ entry: RunRecord.Entry) -> JSONValue? {
    guard let record = records[entry.change.recordName] ?? nil, let stamp = record.modified else {
      return nil
    }
    return authors.json(stamp).adding(["inThisRun": Self.isOfRun(record, entry).map(JSONValue.bool)])
  }

  /// Whether the record's last change is the run's, by the change tag; `nil` when the reply to the run's write did not have
  /// it.
  private static func isOfRun(_ record: Record, _ entry: RunRecord.Entry) -> Bool? {
    entry.tagAfter.map { $0 == record.changeTag }
  }
}
