internal import CloudKitModel
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
  /// The mirrors of the container that keep what is erased until they are renewed.
  private(set) var mirrors: [PersonalDataPlaces.Mirror] = []
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

  /// - Parameter mirrors: each with the record types that it copies; `nil` when they are not known.
  package mutating func add(mirrors: [(path: String, types: Set<String>?)]) {
    for (path, types) in mirrors {
      let searched = found.map(\.plan.recordType).filter { types?.contains($0) ?? true }
      if !searched.isEmpty { self.mirrors.append((path, types == nil ? [] : searched.sorted())) }
    }
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
