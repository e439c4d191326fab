internal import CloudKitModel

/// What of the runs in a history still stands: what they wrote less what later runs took back.
///
/// Nothing marks a run as undone. An undo takes back the records that it wrote, and no others, so an undo that was
/// refused, stopped or partial leaves the rest standing, and an undo of that undo lets its records stand again.
package struct StandingChanges: Sendable {
  /// The fields that undo runs took back, by run and record name; an empty set is the whole record.
  private var takenBack: [String: [String: Set<String>]] = [:]
  /// The records that a run sent without learning the outcome, and that a later run checked or wrote, by run.
  private(set) var settled: [String: Set<String>] = [:]

  /// - Parameter runs: newest first, so that the undo of an undo is known before that undo.
  package init(_ runs: some Sequence<RunRecord>) {
    var known: [(target: ContainerIdentity, records: Set<String>, hasAllSeeds: Bool)] = []
    for run in runs {
      let open = Set(run.entries.filter { $0.outcome == .unknown }.map(\.change.recordName))
      var found = Set(run.entries.filter(\.outcome.isDone).map(\.change.recordName))
      found.formUnion((run.undoes?.foundUndone ?? [:]).keys)
      let place = known.firstIndex { $0.target.isSameContainer(as: run.target) } ?? known.count
      if place == known.count { known.append((run.target, [], false)) }
      // A complete apply has compared the records of all seeds.
      settled[run.id] =
        known[place].hasAllSeeds && run.command == Self.seedApply
        ? open : open.intersection(known[place].records)
      known[place].records.formUnion(found)
      if run.command == Self.seedApply, run.isFinished { known[place].hasAllSeeds = true }
      guard let goal = run.undoes else { continue }
      let own = takenBack[run.id] ?? [:]
      for (name, fields) in goal.foundUndone { add(name, fields, to: goal.runID) }
      for entry in run.entries where entry.outcome == .written {
        let name = entry.change.recordName
        let fields = entry.change.action == .update ? Set(entry.change.fields.keys) : []
        guard let back = own[name] else {
          add(name, fields, to: goal.runID)
          continue
        }
        let kept = fields.subtracting(back)
        if !back.isEmpty, !kept.isEmpty { add(name, kept, to: goal.runID) }
      }
    }
  }

  static let seedApply = "seed apply"

  /// The number of records that the run sent without learning whether they were written.
  func unknown(in run: RunRecord) -> Int { run.unknownCounts.total - (settled[run.id]?.count ?? 0) }

  private mutating func add(_ name: String, _ fields: Set<String>, to run: String) {
    let known = takenBack[run]?[name]
    takenBack[run, default: [:]][name] =
      known.map { $0.isEmpty || fields.isEmpty ? [] : $0.union(fields) } ?? fields
  }

  /// The changes of a run that may still stand in the container, each with the fields that do.
  package func entries(of run: RunRecord) -> [RunRecord.Entry] {
    let back = takenBack[run.id] ?? [:]
    return run.entries.filter(\.outcome.mayStand).compactMap { entry in
      guard let fields = back[entry.change.recordName] else { return entry }
      guard !fields.isEmpty, entry.change.action == .update else { return nil }
      var entry = entry
      for field in fields { entry.change.fields[field] = nil }
      return entry.change.fields.isEmpty ? nil : entry
    }
  }

  /// Whether a run can be undone, as far as the history shows.
  package enum Reversibility: Sendable, Hashable {
    case yes
    case partly(String)
    case no(String)

    package var word: String {
      switch self {
      case .yes: "yes"
      case .partly: "partly"
      case .no: "no"
      }
    }

    package var reason: String? {
      switch self {
      case .yes: nil
      case .partly(let reason), .no(let reason): reason
      }
    }
  }

  package func reversibility(of run: RunRecord) -> Reversibility {
    if run.kind == .job {
      if run.command != "moderation remove", ["moderation", "console"].contains(where: run.command.hasPrefix)
      {
        return .no("'moderation restore', 'unblock' and 'decide --as open' take decisions back")
      }
      if run.command == "container fill" {
        return .no("made-up records are not undone; a container filled for a trial is reset or restored")
      }
      let deletes = run.command == "person erase" || run.counts.deleted > 0
      return .no(
        deletes
          ? "it deleted records of which the history keeps only the number" : "a job is run again, not undone"
      )
    }
    if run.schema != nil {
      let data = run.knowsCounts && run.counts.deleted == 0 ? "" : " and the data deleted with them"
      return .no("schemas\(data) are not undone; 'history \(run.id) --former-schema' prints the one before")
    }
    if run.isRunning { return .no("it is still running") }
    let written = run.entries.filter(\.outcome.mayStand).count
    let left = entries(of: run).count
    let unnamed = run.withheld.total + run.withheldUnknown.total
    let withheld = unnamed > 0 ? Self.userMade(unnamed) : nil
    if left == 0 {
      let undone = written > 0 ? ["it is already undone"] : []
      let reasons = undone + [withheld].compactMap(\.self)
      return .no(reasons.isEmpty ? "it wrote nothing" : reasons.joined(separator: "; "))
    }
    let undone = left < written ? "\(left) of \(written) records are left to undo" : nil
    let reasons = [undone, withheld].compactMap(\.self)
    return reasons.isEmpty ? .yes : .partly(reasons.joined(separator: "; "))
  }

  private static func userMade(_ count: Int) -> String {
    "\(count == 1 ? "1 record is" : "\(count) records are") of types that users may create; their values are not kept"
  }
}
