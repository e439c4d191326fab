package import CloudKitModel
package import Diagnostics
package import SchemaLanguage

/// Plans the undo of a run from the current records. A value that another client has written since is never changed.
package struct UndoPlanner: Sendable {
  private let container: any Container
  private let schema: Schema?
  private let rules: UndoRules
  private let isStrict: Bool
  private let recentlyCreated: Set<String>

  /// - Parameters:
  ///   - schema: the container's; `nil` when it is not known.
  ///   - isStrict: keeps a whole record when one of its fields was changed since.
  ///   - recentlyCreated: records that are looked up if queries do not show them yet.
  package init(
    container: any Container, schema: Schema?, rules: UndoRules, isStrict: Bool = false,
    recentlyCreated: Set<String> = []
  ) {
    self.recentlyCreated = recentlyCreated
    self.container = container
    self.schema = schema
    self.rules = rules
    self.isStrict = isStrict
  }

  /// Plans the undo of a run of a history, or of the last one.
  ///
  /// - Parameter id: the run's id, or enough of its start or end; `nil` for the last run in this container.
  /// - Throws: ``UndoError``, ``UnknownRunError``, ``FileFormError`` and the container's errors.
  package func plan(_ id: String?, in history: RunHistory) async throws -> UndoPlan {
    let run = try history.runToUndo(id, in: container.identity)
    return try await plan(
      run, standing: try history.standing(of: run), deleted: try history.deletions(since: run))
  }

  /// Throws ``UndoError``, and the container's errors.
  ///
  /// - Parameters:
  ///   - standing: what the history shows of the run and of those that undid it.
  ///   - deleted: the records that this run or a later one deleted.
  func plan(_ run: RunRecord, standing: StandingChanges, deleted: Set<String>) async throws -> UndoPlan {
    try standing.requireUndoable(run, in: container.identity)
    // In reverse order: records that refer to others are deleted before them and created after them.
    let entries = standing.entries(of: run).reversed()
    let records = try await container.lookupAll(entries.map(\.change.recordName)).map { try $0.found }
    var plan = UndoPlan(run: run)
    for (entry, current) in zip(entries, records) {
      plan.add(entry, entry.undone(given: current, rules, isStrict: isStrict), isGone: current == nil)
    }
    try check(plan.changes)
    let created = Dictionary(
      records.compactMap { record in record?.created.map { (record?.recordName ?? "", $0.timestamp) } },
      uniquingKeysWith: { first, _ in first })
    try await plan.decide(rules, schema, in: container, recentlyCreated, created, deleted)
    plan.risks = try await rules.risks(plan.changes, container)
    plan.slugs = try await slugs(of: plan.changes)
    return plan
  }

  /// The names to show for the changed records and those that changed fields refer to, by record name: the labels of the
  /// changes, and the known names of other records. Throws the container's errors.
  private func slugs(of changes: [RecordChange]) async throws -> [String: String] {
    let names = changes.filter { $0.action == .update }.referenceTargets
    let labels = changes.compactMap { change in change.label.map { (change.recordName, $0) } }
    let known = Dictionary(labels, uniquingKeysWith: { first, _ in first })
    let records = try await container.existingRecords(
      names.union(changes.map(\.recordName)).subtracting(known.keys), desiredKeys: Record.knownNameFields)
    return known.merging(records.compactMapValues(\.knownName)) { $1 }
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

/// What would harm other records is dropped last, when all changes are known.
extension UndoPlan {
  fileprivate mutating func add(_ entry: RunRecord.Entry, _ decision: UndoDecision, isGone: Bool) {
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
  fileprivate mutating func decide(
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

/// The plan of undoing a run: the changes, and the records that are kept because another client changed them.
package struct UndoPlan: Sendable {
  /// A record, or one of its fields, that the undo does not change.
  package struct Skip: Sendable, Hashable {
    /// What kind of reason it is, which decides what can be done about it.
    package enum Cause: Sendable, Hashable, CaseIterable {
      /// Another client wrote the record or deleted it.
      case changed
      /// Other records refer to the record.
      case referred
      /// Another record has a value that only one may have.
      case taken
      /// The record would refer to one that does not exist.
      case dangling
      /// The history does not hold what was there before the run.
      case lost
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
}

/// The error of a run that cannot be undone.
package enum UndoError: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
  /// The run wrote to another container or environment than the one where it is to be undone. They are equal if another
  /// container has the name by now.
  case otherTarget(id: String, target: ContainerIdentity, here: ContainerIdentity)
  /// See ``StandingChanges/Reversibility``.
  ///
  /// - Parameter before: the run before that still stands, for an undo that names no run.
  case irreversible(id: String, reason: String, before: String? = nil)
  case noRun
  /// The newest run cannot be read, so the last run is not known.
  case unreadable(reason: String)
  /// The last run is itself an undo. The user must say whether to redo it, to go on with it or to go further back.
  ///
  /// - Parameter rest: the run that it undid only in part.
  case lastIsUndo(id: String, before: String?, rest: String? = nil)
  /// The schema no longer has a type or field that the run's records need.
  case schemaLacks([String])

  package var description: String {
    switch self {
    case .otherTarget(let id, let target, let here):
      "the run \(id) wrote to \(target.inWords)"
        + (target == here ? ", and another container has that name now" : "")
    case .irreversible(let id, let reason, _): "the run \(id) cannot be undone: \(reason)"
    case .noRun: "the history has no run that could be undone here"
    case .unreadable(let reason): "the last run is not known: \(reason)"
    case .lastIsUndo(let id, _, _): "the last run, \(id), is itself an undo"
    case .schemaLacks(let names):
      "the schema no longer has what the run's records need: \(names.prefix(5).joined(separator: ", "))"
    }
  }

  package var failure: CommandFailure {
    CommandFailure(description, code: "cannot-undo", hint: hint)
  }

  private var hint: String? {
    switch self {
    case .otherTarget(_, let target, let here) where target == here:
      "Name that container's file, serve it again with 'emulator serve --container-file', or set CLOUDKIT_BASE_URL to its address. A container in memory ended with its emulator."
    case .otherTarget(let id, let target, _):
      "Name that container: celestra-admin undo \(id) \(target.options)"
    case .unreadable: "Name the run to undo: celestra-admin undo RUN. List the runs with 'history'."
    case .irreversible(_, _, let before):
      before.map { "To undo the run before that still stands: celestra-admin undo \($0)" }
        ?? "To list the runs: celestra-admin history"
    case .noRun: "To list the runs in all containers: celestra-admin history --all. \(UnknownRunError.place)"
    case .lastIsUndo(let id, let before, let rest):
      "To take it back: celestra-admin undo \(id)"
        + (rest.map { "; to undo the rest: celestra-admin undo \($0)" } ?? "")
        + (before.map { "; to undo the run before that still stands: celestra-admin undo \($0)" } ?? "")
    case .schemaLacks: "Apply the schema that had them first."
    }
  }
}

/// The rules for undoing changes of a catalog's records: which fields the tool computes, which refer to other records, and
/// which have a value that only one record may have.
package struct UndoRules: Sendable {
  /// The declared references; a schema's other REFERENCE fields are added to them.
  package var references: [ReferenceField] = []
  package var unique: [UniqueField] = []
  /// The risks of the changes of an undo. Throws the container's errors.
  package var risks: @Sendable (_ changes: [RecordChange], any Container) async throws -> ChangeRisks = {
    _, _ in ChangeRisks()
  }
  /// Whether the tool computes a field. Its value does not keep a record from being deleted, and needs no decision.
  package var isComputed: @Sendable (_ field: String, _ recordType: String) -> Bool = { _, _ in false }
  /// Whether a plan writes a field only because it writes others of the record, such as the time of the last change.
  package var follows: @Sendable (_ field: String, _ recordType: String) -> Bool = { _, _ in false }

  package init() {}
}

extension StandingChanges {
  /// Throws ``UndoError`` for a run that cannot be undone anywhere, and then for one of another container.
  fileprivate func requireUndoable(_ run: RunRecord, in target: ContainerIdentity?) throws {
    if case .no(let reason) = reversibility(of: run) {
      throw UndoError.irreversible(id: run.id, reason: reason)
    }
    if let target, !run.target.isSameContainer(as: target) {
      throw UndoError.otherTarget(id: run.id, target: run.target, here: target)
    }
  }
}

extension RunHistory {
  /// Throws ``UndoError`` for what the history alone shows, so that an undo that is refused takes no lease. The lease of a
  /// run in progress says who holds it.
  ///
  /// - Parameter target: `nil` where the container is not open yet.
  package func requireUndoable(_ run: RunRecord, in target: ContainerIdentity? = nil) throws {
    if !run.isRunning { try standing(of: run).requireUndoable(run, in: target) }
  }

  /// The run with an id, or the last one in a container.
  package func runToUndo(_ id: String?, in target: ContainerIdentity) throws -> RunRecord {
    try id.map { try run($0) } ?? lastUndoable(in: target)
  }

  /// The run to undo when none is named: the last one by a person in a container, or the one that an interrupted undo
  /// takes back.
  ///
  /// Throws ``UndoError``, also when the last run is one that cannot be undone, such as a moderator's, or when a newer run by
  /// a person cannot be read.
  package func lastUndoable(in target: ContainerIdentity) throws -> RunRecord {
    var all: [RunRecord] = []
    var people: [RunRecord] = []
    for reading in try runs().read {
      switch reading.run {
      case .success(let run):
        all.append(run)
        if run.isOfPerson, run.target.isSameContainer(as: target), run.mayHaveWritten { people.append(run) }
      case .failure(let error):
        if reading.kind == .person, people.isEmpty { throw UndoError.unreadable(reason: error.description) }
      }
    }
    guard let last = people.first else { throw UndoError.noRun }
    let standing = StandingChanges(all)
    let goal = last.undoes
    let before = people.first {
      $0.undoes == nil && $0.id != goal?.runID && !standing.entries(of: $0).isEmpty
    }
    if last.kind == .job || last.schema != nil, case .no(let reason) = standing.reversibility(of: last) {
      throw UndoError.irreversible(
        id: last.id, reason: "\(last.command) is the last run, and \(reason)", before: before?.id)
    }
    guard let goal else { return last }
    let undone = people.first { $0.id == goal.runID && !standing.entries(of: $0).isEmpty }
    if !last.isFinished, let undone { return undone }
    throw UndoError.lastIsUndo(id: last.id, before: before?.id, rest: undone?.id)
  }
}

extension RunRecord {
  /// Whether a person started the run: some commands of people keep counts only, as jobs do. A recount that deleted
  /// records counts as one, because it is not made good by the next.
  fileprivate var isOfPerson: Bool {
    let isSchedule = command == "moderation sweep"
    let didPrune = command.hasPrefix("recount ") && counts.deleted > 0
    return kind == .person || didPrune
      || Self.commandsOfPeople.contains { command.hasPrefix($0) } && !isSchedule
  }

  private static let commandsOfPeople = [
    "moderation ", "console", "person erase", "schema reset", "cktool reset-schema", "container fill",
  ]

  fileprivate var mayHaveWritten: Bool {
    schema != nil || !knowsCounts || counts.total > 0 || entries.contains { $0.outcome.mayStand }
  }
}
