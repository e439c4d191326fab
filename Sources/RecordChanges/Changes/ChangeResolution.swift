package import CloudKitModel

/// The choice of how a change is applied if another client changed the record since the plan.
package enum ConflictPolicy: Sendable, Hashable {
  /// A field that another client changed keeps its value, and the change is reported as a conflict. For editorial
  /// fields, because an editor must decide.
  case refuse
  /// The change's fields are written even if another client changed them. For computed fields, because only the job
  /// may write them.
  case reapply
}

/// The decision about a pending change, made from the current record.
enum ChangeResolution: Hashable {
  /// The record already has the values: an earlier attempt or another run wrote them.
  case alreadyApplied
  case retry(RecordChange)
  case conflict(String)
}

extension RecordChange {
  /// The same change based on the current record; `nil` if the record already has the values.
  package func reapplied(to current: Record) -> RecordChange? {
    guard case .retry(let change) = resolve(against: current, policy: .reapply) else { return nil }
    return change
  }

  /// Decides from the current record alone, so that a lost reply, a killed run and a concurrent client are handled in
  /// the same way, and no change is applied twice.
  func resolve(against current: Record?, policy: ConflictPolicy) -> ChangeResolution {
    switch (action, current) {
    case (.delete, nil): .alreadyApplied
    case (.create, nil): .retry(self)
    case (.update, nil): .conflict("it was deleted since")
    case (_, let current?) where current.recordType != recordType:
      .conflict("the name belongs to a record of type \(current.recordType)")
    case (.delete, let current?): resolveDelete(current, policy)
    case (.create, let current?), (.update, let current?): resolveValues(current, policy)
    }
  }

  private func resolveDelete(_ current: Record, _ policy: ConflictPolicy) -> ChangeResolution {
    guard policy == .reapply || changeTag == current.changeTag else {
      return .conflict("it was changed since it was planned")
    }
    var change = self
    change.changeTag = current.changeTag
    return .retry(change)
  }

  private func resolveValues(_ current: Record, _ policy: ConflictPolicy) -> ChangeResolution {
    let pending = fields.filter { !current.fields[$0.key].isSame(as: $0.value.to) }
    if pending.isEmpty { return .alreadyApplied }
    if policy == .refuse, action == .create {
      return .conflict("a record with this name already exists, with another \(pending.keys.sorted()[0])")
    }
    let moved = pending.filter { !current.fields[$0.key].isSame(as: $0.value.from) }.keys.sorted()
    if policy == .refuse, !moved.isEmpty {
      return .conflict("another run or client changed \(moved.joined(separator: ", "))")
    }
    var change = RecordChange(
      .update, recordType: recordType, recordName: recordName, label: label, changeTag: current.changeTag)
    for (name, field) in pending {
      change.fields[name] = FieldChange(from: current.fields[name], to: field.to)
    }
    return .retry(change)
  }
}
