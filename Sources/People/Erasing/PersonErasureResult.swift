internal import CloudKitModel
package import Diagnostics
internal import RecordChanges

/// The result of erasing a person's records: what was found and what was deleted. Its report has counts, not record names.
package struct PersonErasureResult: Sendable {
  struct TypeCount: Sendable {
    let plan: TypeSearchPlan
    var found = 0
    /// Of those, the records that others made and that name the person.
    var ofOthers = 0
    var erased = 0
    /// Of those that stay as asked: how many, how many are or would be done, and of these in how many each field is cleared.
    var staying = 0
    var kept = 0
    var cleared: [String: Int] = [:]
    /// Of those done, how many still have a value in a field that may name the person, and in how many each field has one.
    var unclear = 0
    var unclearFields: [String: Int] = [:]
    /// Of those that the person made, in how many each other field has a text.
    var textFields: [String: Int] = [:]
    var left: Int { found - erased - kept + unclear }
    /// How many are not or would not be erased or cleared.
    var untouched = 0
  }

  let container: ContainerIdentity
  /// The record types whose records stay, without the fields that name the person.
  let keptTypes: Set<String>
  /// The changes that erase what was found, with those of records that the container deletes with these. They name
  /// records: never to be shown.
  var changes: [RecordChange] = []
  /// A record that refers to one of the person with the action VALIDATE, so that the container keeps that one.
  struct Link: Hashable {
    let recordType: String
    let field: String
    /// Not a list.
    let isSingle: Bool
    let recordName: String
    let target: String
  }

  /// The links of records that stay.
  private(set) var links: Set<Link> = []
  private(set) var found: [FoundInType]
  private var outcomes: [String: ChangeReport.Outcome] = [:]
  /// The mirrors of the container, which keep what is erased until they are renewed.
  package var mirrors: [KnownMirror] = []
  var isDryRun = true
  /// Whether a user makes the requests, who may be the person and then may delete own records.
  var isByUser = false
  /// Whether it is in a mirror, which says nothing about what a key may do on the service.
  var isInMirror = false
  var interruption: (any Error)?

  init(_ found: [FoundInType], in container: ContainerIdentity, keptTypes: Set<String> = []) {
    self.found = found
    self.container = container
    self.keptTypes = keptTypes
  }

  /// Records of others that the container deletes, because they refer to those of the person.
  var cascades: Int {
    let own = Set(found.flatMap { $0.records.map(\.record.recordName) })
    return changes.count { !own.contains($0.recordName) }
  }

  /// Keeps the links of records that are not deleted: a record that is kept keeps what it refers to.
  mutating func keep(by all: [Link]) {
    var deleted = Set(changes.filter { $0.action == .delete }.map(\.recordName))
    var kept: Set<Link>
    repeat {
      kept = links
      links = Set(all.filter { !deleted.contains($0.recordName) })
      deleted.subtract(links.map(\.target))
    } while links != kept
  }

  /// Which links keep records, a line for each type and field, and in how many records.
  var keepers: [(type: String, field: String, count: Int)] {
    Dictionary(grouping: links) { [$0.recordType, $0.field] }
      .map { ($0.key[0], $0.key[1], Set($0.value.map(\.recordName)).count) }.sorted {
        ($0.0, $0.1) < ($1.0, $1.1)
      }
  }

  var types: [TypeCount] {
    let held = Set(links.map(\.target))
    return found.map { type in
      var count = TypeCount(plan: type.plan, found: type.records.count)
      for found in type.records {
        let name = found.record.recordName
        let isDone = outcomes[name].map { $0 == .applied || $0 == .alreadyApplied }
        let isRefused = isDryRun && (held.contains(name) || isDenied(found, type.plan))
        if isRefused { count.untouched += 1 }
        if found.isOfOthers { count.ofOthers += 1 }
        if isKept(type.plan.recordType) {
          count.staying += 1
          guard isDone ?? (isDryRun && !isRefused || found.clearing == nil) else { continue }
          count.kept += 1
          for field in found.namingFields { count.cleared[field, default: 0] += 1 }
          let (unclear, texts) = found.keptFields(type.plan)
          if !unclear.isEmpty { count.unclear += 1 }
          for field in unclear { count.unclearFields[field, default: 0] += 1 }
          for field in texts { count.textFields[field, default: 0] += 1 }
        } else if isDone ?? false {
          count.erased += 1
        }
      }
      if !isDryRun { count.untouched = count.left - count.unclear }
      return count
    }
  }

  /// Whether the grants let the key neither delete nor clear a record, as ``AccessRightsCheck`` found.
  private func isDenied(_ found: FoundRecord, _ plan: TypeSearchPlan) -> Bool {
    plan.isDeletionDenied && !isInMirror && !(isKept(plan.recordType) && found.clearing == nil)
      && !(plan.mayDelete == .own && isByUser && !found.isOfOthers)
  }

  mutating func add(_ report: ChangeReport) {
    for (change, outcome) in report.results { outcomes[change.recordName] = outcome }
    interruption = interruption ?? report.interruption
  }

  /// Adds what the second look found. Those records are not erased, whatever the first reply said.
  mutating func add(_ again: [FoundInType]) {
    for (index, type) in again.enumerated() {
      found[index].plan = type.plan
      let known = Set(found[index].records.map(\.record.recordName))
      found[index].records += type.records.filter { !known.contains($0.record.recordName) }
      guard !isKept(type.plan.recordType) else { continue }
      for record in type.records { outcomes[record.record.recordName] = nil }
    }
  }

  func isKept(_ recordType: String) -> Bool { keptTypes.contains(recordType) }

  /// Why the key could not or cannot delete records, by type: codes only, because the texts of a service may name records.
  var refusals: [String: Set<ServerError.Code>] {
    var refusals: [String: Set<ServerError.Code>] = [:]
    for type in found {
      for record in type.records {
        if isDryRun, isDenied(record, type.plan) {
          refusals[type.plan.recordType, default: []].insert(.accessDenied)
        }
        guard case .failed(let error)? = outcomes[record.record.recordName] else { continue }
        refusals[type.plan.recordType, default: []].insert(error.code)
      }
    }
    return refusals
  }
}

