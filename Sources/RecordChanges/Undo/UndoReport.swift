package import CloudKitModel
package import Diagnostics

package struct UndoReport: Report {
  private let plan: UndoPlan
  /// `nil` in a dry run.
  private let report: ChangeReport?
  private let savedPlan: PlanFile?

  package init(plan: UndoPlan, now: Timestamp) {
    self.plan = plan
    report = nil
    savedPlan = PlanFile(command: "undo", target: plan.run.target, created: now, changes: plan.changes)
  }

  package init(_ plan: UndoPlan, _ report: ChangeReport) {
    self.plan = plan
    self.report = report
    savedPlan = nil
  }

  /// A dry run has the status of the run that it shows.
  package var status: ExitStatus {
    (report ?? ChangeReport()).summary.status(leavingMore: !plan.skipped.isEmpty || plan.lost > 0)
  }

  package var failure: CommandFailure? {
    if let failure = report?.failure { return failure }
    guard let first = plan.skipped.first else {
      guard plan.lost > 0 else { return nil }
      return CommandFailure(
        "not everything \(report == nil ? "would be" : "was") restored: the values of \(counted(plan.lost, "deleted record")) were not kept",
        code: "not-restored",
        hint:
          "Users may create records of these types, so the history has only their number. A backup may have them.",
        status: .partial)
    }
    let verb = report == nil ? "would stay" : "stayed"
    let missed =
      report == nil
      ? "would not be restored" : plan.skipped.count == 1 ? "was not restored" : "were not restored"
    let records = plan.skipped.count { $0.field == nil }
    let kept = [(records, "record"), (plan.skipped.count - records, "value")].filter { $0.0 > 0 }
      .map { counted($0, $1) }.joined(separator: " and ")
    let stayed =
      plan.skipped.allSatisfy(\.isGone)
      ? missed : plan.skipped.count == 1 ? "\(verb) as it is" : "\(verb) as they are"
    return CommandFailure(
      "\(kept) \(stayed); \(first.name): \(first.reason)", code: "kept", hint: hint, status: .partial)
  }

  private var hint: String {
    let causes = Set(plan.skipped.map(\.cause))
    let reasons = UndoPlan.Skip.Cause.allCases.filter(causes.contains).map { cause in
      cause.rawValue + (cause == .referred ? referredAdvice : "")
    }
    let next =
      causes == [.lost]
      ? [] : ["Decide on the rest, then run 'celestra-admin undo \(plan.run.id)\(historyOption)' again."]
    return (reasons + next).joined(separator: " ")
  }

  private var referredAdvice: String {
    plan.run.command == StandingChanges.seedApply
      ? " 'celestra-admin seed apply --prune' deletes those that are in no seed." : ""
  }

  package var isConfirmation: Bool { report != nil && left == 0 && plan.lost == 0 }

  private var done: [RecordChange] {
    report?.inContainer ?? plan.changes
  }

  /// The option for the history that has the run, with a space before it; empty for the state folder's, where undos are.
  package var historyOption = ""

  /// What the run wrote and the records still have: kept values, and changes that were not written.
  private var left: Int { plan.skipped.count + (report?.remaining.count ?? 0) }

  private var unknown: Int { report?.unknown ?? 0 }

  /// No later undo finds what the history does not hold.
  private var mayContinue: Bool { left > plan.skipped.count { $0.cause == .lost } }

  package var json: JSONValue {
    let atStake = report == nil ? plan.risks.json : (risks: nil, readers: nil)
    return .object([
      "run": plan.run.id.json, "create": plan.count(.create).json, "update": plan.count(.update).json,
      "delete": plan.count(.delete).json, "unchanged": plan.unchanged.json,
      "conflicts": plan.skipped.count.json, "failed": (report?.failed ?? 0).json,
      "changes": .array(plan.changes.map { .object($0.planJSON()) }),
      "skipped": .array(plan.skipped.map(\.json)), "lost": plan.lost > 0 ? plan.lost.json : nil,
      "written": report?.applied.json, "remaining": report?.remainingJSON,
      "left": report == nil ? nil : left.json, "undoneBy": report?.undoableRun?.json,
      "risks": atStake.risks, "readers": atStake.readers, "plan": savedPlan?.json,
    ])
  }

  package var body: ReportBody {
    if let report {
      let partly = !done.isEmpty ? "partly undid" : unknown > 0 ? "began to undo" : "did not undo"
      let verb = left == 0 && plan.lost == 0 ? "undid" : partly
      plan.kept
      "\(verb) \(plan.run.id) (\(plan.run.title)): \(counts)"
      if mayContinue { "To undo the rest: \("celestra-admin undo \(plan.run.id)\(historyOption)", .code)" }
      if let undo = report.undoableRun {
        "To take this undo back: \("celestra-admin undo \(undo)", .code)"
      }
    } else {
      plan.details
      "would undo \(plan.run.id) (\(plan.run.title)): \(counts)"
      plan.risks.options
    }
  }

  /// `1 restored, 2 changed back`
  private var counts: String {
    func count(_ action: RecordChange.Action) -> Int { done.count { $0.action == action } }
    let counts = [
      (count(.create), "restored"), (count(.update), "changed back"), (count(.delete), "deleted"),
      (plan.unchanged, "unchanged"), (unknown, "sent, outcome unknown"), (left - unknown, "left"),
    ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
    return counts.isEmpty ? "nothing to change" : counts.joined(separator: ", ")
  }
}

extension UndoPlan {
  /// The number of records that the run deleted and of which the history keeps no values.
  fileprivate var lost: Int { run.withheld.deleted }

  /// The changes, who loses what by them, and what stays.
  @ReportBodyBuilder package var details: ReportBody {
    ReportBody.changes(changes, slugs: slugs)
    risks.affected(by: changes, slugs: slugs)
    kept
  }

  @ReportBodyBuilder fileprivate var kept: ReportBody {
    ReportBody.first(50, of: skippedByReason) { group in
      let first = group[0]
      let verb =
        group.count == 1
        ? first.isGone ? "is not restored:" : "stays as it is:"
        : "\(first.isGone ? "are not restored" : "stay as they are"), each because"
      ListItem(
        .note,
        "\(first.change.recordType) \(listed(group.map(\.name), upTo: 20)) \(verb) \(first.reason)")
    }
    ReportBody.first(50, of: dangling) {
      ListItem(.note, "\($0.change.recordType) \($0.name) is restored as it was: \($0.reason)")
    }
    if lost > 0 {
      ListItem(
        .note,
        "\(counted(lost, "deleted record")) of types that users may create cannot be restored: their values were not kept"
      )
    }
  }

  /// What stays, each by itself, but in one group where more than three of a type have one reason.
  private var skippedByReason: [[Skip]] {
    func key(_ skip: Skip) -> [String] { [skip.change.recordType, skip.reason, "\(skip.isGone)"] }
    let groups = Dictionary(grouping: skipped, by: key)
    var shown: Set<[String]> = []
    return skipped.compactMap { skip in
      guard let group = groups[key(skip)], group.count > 3 else { return [skip] }
      return shown.insert(key(skip)).inserted ? group : nil
    }
  }
}

extension UndoPlan.Skip {
  fileprivate var name: String {
    let record = change.shownName ?? "record"
    return field.map { "\(record), \($0)" } ?? record
  }

  fileprivate var json: JSONValue {
    .object([
      "recordType": change.recordType.json, "recordName": change.isNamedByPerson ? nil : recordName.json,
      "reason": reason.json, "field": field?.json,
    ])
  }
}

/// The decision of how to undo one change, made from the current record.
enum UndoDecision: Hashable {
  /// The record already has the values from before the run.
  case nothing
  /// - Parameter found: as of ``UndoGoal/foundUndone``.
  case change(
    RecordChange, skipped: [String: String] = [:], cause: UndoPlan.Skip.Cause = .changed,
    found: Set<String> = [])
  /// Change nothing, for this reason.
  case keep(String, UndoPlan.Skip.Cause = .changed)
}

extension RunRecord.Entry {
  /// - Parameter isStrict: keeps the whole record when one of its fields has another value than the run wrote.
  func undone(given current: Record?, _ rules: UndoRules, isStrict: Bool) -> UndoDecision {
    if let current, current.recordType != change.recordType {
      return .keep("the name belongs to a record of type \(current.recordType)")
    }
    return switch (change.action, current) {
    case (.create, nil): .nothing
    case (.create, let current?): undoneCreate(current, rules)
    case (.update, nil): .keep("the record was deleted since")
    case (.update, let current?): undoneUpdate(current, rules, isStrict)
    case (.delete, nil): undoneDelete
    case (.delete, let current?): undoneDelete(finding: current)
    }
  }

  /// The record is deleted if only this run and jobs have written to it, or an undo that was cut off between clearing a
  /// reference with the action VALIDATE and the deletion.
  private func undoneCreate(_ current: Record, _ rules: UndoRules) -> UndoDecision {
    let cleared = change.fields.filter { field, written in
      current.fields[field] == nil && !(written.to?.validatedTargets ?? []).isEmpty
    }
    if tagAfter == nil || tagAfter != current.changeTag {
      let foreign = Set(current.fields.keys).union(change.fields.keys).filter { field in
        let written = change.fields[field]?.to
        return cleared[field] == nil && !current.fields[field].isSame(as: written)
          && !rules.isComputed(field, current.recordType)
      }
      if let field = foreign.min() { return .keep("\(field) was changed since") }
    }
    return .change(
      RecordChange(
        .delete, of: current, label: change.label,
        fields: cleared.mapValues { FieldChange(from: $0.to, to: nil) }))
  }

  private func undoneUpdate(_ current: Record, _ rules: UndoRules, _ isStrict: Bool) -> UndoDecision {
    var undo = RecordChange(.update, of: current, label: change.label)
    var skipped: [String: String] = [:]
    var lost: Set<String> = []
    var found: Set<String> = []
    for (field, written) in change.fields {
      let value = current.fields[field]
      if value.isSame(as: written.from) {
        found.insert(field)
      } else if value.isSame(as: written.to), written.from?.lacksUpload == true {
        lost.insert(field)
      } else if value.isSame(as: written.to) {
        undo.fields[field] = FieldChange(from: value, to: written.from)
      } else if rules.isComputed(field, current.recordType) {
        found.insert(field)
      } else {
        skipped[field] = "it was changed since"
      }
    }
    // The former time of the last change would be older than the content that stays.
    if !skipped.isEmpty || !lost.isEmpty {
      undo.fields = undo.fields.filter { !rules.follows($0.key, current.recordType) }
    }
    if let field = skipped.keys.min(), isStrict || undo.fields.isEmpty {
      return .keep(
        skipped.count == 1 ? "\(field) was changed since" : "\(field) and others were changed since")
    }
    if undo.fields.isEmpty || isStrict && !lost.isEmpty { return Self.kept(without: lost) }
    let cause: UndoPlan.Skip.Cause = skipped.isEmpty ? .lost : .changed
    for field in lost { skipped[field] = Self.noFiles }
    return .change(undo, skipped: skipped, cause: cause, found: found.union(lost))
  }

  private static let noFiles = "the history keeps no files"

  /// - Parameter lost: the fields whose files cannot be brought back.
  private static func kept(without lost: Set<String>) -> UndoDecision {
    lost.min().map { .keep("\(noFiles), and \($0) had one", .lost) } ?? .nothing
  }

  private var undoneDelete: UndoDecision {
    guard let before else { return .keep("its values were not kept", .lost) }
    let files = before.filter(\.value.lacksUpload).keys
    let undo = RecordChange(
      .create, recordType: change.recordType, recordName: change.recordName, label: change.label,
      fields: before.filter { !files.contains($0.key) }.mapValues { FieldChange(to: $0) })
    return .change(
      undo, skipped: Dictionary(uniqueKeysWithValues: files.map { ($0, Self.noFiles) }), cause: .lost)
  }

  /// The record is there again as it was, but for files, or an undo that was cut off has not written the references of a
  /// circle yet.
  private func undoneDelete(finding current: Record) -> UndoDecision {
    let absent = (before ?? [:]).filter { current.fields[$0.key] == nil }
    let open = absent.filter { !$0.value.validatedTargets.isEmpty }
    let lost = Set(absent.filter(\.value.lacksUpload).keys)
    let isRestored = before.map { before in
      Set(before.keys).union(current.fields.keys).allSatisfy {
        open[$0] != nil || lost.contains($0) || current.fields[$0].isSame(as: before[$0])
      }
    }
    guard isRestored == true else { return .keep("a record with this name exists again") }
    guard !open.isEmpty else { return Self.kept(without: lost) }
    return .change(
      RecordChange(
        .update, of: current, label: change.label, fields: open.mapValues { FieldChange(to: $0) }))
  }
}
