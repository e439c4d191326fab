internal import CloudKitModel
package import Diagnostics
internal import RecordChanges

package struct ModerationResult: Sendable {
  package let plan: ModerationPlan
  let isDryRun: Bool
  /// A person has seen the changes in a prompt, so they are not repeated.
  package var isShown = false
  var summary = WriteSummary()
  private var notes: [String]
  private var warnings: [String]
  /// What stays shown of a blocked author, by type: how many records, and the names of some.
  private var staying: [ModerationPlan.Staying: (records: Int, names: [String])] = [:]
  private var decisions = 0
  private var reports = 0
  /// Of these, how many wait again.
  private var reopened = 0
  private var isEmpty = true
  /// How many records of a type get which values.
  private var changed: [String: [String: Int]] = [:]

  /// The most records of which each has a note.
  static let maxNotes = 20
  private static let deleted = "deleted"

  init(_ plan: ModerationPlan, isDryRun: Bool) {
    self.plan = plan
    self.isDryRun = isDryRun
    notes = plan.notes
    warnings = plan.warnings
    add(plan)
  }

  mutating func add(_ part: ModerationPlan) {
    isEmpty = isEmpty && part.changes == 0
    // What a block does to each record is part of one decision.
    decisions += part.decisions.count { $0.block == nil || $0.kind == .restore }
    reports += part.reports.count
    reopened += part.reopened
    for (kind, names) in part.staying {
      var entry = staying[kind] ?? (0, [])
      entry.records += names.count
      entry.names += names.prefix(Self.maxNotes - entry.names.count)
      staying[kind] = entry
    }
    for change in part.targets {
      let words =
        change.action == .delete
        ? Self.deleted
        : change.fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.to?.int64 ?? 0)" }
          .joined(separator: ", ")
      changed[change.recordType, default: [:]][words, default: 0] += 1
    }
  }

  package mutating func noteChanged(_ recordNames: [String]) {
    warnings += recordNames.prefix(Self.maxNotes).map {
      "\($0) was changed in the meantime: \(Moderation.command("show", $0)) has its present text"
    }
  }

  mutating func noteDeleted(_ recordName: String) {
    guard notes.count < Self.maxNotes else { return }
    notes.append("\(recordName.nameWithoutPerson) was deleted in the meantime")
  }

  /// Whether the run is known to have deleted nothing.
  package var removedNothing: Bool {
    summary.applied == 0 && summary.interruption == nil
      && summary.remaining.allSatisfy { $0.outcome != .unknown }
  }

  private var sortedStaying: [(key: ModerationPlan.Staying, value: (records: Int, names: [String]))] {
    staying.sorted {
      ($0.key.recordType, $0.key.reason.rawValue) < ($1.key.recordType, $1.key.reason.rawValue)
    }
  }

  private var counts: [(type: String, words: String, count: Int)] {
    changed.sorted { $0.key < $1.key }.flatMap { type, counts in
      counts.sorted { $0.key < $1.key }.map { (type, $0.key, $0.value) }
    }
  }
}

extension ModerationResult: Report {
  package var failure: CommandFailure? { summary.failure }
  package var isConfirmation: Bool { !isDryRun && summary.isComplete && warnings.isEmpty && staying.isEmpty }

  package var json: JSONValue {
    .object([
      "decisions": plan.decisions.map(\.json).json, "block": plan.block?.json,
      "changed": .array(
        counts.map {
          ["recordType": $0.type.json, "change": $0.words.json, "records": $0.count.json]
        }),
      "reports": reports.json,
      "stayShown": .array(
        sortedStaying.map { kind, entry in
          [
            "recordType": kind.recordType.json, "records": entry.records.json,
            "reason": kind.reason.rawValue.json,
          ]
        }),
      "notes": .array((warnings + notes).map(JSONValue.string)), "remaining": summary.remainingJSON,
      "complete": summary.isComplete.json, "dryRun": isDryRun.json,
    ])
  }

  @ReportBodyBuilder package var changes: ReportBody {
    let would = isDryRun ? "would be " : ""
    for (type, words, count) in counts {
      ListItem(.changed, "\(counted(count, type)): \(words == Self.deleted ? would : "")\(words)")
    }
    if !plan.blocks.isEmpty {
      ListItem(
        isBlocking ? .created : .removed,
        isBlocking ? "the author is blocked: \(plan.block ?? "", .strong)" : "the author is no longer blocked"
      )
    }
    if reports > reopened { ListItem(.changed, "\(counted(reports - reopened, "report")) \(would)decided") }
    if reopened > 0 {
      ListItem(.changed, "\(counted(reopened, "report")) \(reopened == 1 ? "waits" : "wait") again")
    }
    stayingItems
    for warning in warnings { ListItem(.caution, "\(warning)") }
    for note in notes { ListItem(.note, "\(note)") }
  }

  @ReportBodyBuilder private var stayingItems: ReportBody {
    for (kind, entry) in sortedStaying {
      let verb = entry.records == 1 ? "stays" : "stay"
      let which =
        entry.records > entry.names.count ? "the first \(entry.names.count)" : verb == "stays" ? "it" : "them"
      ListItem(
        .caution,
        "\(counted(entry.records, kind.recordType)) of the author \(verb) shown, because \(kind.reason.rawValue)",
        details: ["to take \(which) away: \(kind.command(entry.names))"])
    }
  }

  package var body: ReportBody {
    if !isDryRun, !summary.isComplete {
      stayingItems
      for warning in warnings { ListItem(.caution, "\(warning)") }
    } else if isShown {
      stayingItems
      for warning in warnings.dropFirst(plan.warnings.count) { ListItem(.caution, "\(warning)") }
      for note in notes.dropFirst(plan.notes.count) { ListItem(.note, "\(note)") }
    } else {
      changes
    }
    if !isDryRun, !summary.isComplete {
      "\(counted(summary.applied, "record")) written\(summary.unknownInWords); the rest is not done"
    } else if isEmpty {
      "nothing to do"
    } else {
      let number = decisions == 0 ? "no new decision" : counted(decisions, "decision")
      let records = changed.values.flatMap(\.values).reduce(0, +)
      let rest = plan.block == nil || records == 0 ? "" : " about \(counted(records, "record")) of one person"
      "\(isDryRun ? "would make" : "made") \(number)\(rest)"
    }
    if !isDryRun, isBlocking, summary.applied > 0, let block = plan.block {
      "to take it back: \("celestra-admin moderation unblock \(block)", .code)"
    }
  }

  private var isBlocking: Bool { plan.blocks.contains { $0.action == .create } }
}
