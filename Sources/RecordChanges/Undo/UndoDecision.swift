internal import CloudKitModel

/// The decision of how to undo one change, made from the current record.
enum UndoDecision: Hashable {
  /// The record already has the values from before the run.
  case nothing
  /// - Parameters:
  ///   - skipped: fields that stay, each with the reason.
  ///   - cause: of all of them.
  ///   - found: fields that have their values from before the run already.
  case change(
    RecordChange, skipped: [String: String], cause: UndoPlan.Skip.Cause = .changed, found: Set<String> = [])
  /// Delete the record that the run created, unless something refers to it.
  case delete(RecordChange)
  /// Change nothing, for this reason.
  case keep(String, UndoPlan.Skip.Cause = .changed)
}

extension RunRecord.Entry {
  /// - Parameters:
  ///   - current: with all its fields; `nil` when there is no such record.
  ///   - isStrict: keeps the whole record when one of its fields has another value than the run wrote.
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
    case (.delete, let current?):
      isAsBefore(current) ? .nothing : .keep("a record with this name exists again")
    }
  }

  /// The record is deleted if only this run and jobs have written to it.
  private func undoneCreate(_ current: Record, _ rules: UndoRules) -> UndoDecision {
    if tagAfter == nil || tagAfter != current.changeTag {
      let foreign = Set(current.fields.keys).union(change.fields.keys).filter { field in
        let written = change.fields[field]?.to
        return !current.fields[field].isSame(as: written) && !rules.isOwnedByJob(field, current.recordType)
      }
      if let field = foreign.min() { return .keep("\(field) was changed since") }
    }
    return .delete(
      RecordChange(
        .delete, recordType: current.recordType, recordName: current.recordName, label: change.label,
        changeTag: current.changeTag))
  }

  private func undoneUpdate(_ current: Record, _ rules: UndoRules, _ isStrict: Bool) -> UndoDecision {
    var undo = RecordChange(
      .update, recordType: current.recordType, recordName: current.recordName, label: change.label,
      changeTag: current.changeTag)
    var skipped: [String: String] = [:]
    var found: Set<String> = []
    for (field, written) in change.fields {
      let value = current.fields[field]
      if value.isSame(as: written.from) {
        found.insert(field)
      } else if value.isSame(as: written.to) {
        undo.fields[field] = FieldChange(from: value, to: written.from)
      } else if !rules.isOwnedByJob(field, current.recordType) {
        skipped[field] = "it was changed since"
      }
    }
    if let field = skipped.keys.min(), isStrict || undo.fields.isEmpty {
      return .keep(
        skipped.count == 1 ? "\(field) was changed since" : "\(field) and others were changed since")
    }
    return undo.fields.isEmpty ? .nothing : .change(undo, skipped: skipped, found: found)
  }

  private var undoneDelete: UndoDecision {
    guard let before else { return .keep("its values were not kept", .lost) }
    let files = before.filter { $0.value.type.element == .asset }.keys
    var undo = RecordChange(
      .create, recordType: change.recordType, recordName: change.recordName, label: change.label)
    undo.fields = before.filter { !files.contains($0.key) }.mapValues { FieldChange(to: $0) }
    let reason = "the history keeps no files"
    return .change(
      undo, skipped: Dictionary(uniqueKeysWithValues: files.map { ($0, reason) }), cause: .lost)
  }

  private func isAsBefore(_ current: Record) -> Bool {
    guard let before else { return false }
    return Set(before.keys).union(current.fields.keys).allSatisfy {
      current.fields[$0].isSame(as: before[$0])
    }
  }
}
