internal import CloudKitModel
package import Diagnostics
internal import RecordChanges

/// The report of an action of moderation, planned or carried out.
package struct ModerationResult: Sendable {
  var plan: ModerationPlan
  let isDryRun: Bool
  var summary = WriteSummary()

  package init(_ plan: ModerationPlan, isDryRun: Bool) {
    self.plan = plan
    self.isDryRun = isDryRun
  }
}

extension ModerationPlan {
  /// The fields that hide or end records, with how many records they change, in words and for JSON.
  fileprivate var changed: [(type: String, words: String, count: Int)] {
    var counts: [String: [String: Int]] = [:]
    for change in targets {
      let words =
        change.action == .delete
        ? "deleted"
        : change.fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.to?.int64 ?? 0)" }
          .joined(separator: ", ")
      counts[change.recordType, default: [:]][words, default: 0] += 1
    }
    return counts.sorted { $0.key < $1.key }.flatMap { type, counts in
      counts.sorted { $0.key < $1.key }.map { (type, $0.key, $0.value) }
    }
  }

  /// What the plan does, for a prompt and for a report.
  @ReportBodyBuilder package var body: ReportBody {
    for (type, words, count) in changed { ListItem(.changed, "\(counted(count, type)): \(words)") }
    if !blocks.isEmpty {
      let isNew = blocks.contains { $0.action == .create }
      ListItem(
        isNew ? .created : .removed,
        isNew ? "the author is blocked: \(block ?? "", .strong)" : "the author is no longer blocked")
    }
    if !reports.isEmpty { ListItem(.changed, "\(counted(reports.count, "report")) decided") }
    for note in notes { ListItem(.note, "\(note)") }
  }
}

extension ModerationResult: Report {
  package var status: ExitStatus { summary.status }
  package var failure: CommandFailure? { summary.failure }
  package var isConfirmation: Bool { !isDryRun && summary.isComplete && plan.block == nil }

  package var json: JSONValue {
    .object([
      "decisions": .array(plan.decisions.map(\.json)), "block": plan.block.map(JSONValue.string),
      "changed": .array(
        plan.changed.map {
          ["recordType": .string($0.type), "change": .string($0.words), "records": JSONValue($0.count)]
        }), "reports": JSONValue(plan.reports.count),
      "notes": .array(plan.notes.map(JSONValue.string)), "remaining": summary.remainingJSON,
      "complete": .bool(summary.isComplete), "dryRun": .bool(isDryRun),
    ])
  }

  package var body: ReportBody {
    plan.body
    if plan.isEmpty {
      "nothing to do"
    } else if isDryRun {
      "would make \(counted(plan.decisions.count, "decision"))"
    } else {
      "made \(counted(plan.decisions.count, "decision"))"
    }
    if !isDryRun, let block = plan.block, plan.blocks.contains(where: { $0.action == .create }) {
      "to take it back: \("celestra-admin moderation unblock \(block)", .code)"
    }
  }
}
