internal import CloudKitModel
internal import SchemaLanguage

/// The plan of undoing a run: the changes, and the records that are kept because another client changed them.
package struct UndoPlan: Sendable {
  /// A record, or one of its fields, that the undo does not change.
  package struct Skip: Sendable, Hashable {
    /// What kind of reason it is, which decides what can be done about it, as a sentence.
    package enum Cause: String, Sendable, Hashable, CaseIterable {
      case changed = "Values that were changed since that run were kept."
      case referred = "Records that others refer to were kept."
      case taken = "Records were kept whose slug or address another record has."
      case dangling = "Records were left out that would refer to missing ones."
      case lost = "The history does not hold all that the run deleted."
    }

    /// Of the run, or the one that would undo it.
    package var change: RecordChange
    /// `nil` for the whole record.
    package var field: String?
    /// The reason, as words that follow the record's name.
    package var reason: String
    package var cause: Cause
    /// The container does not have it, and the undo does not restore it.
    package var isGone = false

    package var recordName: String { change.recordName }
  }

  package var run: RunRecord
  /// In the order in which they must be written: records that refer to others are deleted before them and created
  /// after them.
  package var changes: [RecordChange] = []
  /// As of ``UndoGoal/foundUndone``.
  package var foundUndone: [String: Set<String>] = [:]
  package var skipped: [Skip] = []
  /// The records that are restored with references to records that do not exist, as they had them.
  package var dangling: [Skip] = []
  /// The risks that must be accepted by name, and the readers at stake.
  package var risks = ChangeRisks()
  /// The slugs of the records that the changes refer to, by record name.
  package var slugs: [String: String] = [:]

  /// The number of records that are as they were before the run.
  package var unchanged: Int { foundUndone.values.count(where: \.isEmpty) }

  package var goal: UndoGoal { UndoGoal(runID: run.id, foundUndone: foundUndone) }

  package func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }

  mutating func add(_ entry: RunRecord.Entry, _ decision: UndoDecision, isGone: Bool) {
    switch decision {
    case .nothing: foundUndone[entry.change.recordName] = []
    case .keep(let reason, let cause):
      skipped.append(Skip(change: entry.change, reason: reason, cause: cause, isGone: isGone))
    case .change(let change, let keptFields, let cause, let found):
      changes.append(change)
      if !found.isEmpty { foundUndone[change.recordName] = found }
      for (field, reason) in keptFields.sorted(by: { $0.key < $1.key }) {
        skipped.append(Skip(change: entry.change, field: field, reason: reason, cause: cause, isGone: isGone))
      }
    }
  }

  /// Drops deletions of records that others refer to, changes that would give a record the unique value of another, and
  /// changes that would refer to records that are gone, until none is left: each depends on what else is dropped. A record
  /// that is restored may refer to one that no known run deleted, as it did before, unless with the action VALIDATE.
  ///
  /// Throws the container's errors.
  mutating func decide(
    _ rules: UndoRules, _ schema: Schema?, in container: any Container, _ recentlyCreated: Set<String>,
    _ created: [String: Timestamp], _ deleted: Set<String>
  ) async throws {
    let references = ReferenceFields(rules.references, in: schema)
    let incoming = try await IncomingReferences(
      references, in: container, to: changes.filter { $0.action == .delete }, created: created)
    let unique = try await UniqueValues(
      rules.unique, in: container, for: changes, recentlyCreated: recentlyCreated)
    while true {
      let referred = changes.keptDeletions(by: incoming)
      if drop(.referred, { referred[$0.recordName]?.reason }) { continue }
      let taken = unique.conflicts(of: changes)
      if drop(.taken, { taken[$0.recordName] }) { continue }
      let missing = try await MissingTargets(of: changes, references, in: container)
      let gone = deleted.union(changes.filter { $0.action == .delete }.map(\.recordName))
      let dropped = drop(.dangling) { change in
        missing.reason(against: change) { field, target in
          change.action == .create && !gone.contains(target)
            && change.fields[field]?.to?.validatedTargets.contains(target) != true
        }
      }
      guard !dropped else { continue }
      dangling = changes.compactMap { change in
        missing.reason(against: change).map {
          Skip(change: change, reason: $0, cause: .dangling, isGone: true)
        }
      }
      break
    }
    addDependents(incoming)
    changes = changes.orderedDeletions(incoming.validating)
  }

  /// Drops the changes for which there is a reason. False if there are none.
  private mutating func drop(
    _ cause: Skip.Cause, _ reason: (RecordChange) -> String?
  ) -> Bool {
    let dropped = changes.compactMap { change in
      reason(change).map { Skip(change: change, reason: $0, cause: cause, isGone: change.action == .create) }
    }
    skipped += dropped
    changes.removeAll { reason($0) != nil }
    return !dropped.isEmpty
  }

  /// Adds the deletions of records that are of no use without a deleted one, each before that one.
  private mutating func addDependents(_ incoming: IncomingReferences) {
    var going = Set(changes.filter { $0.action == .delete }.map(\.recordName))
    changes = changes.flatMap { change in
      guard change.action == .delete else { return [change] }
      return incoming.dependents(change.recordName).filter { going.insert($0.recordName).inserted } + [change]
    }
  }
}
