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
  /// - Parameter id: the run's id, or enough of its start or end; `nil` for the last run by a person in this container.
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
    let created = records.compactMap(\.self).keyed(by: \.recordName).compactMapValues(\.created?.timestamp)
    try await plan.decide(rules, schema, in: container, recentlyCreated, created, deleted)
    plan.risks = try await rules.risks(plan.changes, container)
    plan.slugs = try await slugs(of: plan.changes)
    return plan
  }

  /// The names to show for the changed records and those that changed fields refer to, by record name: the labels of the
  /// changes, and the known names of other records. Throws the container's errors.
  private func slugs(of changes: [RecordChange]) async throws -> [String: String] {
    let names = changes.filter { $0.action == .update }.referenceTargets
    let known = changes.filter { $0.label != nil }.keyed(by: \.recordName).compactMapValues(\.label)
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

/// The error of a run that cannot be undone.
package enum UndoError: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
  /// The run wrote to another container or environment than the one where it is to be undone. They are equal if another
  /// container has the name by now.
  case otherTarget(id: String, target: ContainerIdentity, here: ContainerIdentity)
  /// See ``StandingChanges/Reversibility``.
  ///
  /// - Parameters:
  ///   - command: the run's, for an undo that names no run.
  ///   - before: the run before that still stands, for the same.
  case irreversible(id: String, command: String? = nil, reason: String, before: String? = nil)
  case noRun
  /// The newest run by a person cannot be read, so the last in this container is not known.
  case unreadable(reason: String)
  /// The last run by a person is itself an undo. The user must say whether to redo it, go on with it or go further back.
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
    case .irreversible(let id, let command, let reason, _):
      "the run \(id)\(command.map { " of '\($0)'" } ?? "") cannot be undone: \(reason)"
    case .noRun: "the history has no run that could be undone here"
    case .unreadable(let reason): "the last run by a person is not known: \(reason)"
    case .lastIsUndo(let id, _, _): "the last run by a person, \(id), is itself an undo"
    case .schemaLacks(let names):
      "the schema no longer has what the run's records need: \(listed(names, upTo: 5))"
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
    case .irreversible(_, _, _, let before):
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
        id: last.id, command: last.command, reason: reason, before: before?.id)
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
    schema != nil || !knowsCounts || counts.total + unknownCounts.total > 0
  }
}
