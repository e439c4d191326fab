internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

package enum ModerationAction: Sendable, Hashable {
  case hide([String])
  case restore([String])
  case remove([String])
  /// Each name is a reported record, or a report about one.
  case decide([String], as: Outcome)
  /// The author of this record.
  case block(String)
  /// The id of a decision to block.
  case unblock(String)

  /// What is decided about reports; `open` takes the last such decision back.
  package enum Outcome: String, Sendable, CaseIterable { case upheld, dismissed, open }
}

/// The changes that carry out an action, planned while the lease of moderation is held.
package struct ModerationPlan: Sendable {
  /// Records that may be very many, so that they are read page by page while they are written
  /// (``Moderation/forEachPart(of:_:)``).
  enum Rest: Sendable {
    /// All that the author with this name made. The name is never to be shown.
    case hiding(author: String)
    /// All that these blocks hid.
    case restoring(blocks: [String])
  }

  /// Records of a blocked author that apps go on showing.
  struct Staying: Hashable {
    enum Reason: String {
      case noHiddenField = "the type has no hiddenField"
      case restored = "a moderator showed it again"
      case undeclared = "moderation.json does not declare the type"
    }

    let recordType: String
    let reason: Reason

    /// The command that takes some of them away.
    func command(_ names: [String]) -> String {
      switch reason {
      case .noHiddenField: Moderation.removal(of: names)
      case .restored: Moderation.command("hide", names)
      case .undeclared:
        "'\(String.shellCommand("celestra-admin records delete", names.map(\.nameWithoutPerson), "--yes --accept-risk data-loss"))'"
      }
    }
  }

  var decisions: [ModerationDecision] = []
  /// Reported records and records of blocked people.
  var targets: [RecordChange] = []
  /// BlockedUser records. Their names are personal data.
  var blocks: [RecordChange] = []
  /// Changes of decisions that hold, whose records get other values than before.
  var amendments: [RecordChange] = []
  /// Decisions that hold no longer.
  var endings: [ModerationDecision] = []
  /// Reports that are decided.
  var reports: [RecordChange] = []
  /// What is already as it should be, a line each.
  var notes: [String] = []
  /// Problems that a moderator has to act on, one a line.
  var warnings: [String] = []
  /// The names of records that stay shown.
  var staying: [Staying: [String]] = [:]
  /// The decision to block that the plan makes, continues or takes back.
  package internal(set) var block: String?
  /// What the plan changes besides.
  var rest: Rest?
  /// The records that are deleted, with those that the container deletes with them.
  package var removed: [String] { targets.filter { $0.action == .delete }.map(\.recordName) }
  var isRemoval: Bool { !removed.isEmpty }
  /// How many ``reports`` wait again.
  var reopened: Int { reports.count { $0.fields[fields.isOpen]?.to?.flag ?? false } }

  let reason: String?
  let id: String
  let fields: ModerationDeclaration.Reports

  package var isEmpty: Bool { changes == 0 && rest == nil }

  /// How many records it changes, without the ``rest``.
  var changes: Int {
    decisions.count + amendments.count + targets.count + blocks.count + endings.count + reports.count
  }

  /// An empty plan for some records of the ``rest``.
  var part: ModerationPlan { ModerationPlan(reason: reason, id: id, fields: fields) }

  func decision(
    _ kind: ModerationDecision.Kind, _ target: String, _ targetType: String, id: String? = nil
  ) -> ModerationDecision {
    ModerationDecision(
      kind, id: id ?? "\(self.id)-\(decisions.count + 1)", target: target, targetType: targetType,
      reason: reason)
  }

  /// Decides that a decision holds no longer. The name is made of the id of that one, so that a command which is
  /// repeated after an interruption decides once.
  ///
  /// - Parameter exemption: the block that does not hide the record again, and the name by which it finds that.
  mutating func takeBack(
    _ decision: ModerationDecision, by kind: ModerationDecision.Kind,
    exemption: (block: String, id: String)? = nil
  ) {
    let id = decision.isStanding ? "\(decision.id)-\(kind)" : nil
    var undoing = self.decision(kind, decision.target, decision.targetType, id: exemption?.id ?? id)
    undoing.block = exemption?.block
    undoing.undoes = decision.id
    decisions.append(undoing)
  }

  /// Hides a record, unless a decision does so already.
  ///
  /// - Parameters:
  ///   - standing: the decision that hides the record at present.
  ///   - block: the decision to block its author, which also ends the record.
  /// - Returns: the id of the decision that hides it; `nil` if there is nothing to do.
  @discardableResult
  mutating func hide(
    _ record: Record, _ type: ModerationDeclaration.ContentType, standing: ModerationDecision?,
    block: String? = nil
  ) -> String? {
    var wanted: [String: FieldValue?] = [:]
    if let field = type.hiddenField { wanted[field] = .flag(true) }
    if block != nil, let field = type.activeField, record[field]?.flag ?? false {
      wanted[field] = .flag(false)
    }
    guard !wanted.isEmpty else { return nil }
    if let change = RecordChange.toward(wanted, of: record) { targets.append(change) }
    let former = wanted.reduce(into: [String: Int64?]()) { values, field in
      values[field.key] = .some(record[field.key]?.int64)
    }
    // A decision about the record itself outlives the block of its author; that of another block ends.
    if let standing, standing.block == nil || standing.block == block {
      if !former.keys.allSatisfy(standing.formerValues.keys.contains) {
        amendments.append(standing.remembering(former))
      }
      return standing.id
    }
    var decision = decision(
      .hide, record.recordName, record.recordType,
      id: block.map { ModerationDecision.id(of: $0, hiding: record) })
    decision.block = block
    decision.formerValues = former.merging(standing?.formerValues ?? [:]) { $1 }
    decisions.append(decision)
    if let standing { endings.append(standing) }
    return decision.id
  }

  /// Gives a record the values that it had before a decision hid it. A record without the field is shown with 0.
  mutating func restore(_ record: Record, from decision: ModerationDecision) {
    let values = decision.formerValues.mapValues { FieldValue?.some(.int64($0 ?? 0)) }
    if let change = RecordChange.toward(values, of: record) { targets.append(change) }
    endings.append(decision)
  }

  mutating func close(_ open: [Record], decision: (_ target: String) -> String?) {
    for report in open {
      guard let decision = decision(fields.subject(of: report)) else { continue }
      decide(report, by: decision)
    }
  }

  /// - Parameter decision: its id; with `nil` the report waits again.
  mutating func decide(_ report: Record, by decision: String?) {
    let values: [String: FieldValue?] = [
      fields.isOpen: .flag(decision == nil), fields.decision: decision.map(FieldValue.string),
    ]
    let label = fields.subject(of: report)
    if let change = RecordChange.toward(values, of: report, label: label) { reports.append(change) }
  }

  /// Writes the plan, without its ``rest``. Decisions come first, so that `moderation sweep` hides what an interruption left;
  /// a removal is only recorded once it is done. Reports stay open where their record could not be changed.
  ///
  /// Throws if the history cannot be written, before anything is sent. Later failures are in the result.
  func write(through writer: JobWriter, _ result: inout ModerationResult) async throws {
    var summary = WriteSummary()
    defer { result.summary.add(summary) }
    var left: Set<String> = []
    if isRemoval {
      let report = try await writer.apply(targets, policy: .refuse)
      summary.add(report)
      left = Set(report.remaining.map(\.change.recordName))
    }
    let made = decisions.filter { !isRemoval || !left.contains($0.target) }
    guard summary.interruption == nil else { return }
    summary.add(try await writer.apply(made.map(\.creation) + amendments, policy: .reapply))
    guard isRemoval ? summary.interruption == nil : summary.isComplete else { return }
    if !isRemoval {
      let blocking = try await writer.apply(blocks, policy: .reapply)
      summary.add(blocking)
      // Its decision stands as long as the BlockedUser is there, so that 'unblock' can be run again.
      guard blocking.isComplete || blocks.allSatisfy({ $0.action == .create }) else { return }
      let report = try await writer.apply(targets, policy: .reapply).withoutDeleted(&result)
      summary.add(report)
      left = Set(report.remaining.map(\.change.recordName))
      guard summary.interruption == nil else { return }
    }
    let closed =
      reports.filter { !left.contains($0.label ?? "") }
      + endings.filter { !left.contains($0.target) || $0.kind == .block }.map(\.ending)
    summary.add(try await writer.apply(closed, policy: .reapply))
  }
}

extension ChangeReport {
  /// The report without records that were deleted in the meantime: nothing is left to hide.
  fileprivate func withoutDeleted(_ result: inout ModerationResult) -> ChangeReport {
    var report = self
    report.results.removeAll { change, outcome in
      guard case .conflict = outcome else { return false }
      result.noteDeleted(change.recordName)
      return true
    }
    return report
  }
}