extension PersonErasureResult: Report {
  private var erased: Int { types.reduce(0) { $0 + $1.erased } }
  private var untouched: Int { types.reduce(0) { $0 + $1.untouched } }
  /// How many more may be done: erased or cleared.
  private var unknownInWords: String {
    WriteSummary.inWords(unknown: outcomes.values.count { $0 == .unknown })
  }
  package var foundCount: Int { types.reduce(0) { $0 + $1.found } }
  /// The records to erase: all but those that stay.
  package var erasableCount: Int { types.reduce(0) { $0 + $1.found - $1.staying } }
  /// How many records stay that may still name the person.
  private var unclear: Int { types.reduce(0) { $0 + $1.unclear } }

  /// The fields that are or would be cleared, and in how many records; `nil` if none is.
  package var clearedFields: String? { Self.inWords(types.map { ($0.plan.recordType, $0.cleared) }) }
  private var unclearFields: String? { Self.inWords(types.map { ($0.plan.recordType, $0.unclearFields) }) }
  private var textFields: String? { Self.inWords(types.map { ($0.plan.recordType, $0.textFields) }) }

  private static func inWords(_ types: [(recordType: String, fields: [String: Int])]) -> String? {
    let words = types.flatMap { type in
      type.fields.sorted { $0.key < $1.key }.map { "\($0.key) of \(counted($0.value, type.recordType))" }
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// Whether the container refused everything: then a second look would find the same.
  var isRefusedThroughout: Bool { foundCount > 0 && types.allSatisfy { $0.erased == 0 && $0.kept == 0 } }

  /// Whether every type was searched and nothing is left; for a dry run, whether nothing would be.
  private var isComplete: Bool {
    interruption == nil && untouched + unclear == 0 && found.allSatisfy { $0.plan.problem == nil }
  }

  package var failure: CommandFailure? {
    if let interruption { return failure(interruption) }
    return failureOfDeletions ?? found.map(\.plan).searchFailure
  }

  /// An interruption after which the records that were found first may already be erased. A service's explanation is left
  /// out, because it may name records.
  private func failure(_ interruption: any Error) -> CommandFailure {
    var failure = CommandFailure(interruption)
    if var refusal = interruption as? ServerError {
      refusal.reason = "the service refused a request"
      failure = refusal.failure
    }
    return CommandFailure(
      "\(failure.message); \(erased) of \(counted(erasableCount, "record")) erased\(unknownInWords)",
      code: failure.code,
      hint: "Run the command again: it searches again, and erases what is left.",
      status: failure.status(afterWriting: erased), retryAfter: failure.retryAfter)
  }

  private var failureOfDeletions: CommandFailure? {
    guard untouched > 0 else { return unclear > 0 ? failureOfClearing : nil }
    let refusals = refusals
    let isDenied = refusals.values.contains { $0.contains(.accessDenied) }
    let isReferred =
      isDryRun ? !links.isEmpty : refusals.values.contains { $0.contains(.validatingReferenceError) }
    return CommandFailure(
      "\(counted(untouched, "record")) of this person \(isDryRun ? "cannot" : "could not") be erased\(keptTypes.isEmpty ? "" : " or cleared")",
      details: types.filter { $0.untouched > 0 }.map { type in
        let codes = (refusals[type.plan.recordType] ?? []).map(\.rawValue).sorted().joined(separator: ", ")
        return "\(type.plan.recordType): \(type.untouched) left"
          + (codes.isEmpty ? "" : " (\(codes))")
      },
      code: isDenied ? "not-permitted" : "left",
      hint: isDenied
        ? "\(roleForAll), and run the command again."
        : isReferred
          ? "Other records refer to these with the action VALIDATE. \(adviceOnLinks), and run the command again."
          : "Run the command again: it searches again, and erases what is left.", status: .partial)
  }

  private var failureOfClearing: CommandFailure {
    CommandFailure(
      "\(counted(unclear, "kept record")) may still name this person",
      details: [unclearFields].compactMap(\.self), code: "left", hint: adviceOnNames, status: .partial)
  }

  private var adviceOnNames: String {
    let fields = Set(types.flatMap(\.unclearFields.keys)).sorted()
    return
      "If 'person export' shows a name of this person there, such as a pseudonym, run the command again with \(fields.map { "--also \($0)=NAME" }.joined(separator: " ")). The name of another person may stay."
  }

  /// What to do so that nothing refers to the person's records.
  private var adviceOnLinks: String {
    let searched = Set(types.map(\.plan.recordType))
    let fields = Set(links.filter { $0.isSingle && searched.contains($0.recordType) }.map(\.field)).sorted()
    let also = fields.map { "--also \($0)=NAME" }.joined(separator: " ")
    return (links.isEmpty ? "Find them in the types that this key may not read. " : "")
      + "Clear their fields with 'records update', or delete them"
      + (also.isEmpty ? "" : ": \(also), with the name that 'person export' shows of each record to erase")
  }

  /// Which role may delete what is left.
  private var roleForAll: String {
    let lists = types.filter { refusals[$0.plan.recordType]?.contains(.accessDenied) ?? false }
      .map { Set($0.plan.roles.delete) }
    let roles = lists.dropFirst().reduce(lists.first ?? []) { $0.intersection($1) }.sorted()
    return roles.isEmpty
      ? "Grant READ and WRITE on these types to one role, give the key's user record that role"
      : "Give the key's user record the role \(roles.joined(separator: " or "))"
  }

  package var isConfirmation: Bool { !isDryRun && isComplete }

  package var json: JSONValue {
    let types = types.map { type in
      type.plan.json([
        "found": type.found.json, "erased": type.erased.json, "left": type.left.json,
        "ofOthers": type.ofOthers.json,
        "kept": isKept(type.plan.recordType) ? .some(JSONValue(type.kept)) : .none,
        "cleared": isKept(type.plan.recordType) ? .some(type.cleared.json) : .none,
        "unclear": isKept(type.plan.recordType) ? .some(type.unclearFields.json) : .none,
        "texts": isKept(type.plan.recordType) ? .some(type.textFields.json) : .none,
      ])
    }
    return places.json(after: [
      "types": .array(types), "complete": isComplete.json, "dryRun": isDryRun.json, "cascades": cascades.json,
      "keptBy": .array(
        keepers.map { ["type": $0.type.json, "field": $0.field.json, "records": $0.count.json] }),
    ])
  }

  package var body: ReportBody {
    var table = Table(
      [.init("record type"), .init("found", .right)]
        + (isDryRun ? [] : [.init("erased", .right), .init("left", .right)])
        + [.init("kept", .right), .init("made by others", .right), .init("searched")])
    table.rows = types.map { type in
      let counts =
        (isDryRun ? [type.found] : [type.found, type.erased, type.left]) + [type.kept, type.ofOthers]
      return Table.Row(
        ["\(type.plan.recordType)"] + counts.map { StyledText("\($0)") } + ["\(type.plan.way)"])
    }
    table
    if cascades > 0 { "The container deletes \(counted(cascades, "record")) of others with these." }
    let staying = foundCount - erasableCount
    let verb = isDryRun ? "would clear" : "cleared"
    let kept =
      staying > 0
      ? "; \(counted(staying, "record")) kept, \(clearedFields.map { "\(verb) \($0)" } ?? "\(verb) nothing")"
      : ""
    for (type, field, count) in keepers {
      "CloudKit keeps what '\(field)' of \(counted(count, "\(type) record")) refers to, by its action VALIDATE."
    }
    if isDryRun {
      let held = types.reduce(0) { $0 + (isKept($1.plan.recordType) ? 0 : $1.untouched) }
      "would erase \(held > 0 ? "\(erasableCount - held) of " : "")\(counted(erasableCount, "record"))\(kept)"
    } else {
      "erased \(erased) of \(counted(erasableCount, "record"))\(kept)\(unknownInWords)"
    }
    if let unclearFields {
      ListItem(.caution, "kept, and may still name this person: \(unclearFields)")
    }
    let refused = refusals
    for type in types {
      if refused[type.plan.recordType]?.contains(.accessDenied) ?? false { type.plan.adviceOnDeletion }
    }
    if let textFields { ListItem(.note, "kept as the person wrote them: \(textFields)") }
    places.body
  }

  private var places: PersonalDataPlaces { PersonalDataPlaces(container, mirrors, of: found.map(\.plan)) }
}
