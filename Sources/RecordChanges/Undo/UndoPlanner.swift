public import CloudKitModel
public import Diagnostics
public import SchemaLanguage

/// Plans the undo of a run from the current records. A value that another client has written since is never changed.
public struct UndoPlanner: Sendable {
  private let container: any Container
  private let schema: Schema?
  private let rules: UndoRules
  private let isStrict: Bool

  /// - Parameters:
  ///   - schema: the container's; `nil` when it is not known.
  ///   - isStrict: keeps a whole record when one of its fields was changed since.
  public init(container: any Container, schema: Schema?, rules: UndoRules, isStrict: Bool = false) {
    self.container = container
    self.schema = schema
    self.rules = rules
    self.isStrict = isStrict
  }

  /// Throws ``UndoError``, and the container's errors.
  ///
  /// - Parameter undone: the ids of runs that were undone.
  public func plan(_ run: RunRecord, undone: Set<String>) async throws -> UndoPlan {
    guard run.target == container.identity else {
      let target = "\(run.target.name) (\(run.target.environment.rawValue))"
      throw UndoError.otherTarget(id: run.id, target: target)
    }
    if case .no(let reason) = run.reversibility(undone: undone) {
      throw UndoError.irreversible(id: run.id, reason: reason)
    }
    // In reverse order: records that refer to others are deleted before them and created after them.
    let entries = run.entries.filter { $0.outcome != .notWritten }.reversed()
    let records = try await container.lookupAll(entries.map(\.change.recordName)).map { try $0.found }
    var draft = UndoPlanBuilder(UndoPlan(run: run))
    for (entry, current) in zip(entries, records) {
      draft.add(entry, entry.undone(given: current, rules, isStrict: isStrict))
    }
    let references = try await IncomingReferences(rules: rules, container: container, to: draft.deletions)
    draft.settleDeletions(references, rules)
    try check(draft.plan.changes)
    return draft.plan
  }

  private func check(_ changes: [RecordChange]) throws {
    guard let schema else { return }
    let missing = changes.filter { $0.action != .delete }.flatMap { change -> [String] in
      guard let type = schema[recordType: change.recordType] else { return [change.recordType] }
      return change.fields.keys.filter { type[field: $0] == nil }.map { "\(change.recordType).\($0)" }
    }
    guard missing.isEmpty else { throw UndoError.schemaLacks(Set(missing).sorted()) }
  }
}

/// Builds an undo plan. Deletions are decided last, when it is known what refers to the records.
struct UndoPlanBuilder {
  /// A change of the plan, or a deletion that may still be dropped.
  private enum Step {
    case change(RecordChange)
    case deletion(RecordChange)
  }

  var plan: UndoPlan
  private var steps: [Step] = []

  init(_ plan: UndoPlan) { self.plan = plan }

  var deletions: [RecordChange] {
    steps.compactMap { if case .deletion(let change) = $0 { change } else { nil } }
  }

  mutating func add(_ entry: RunRecord.Entry, _ decision: UndoDecision) {
    switch decision {
    case .nothing: plan.unchanged += 1
    case .keep(let reason): skip(entry.change, nil, reason)
    case .delete(let change): steps.append(.deletion(change))
    case .change(let change, let skipped):
      steps.append(.change(change))
      for (field, reason) in skipped.sorted(by: { $0.key < $1.key }) { skip(entry.change, field, reason) }
    }
  }

  private mutating func skip(_ change: RecordChange, _ field: String?, _ reason: String) {
    plan.skipped.append(
      UndoPlan.Skip(
        recordType: change.recordType, recordName: change.recordName, label: change.label, field: field,
        reason: reason))
  }

  /// Drops the deletions of records that something still refers to. Records that refer to others come before them, so
  /// they are decided first.
  mutating func settleDeletions(_ references: IncomingReferences, _ rules: UndoRules) {
    var going: Set<String> = []
    var values: [String: RecordChange] = [:]
    for step in steps {
      guard case .change(let change) = step else { continue }
      values[change.recordName] = change
    }
    for step in steps {
      switch step {
      case .change(let change): plan.changes.append(change)
      case .deletion(let change):
        let keeping = references.keeping(change.recordName).first { link in
          !going.contains(link.recordName)
            && values[link.recordName]?.removes(link, change.recordName) != true
        }
        if let keeping {
          skip(change, nil, keeping.reason)
        } else {
          going.insert(change.recordName)
          for dependent in references.dependents(change.recordName)
          where going.insert(dependent.recordName).inserted { plan.changes.append(dependent) }
          plan.changes.append(change)
          if let risk = rules.risks[change.recordType] { plan.risks.insert(risk) }
        }
      }
    }
  }
}

extension RecordChange {
  /// The plan itself removes the reference.
  fileprivate func removes(_ link: IncomingReferences.Link, _ target: String) -> Bool {
    guard let field = fields[link.field] else { return false }
    return !(field.to.map { $0.referredNames.contains(target) } ?? false)
  }
}

/// The plan of undoing a run: the changes, and the records that are kept because another client changed them.
public struct UndoPlan: Sendable {
  /// A record, or one of its fields, that the undo does not change.
  public struct Skip: Sendable, Hashable {
    public var recordType: String
    public var recordName: String
    public var label: String?
    /// `nil` for the whole record.
    public var field: String?
    /// The reason, as words that follow the record's name.
    public var reason: String
  }

  public var run: RunRecord
  /// In the order in which they must be written: records that refer to others are deleted before them and created
  /// after them.
  public var changes: [RecordChange] = []
  /// The number of records that already have the values from before the run.
  public var unchanged = 0
  public var skipped: [Skip] = []
  /// The risks that must be accepted by name.
  public var risks: Set<String> = []

  public func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }
}

/// The error of a run that cannot be undone.
public enum UndoError: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
  /// The run wrote to another container or environment.
  case otherTarget(id: String, target: String)
  /// See ``RunRecord/Reversibility``.
  case irreversible(id: String, reason: String)
  case noRun
  /// The last run is itself an undo. The user must say whether to redo it or to go further back.
  case lastIsUndo(id: String, before: String?)
  /// The schema no longer has a type or field that the run's records need.
  case schemaLacks([String])

  public var description: String {
    switch self {
    case .otherTarget(let id, let target): "the run \(id) wrote to \(target)"
    case .irreversible(let id, let reason): "the run \(id) cannot be undone: \(reason)"
    case .noRun: "the history has no run that could be undone here"
    case .lastIsUndo(let id, _): "the last run, \(id), is itself an undo"
    case .schemaLacks(let names):
      "the schema no longer has what the run's records need: \(names.prefix(5).joined(separator: ", "))"
    }
  }

  public var failure: CommandFailure {
    CommandFailure(description, code: "cannot-undo", hint: hint)
  }

  private var hint: String? {
    switch self {
    case .otherTarget: "Name that container with --container and --environment."
    case .irreversible, .noRun: "List the runs with 'history'."
    case .lastIsUndo(let id, let before):
      "'undo \(id)' restores what it undid"
        + (before.map { "; 'undo \($0)' goes one run further back." } ?? ".")
    case .schemaLacks: "Apply the schema that had them first."
    }
  }
}
