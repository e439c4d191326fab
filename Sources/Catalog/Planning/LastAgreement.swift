package import CloudKitModel
package import Diagnostics
internal import RecordChanges

/// Which side changed a value since both had it last.
package enum ChangedSide: Sendable, Hashable {
  case neither, files, container, both
  /// The container has a value that was applied from seeds in no commit, and the files have the commit's: it was taken back
  /// in the files, or these files never had it. An apply takes it back.
  case uncommitted
  /// It is not known what was applied last.
  case unknown
}

/// What files and container both had last: the values that are remembered since the commit that was applied last, else those
/// of the commit. Decides for plans and pulls who changed a value
/// (Documentation/reference/curation.md#pulling).
package struct LastAgreement: Sendable {
  private let remembered: AgreedValues
  /// The commit's entries; `nil` if it is unknown.
  private let applied: SeedsByRecord?
  private let forkPoint: SeedsByRecord?

  /// - Parameters:
  ///   - applied: the seeds of the commit that was applied last; `nil` if it is unknown.
  ///   - forkPoint: where that commit is not in the history of the files: the seeds of the last commit that both have.
  package init(
    _ applied: SeedCatalog?, forkPoint: SeedCatalog? = nil, _ remembered: AgreedValues,
    in existing: ExistingCatalogRecords
  ) {
    self.remembered = remembered
    self.applied = applied.map { SeedsByRecord($0, existing) }
    self.forkPoint = forkPoint.map { SeedsByRecord($0, existing) }
  }

  /// Who changed a value.
  ///
  /// - Parameters:
  ///   - entry: the kind and the slug in the files: `feed six-colors`.
  ///   - file: the files' value, in the form of ``SeedField/compared(_:)``.
  ///   - stored: the record's value.
  package func side(
    thatChanged field: SeedField, of recordName: String, entry: String, file: JSONValue?,
    container stored: FieldValue?
  ) -> ChangedSide {
    let container = field.compared(stored)
    if file == container { return .neither }
    // A slug that the container does not have yet was not changed there.
    if field.form == .slug, stored == nil { return .files }
    let committed = applied?.value(field, of: recordName, entry: entry)
    let isCommits = committed == .some(file)
    guard let here = remembered.match(file, field, of: recordName),
      let there = remembered.match(container, field, of: recordName)
    else {
      guard applied != nil else { return .unknown }
      if isCommits { return .container }
      guard committed == .some(container) else { return .both }
      // Another branch's commit changed the value, and these files still have the one from before.
      return forkPoint?.value(field, of: recordName, entry: entry) == .some(file) ? .container : .files
    }
    if here.isSame { return .container }
    // Files with the commit's value do not have what was pulled.
    if here.source == .pulled, isCommits { return .container }
    if there.isSame { return isCommits && there.source == .applied ? .uncommitted : .files }
    return .both
  }

  /// The value to merge lists with, with record names for references; `nil` if both sides had a later one that is not kept.
  package func mergeBase(_ field: SeedField, of recordName: String, entry: String) -> JSONValue?? {
    guard remembered.match(nil, field, of: recordName) == nil else { return nil }
    return applied?.value(field, of: recordName, entry: entry)
  }

  /// How both sides got the value that the container has; `nil` if they did not have it last, or it was in the commit.
  func source(_ field: SeedField, of recordName: String, _ value: JSONValue?) -> AgreedValues.Source? {
    remembered.match(value, field, of: recordName).flatMap { $0.isSame ? $0.source : nil }
  }
}

private struct SeedsByRecord: Sendable {
  private let names: SeedRecordNames
  private var values: [String: SeedValues] = [:]
  /// Entries whose record the container does not have, by kind and slug.
  private var rest: [String: SeedValues] = [:]

  init(_ catalog: SeedCatalog, _ existing: ExistingCatalogRecords) {
    names = SeedRecordNames(of: catalog, in: existing)
    for kind in SeedKind.allCases {
      for entry in catalog.entries(kind) {
        if let name = names[kind, entry.slug], existing[name]?.recordType == kind.recordType {
          values[name] = entry.values
        } else {
          rest["\(kind.rawValue) \(entry.slug)"] = entry.values
        }
      }
    }
  }

  /// `nil` without an entry; `.some(nil)` for an entry without the value.
  func value(_ field: SeedField, of recordName: String, entry: String) -> JSONValue?? {
    (values[recordName] ?? rest[entry]).map { field.compared($0.published(field), names) }
  }
}

extension SeedField {
  /// A record's value in the form in which values are compared: with record names for references, and the default for an
  /// absent one. What no seed may have equals nothing that a seed has.
  package func compared(_ stored: FieldValue?) -> JSONValue? {
    switch value(of: stored, slug: { $1 }) {
    case .absent: usual
    case .value(let value): value
    case .invalid: .object([:])
    }
  }

  /// A published value of the files in the form of ``compared(_:)``.
  package func compared(_ value: JSONValue?, _ names: SeedRecordNames) -> JSONValue? {
    switch form {
    case .reference(let kind): value?.string.map { .string(names[kind, $0] ?? $0) }
    case .references(let kind): .array((value?.strings ?? []).map { .string(names[kind, $0] ?? $0) })
    default: value
    }
  }
}

extension SeedPlan {
  /// Removes the marks of what was applied uncommitted and is in a commit since.
  ///
  /// - Parameter head: the seeds of the last commit.
  package mutating func unmarkUncommitted(in head: SeedCatalog, _ existing: ExistingCatalogRecords) {
    let committed = LastAgreement(head, AgreedValues(), in: existing)
    for change in changes where appliedUncommitted[change.recordName] != nil {
      for (name, row) in change.seedFields {
        guard let value = change.fields[name] else { continue }
        let side = committed.side(
          thatChanged: row, of: change.recordName, entry: change.seedKey ?? "", file: row.compared(value.to),
          container: value.from)
        if side == .files { appliedUncommitted[change.recordName]?.remove(name) }
      }
    }
  }

  /// Marks what was changed in the container since files and container agreed, and what was applied from seeds that are in
  /// no commit. Returns whether that is known of all values that the plan replaces.
  ///
  /// - Parameter isInGit: whether the seeds could be in a commit.
  package mutating func markChanges(
    since last: LastAgreement, isInGit: Bool, in existing: ExistingCatalogRecords
  ) -> Bool {
    var isKnown = true
    for change in changes where change.action == .update {
      let record = change.recordName
      for (name, row) in change.seedFields {
        guard let value = change.fields[name] else { continue }
        let (file, container) = (row.compared(value.to), row.compared(value.from))
        switch last.side(
          thatChanged: row, of: record, entry: change.seedKey ?? record, file: file, container: value.from)
        {
        case .container where last.source(row, of: record, file) == .pulled:
          revertedInContainer[record, default: [:]][name] = .some(existing[record]?.modified?.timestamp)
        case .container, .both: changedInContainer[record, default: []].insert(name)
        case .files, .uncommitted:
          if isInGit, last.source(row, of: record, container) == .applied {
            appliedUncommitted[record, default: []].insert(name)
          }
        case .neither: break
        case .unknown: isKnown = false
        }
      }
    }
    return isKnown
  }
}
