package import CloudKitModel
internal import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// Deletes the records of one person from the public database.
///
/// Every run searches again, so a run that was stopped is finished by running the command again. What is counted from the
/// deleted records is left to the next scheduled recount: counts that fall together in one moment would show what the person
/// read (Documentation/Privacy.md#erasing).
package struct PersonErasure: Sendable {
  package struct Options: Sendable {
    package var pseudonyms: [PseudonymCondition] = []
    /// `schema.relations` of the project, which say which fields name a person.
    package var relations: [DeclaredRelation] = []
    /// The types that a mirror does not have, or not whole, and why.
    package var lacks: [String: String] = [:]
    /// Keep records of the person in which others have written, such as the sessions that the person hosts, and clear the
    /// fields that name the person. The declaration says which types these are; `nil` keeps none.
    package var sessions: ModerationDeclaration?
    /// Whether a user makes the requests, not a key.
    package var isByUser = false
    /// How long to wait before the second look, in which an index shows what it did not show at first.
    package var settle = Duration.zero

    package init() {}
  }

  private let search: PersonSearch
  private let schema: Schema
  private let options: Options
  private let references: ReferenceFields
  private let wait: @Sendable (Duration) async throws -> Void

  package init(
    of person: Person, in container: any Container, _ schema: Schema, references: ReferenceFields,
    options: Options, wait: @escaping @Sendable (Duration) async throws -> Void
  ) {
    search = PersonSearch(
      container: container, person: person, pseudonyms: options.pseudonyms, relations: options.relations,
      lacks: options.lacks)
    self.schema = schema
    self.options = options
    self.references = references
    self.wait = wait
  }

  /// What would be deleted.
  ///
  /// Throws the container's errors, and ``CommandFailure`` if the person is unknown.
  package func plan() async throws -> PersonErasureResult {
    let kept = options.sessions?.sessionTypes ?? []
    if let sessions = options.sessions, !kept.contains(where: { schema[recordType: $0] != nil }) {
      throw sessions.noSessions
    }
    let found = try await search.run(in: schema, references, keeping: kept)
    var result = PersonErasureResult(found, in: search.container.identity, keptTypes: kept)
    (result.isByUser, result.isInMirror) = (options.isByUser, search.person.standIns != nil)
    var left: [Record] = []
    var links: [PersonErasureResult.Link] = []
    result.changes = try await changes(for: found, result).withCascades(references, in: search.container) {
      record, target in
      left.append(record)
      for (field, value) in record.fields where value.validatedTargets.contains(target) {
        links.append(
          .init(
            recordType: record.recordType, field: field, isSingle: value.reference != nil,
            recordName: record.recordName, target: target))
      }
    }
    result.keep(by: links)
    try refuseLosses(result, left)
    return result
  }

  /// Throws ``CommandFailure`` if sessions are to be kept, and the erasure would delete what others wrote, or leave it
  /// with references to nothing, outside of declared sessions.
  private func refuseLosses(_ result: PersonErasureResult, _ left: [Record]) throws {
    guard let sessions = options.sessions else { return }
    let own = Set(result.found.flatMap { $0.records.map(\.record.recordName) })
    let deleted = result.changes.filter {
      $0.action == .delete && (!own.contains($0.recordName) || result.isKept($0.recordType))
    }.map(\.recordType)
    let orphaned = left.filter {
      !own.contains($0.recordName) && sessions[recordType: $0.recordType]?.thread == nil
    }.map(\.recordType)
    let lost = Dictionary((deleted + orphaned).map { ($0, 1) }, uniquingKeysWith: +)
    guard !lost.isEmpty else { return }
    throw CommandFailure(
      "--keep-sessions keeps \(result.keptTypes.sorted().joined(separator: ", ")), and others would lose records that belong to another record of this person; nothing was deleted",
      details: lost.sorted { $0.key < $1.key }.map { "\(counted($0.value, $0.key)) of others" },
      code: "sessions-not-declared",
      hint:
        "Declare in moderation.json the 'thread' of each of these types, whose 'recordType' is then kept. Without --keep-sessions these records are lost."
    )
  }

  /// Carries out a plan, waits, and looks again. Failures are in the result.
  package func apply(
    _ plan: PersonErasureResult, through writer: JobWriter
  ) async throws -> PersonErasureResult {
    var result = plan
    result.isDryRun = false
    result.add(try await writer.apply(plan.changes, policy: .reapply))
    guard result.interruption == nil, !result.isRefusedThroughout else { return result }
    do { try await lookAgain(&result, through: writer) } catch {
      result.interruption = search.person.redacted(error)
    }
    return result
  }

  /// Deletes what has appeared since, and what is still there.
  private func lookAgain(_ result: inout PersonErasureResult, through writer: JobWriter) async throws {
    try await wait(options.settle)
    let found = try await search.run(PersonSearchPlan(types: result.types.map(\.plan)))
    // An index can show a deleted record for a while; a lookup does not.
    let present = try await search.container.existingRecords(
      found.flatMap { $0.records.map(\.record.recordName) })
    let left = found.map { type in
      FoundInType(plan: type.plan, records: type.records.filter { present[$0.record.recordName] != nil })
    }
    result.add(left)
    result.add(try await writer.apply(changes(for: left, result), policy: .reapply))
  }

  private func changes(for found: [FoundInType], _ result: PersonErasureResult) -> [RecordChange] {
    found.flatMap { type in
      type.records.compactMap { found in
        result.isKept(type.plan.recordType) ? found.clearing : RecordChange(deleting: found.record)
      }
    }
  }
}

