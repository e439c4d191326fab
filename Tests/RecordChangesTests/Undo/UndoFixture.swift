import CloudKitModel
import Foundation
import LocalContainer
import Platform
import SchemaLanguage

@testable import RecordChanges

/// A container with a history, in which a test writes as this tool and as other clients.
final class UndoFixture: Sendable {
  static let rules: UndoRules = {
    var rules = UndoRules()
    rules.references = [
      ReferenceField("Vote", "feed", .name, to: ["Feed"]),
      ReferenceField("Feed", "category", .reference, to: ["Feed"]),
    ]
    rules.risks = { changes, _ in
      let deletesFeed = changes.contains { $0.action == .delete && $0.recordType == "Feed" }
      return ChangeRisks(names: deletesFeed ? ["subscriber-loss"] : [])
    }
    rules.isComputed = { field, _ in field == "score" }
    return rules
  }()

  let container: LocalContainer
  let folder: String
  let schema = LeaseSchema.schema

  init() async throws {
    container = try await LeaseSchema.container()
    folder = NSTemporaryDirectory() + "undo-\(UUID().uuidString)"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func environment(_ run: String) -> WriteSessionDependencies {
    WriteSessionDependencies(
      now: { Timestamp(milliseconds: 1_800_000_000_000) }, runID: run, schema: schema, clock: SystemClock(),
      stateFolder: { [folder] in try StateFolder.open(folder, making: true) }, wait: { _ in })
  }

  var history: RunHistory {
    get throws { try RunHistory(in: try StateFolder.open(folder, making: true)) }
  }

  /// Newest first.
  func runs() throws -> [RunRecord] { try history.runs().read.map { try $0.run.get() } }

  func reversibility(_ run: String = "run") throws -> StandingChanges.Reversibility {
    try StandingChanges(runs()).reversibility(of: history.run(run))
  }

  /// A run by a person.
  @discardableResult
  func write(
    _ changes: [RecordChange], as run: String = "run", undoing: UndoGoal? = nil,
    through other: (any Container)? = nil
  ) async throws -> ChangeReport {
    try await WriteSession(
      WritingJob("seed apply"), container: other ?? container, dependencies: environment(run)
    ).run { try await $0.apply(changes, policy: .refuse, undoing: undoing) }
  }

  func plan(_ run: String = "run", isStrict: Bool = false) async throws -> UndoPlan {
    try await UndoPlanner(container: container, schema: schema, rules: Self.rules, isStrict: isStrict)
      .plan(run, in: history)
  }

  @discardableResult
  func undo(
    _ run: String = "run", as id: String = "undo", through other: (any Container)? = nil
  ) async throws -> (plan: UndoPlan, ChangeReport) {
    let plan = try await plan(run)
    return (plan, try await write(plan.changes, as: id, undoing: plan.goal, through: other))
  }

  /// What another client does.
  func put(_ name: String, _ fields: [String: FieldValue?] = [:], type: String = "Feed") async throws {
    let outcome = try await container.modify([
      .init(.forceUpdate, recordType: type, recordName: name, fields: fields)
    ])[0]
    if let error = outcome.error { throw error }
  }

  func delete(_ name: String) async throws {
    _ = try await container.modify([.init(.forceDelete, recordName: name)])
  }

  func record(_ name: String) async throws -> Record? {
    try await container.lookup(LookupRequest([name]))[0].found
  }

  func fields() async throws -> [String: [String: FieldValue]] {
    try await container.allRecords(Query("Feed")).reduce(into: [:]) { $0[$1.recordName] = $1.fields }
  }

  func create(_ name: String, _ fields: [String: FieldValue] = ["title": .string("new")]) -> RecordChange {
    RecordChange(
      .create, recordType: "Feed", recordName: name, fields: fields.mapValues { FieldChange(to: $0) })
  }

  func update(_ name: String, _ fields: [String: FieldValue?]) async throws -> RecordChange {
    let existing = try await record(name)
    return RecordChange.toward(fields, recordType: "Feed", recordName: name, existing: existing)
      ?? RecordChange(.update, recordType: "Feed", recordName: name, changeTag: existing?.changeTag)
  }

  func deletion(_ name: String) async throws -> RecordChange {
    let record = try await record(name)
    return RecordChange(
      .delete, recordType: record?.recordType ?? "Feed", recordName: name, changeTag: record?.changeTag)
  }
}