extension FoundRecord {
  var namingFields: [String] {
    traces.compactMap { trace -> String? in if case .field(let name) = trace { name } else { nil } }
  }

  /// The fields of a record that the person made which keep values: those that may be other names of the person, such as
  /// pseudonyms, and the others.
  func keptFields(_ plan: TypeSearchPlan) -> (unclear: [String], other: [String]) {
    guard !isOfOthers else { return ([], []) }
    let kept = plan.searchedKeys.filter { field in
      !traces.contains(.field(field)) && (record[field]?.referredNames ?? []).contains { !$0.isEmpty }
    }
    let names = Set((plan.identifiers + plan.names).map(\.name))
    return (kept.filter(names.contains), kept.filter { !names.contains($0) })
  }

  /// Clears the fields that name the person; `nil` if none does.
  var clearing: RecordChange? {
    var fields: [String: FieldChange] = [:]
    for name in namingFields { fields[name] = FieldChange(from: record[name], to: nil) }
    return RecordChange.making(
      fields, recordType: record.recordType, recordName: record.recordName, isNew: false,
      changeTag: record.changeTag)
  }
}

extension PersonSearch {
  /// Finds out how each type can be searched, and searches it.
  ///
  /// Throws ``CommandFailure`` when every type was searched, nothing was found, and the environment has no such user: then the
  /// name is probably wrong or from another environment. A type that was not searched may have records of this person.
  ///
  /// - Parameter kept: the types of which the records also have their texts.
  func run(
    in schema: Schema, _ references: ReferenceFields, keeping kept: Set<String> = []
  ) async throws -> [FoundInType] {
    let plan = try await PersonSearchPlan(
      of: container, schema, references: references, pseudonyms: pseudonyms, relations: relations,
      keeping: kept, lacks: lacks)
    let found = try await run(plan)
    guard found.allSatisfy({ $0.records.isEmpty && $0.plan.problem == nil }), try await isKnownUser() == false
    else { return found }
    throw CommandFailure(
      "the \(container.identity.environment.rawValue) environment has no user of this name, and no record of theirs",
      code: "unknown-person",
      hint:
        "A person has another user record name in each environment. After a complete erasure, only copies are left: 'celestra-admin person check' lists them."
    )
  }
}
