package import CloudKitModel
package import Diagnostics
internal import RecordChanges

/// Which side changed a value since both had it last.
package enum ChangedSide: Sendable, Hashable {
  case neither, files, container, both
  /// The container has a value that was applied from seeds in no commit, and the files have the commit's: it was taken back
  /// in the files, or these files never had it. An apply takes it back.
  case uncommitted
  /// It is not known what was applied last, or that had no such entry.
  case unknown
}

/// What files and container both had last, and so who changed a value: the one rule of plans, applies and pulls
/// (Documentation/reference/curation.md#pulling). Both had what is remembered since the commit that was applied last. Else
/// both had what that commit has, as far as the files' branch has it: all of it where it contains the commit, else the values
/// that its own commits since have, too, and otherwise what the last commit in both histories has.
package struct LastAgreement: Sendable {
  private let remembered: AgreedValues
  /// The commit's entries; `nil` if it is unknown.
  private let applied: SeedsByRecord?
  /// The entries of which both sides have all; `nil` if they are unknown.
  private let shared: SeedsByRecord?
  private let since: [SeedsByRecord]
  private let branch: [SeedsByRecord]
  private let former: SeedsByRecord?
  private let isPartial: Bool
  /// Whether all that was applied last is known.
  fileprivate var isKnown: Bool { shared != nil && !isPartial }
  private let existing: ExistingCatalogRecords

  /// - Parameters:
  ///   - applied: the seeds of the commit that was applied last; `nil` if it is unknown.
  ///   - forkPoint: `nil` where the files' branch contains that commit; else the seeds of the last commit in both histories,
  ///     `.some(nil)` if it is unknown.
  ///   - since: the entries that the files had in their commits since then.
  ///   - branch: those that other branches had since then, which are not new in the files.
  ///   - former: those of the last commit before it that the files' branch has; `nil` if that is unknown.
  ///   - isPartial: whether something else was applied later, or where `applied` is unknown, after `former`.
  package init(
    _ applied: SeedCatalog?, forkPoint: SeedCatalog?? = nil, since: [SeedCatalog] = [],
    branch: [SeedCatalog] = [], former: SeedCatalog? = nil, isPartial: Bool = false,
    _ remembered: AgreedValues, in existing: ExistingCatalogRecords
  ) {
    self.remembered = remembered
    self.existing = existing
    self.applied = applied.map { SeedsByRecord($0, existing) }
    shared = if let forkPoint { forkPoint.map { SeedsByRecord($0, existing) } } else { self.applied }
    self.isPartial = isPartial
    var names = self.applied?.names ?? SeedRecordNames()
    for catalog in branch + since { names.add(catalog, existing) }
    self.branch = branch.map { SeedsByRecord($0, existing, names: names) }
    self.since = since.map { SeedsByRecord($0, existing, names: names) }
    self.former = former.map { SeedsByRecord($0, existing) }
  }

  /// Who changed a value of an entry (`feed six-colors`); the files' value is in the form of ``SeedField/compared(_:)``.
  package func side(
    thatChanged field: SeedField, of recordName: String, entry: String, file: JSONValue?,
    container stored: FieldValue?
  ) -> ChangedSide {
    let container = field.compared(stored)
    if file == container { return .neither }
    // A slug that the container does not have yet was not changed there.
    if field.form == .slug, stored == nil { return .files }
    // Nor was a list whose records are gone, or have other names by now.
    let (mine, theirs) = (listed(file, field), listed(container, field))
    if mine == theirs { return .files }
    func has(_ seeds: SeedsByRecord?, _ value: JSONValue?) -> Bool {
      seeds?.value(field, of: recordName, entry: entry).map { listed($0, field) } == .some(value)
    }
    let committed = committed(field, of: recordName, entry: entry).map { listed($0, field) }
    let last = applied?.value(field, of: recordName, entry: entry).map { listed($0, field) }
    // Files that have had a new value of the commit know what its branch had before.
    let isMerged = committed.map { last == .some($0) && !has(shared, $0) } ?? false
    let isCommits =
      committed == .some(mine) || last == .some(mine) || !isMerged && branch.contains { has($0, mine) }
    guard let here = remembered.match(file, field, of: recordName),
      let there = remembered.match(container, field, of: recordName),
      here.isSame || hasMemory(of: field, of: recordName, entry: entry)
    else {
      if isCommits { return .container }
      // A record that no known apply has written may never have had the default.
      if committed == .some(theirs) || last == nil && stored == nil && mine == field.usual { return .files }
      // What the container has had since then, the commits that are unknown here did not change.
      if applied == nil, !isPartial, has(former, theirs) { return .files }
      return last == nil || !isKnown ? .unknown : .both
    }
    if here.isSame { return .container }
    // Files with the commit's value do not have what was pulled or brought back.
    if here.source == .pulled || here.source == .undone, isCommits { return .container }
    if there.isSame { return isCommits && there.source == .applied ? .uncommitted : .files }
    return .both
  }

  /// The value to merge lists with, with record names for references; `nil` if both sides had a later one that is not kept.
  package func mergeBase(_ field: SeedField, of recordName: String, entry: String) -> JSONValue?? {
    guard !hasMemory(of: field, of: recordName, entry: entry) else { return nil }
    return committed(field, of: recordName, entry: entry)
  }

  /// What both had by their commits; `nil` without an entry, and if it is unknown.
  private func committed(_ field: SeedField, of recordName: String, entry: String) -> JSONValue?? {
    guard let value = applied?.value(field, of: recordName, entry: entry),
      since.contains(where: { $0.value(field, of: recordName, entry: entry) == .some(value) })
    else { return shared?.value(field, of: recordName, entry: entry) }
    return value
  }

  /// Whether both sides had the value that is remembered. What another clone pulled or undid is in these files' history, or
  /// they never had it. An undo of the last apply brings back what they had with the one before.
  private func hasMemory(of field: SeedField, of recordName: String, entry: String) -> Bool {
    guard let memory = remembered.match(nil, field, of: recordName) else { return false }
    let history = memory.source == .undone ? since + [former].compactMap(\.self) : since
    return memory.isOwn || memory.source == .applied
      || history.compactMap { $0.value(field, of: recordName, entry: entry) }
        .contains { remembered.match($0, field, of: recordName)?.isSame == true }
  }

  /// A value without the names that no record has, as one derived from the address that a feed had once.
  private func listed(_ value: JSONValue?, _ field: SeedField) -> JSONValue? {
    guard case .references = field.form, let value, value.array != nil else { return value }
    return .array(value.strings.map { existing[$0] == nil ? .null : .string($0) })
  }

  /// Whether the container still has what the last apply changed in a value, and the files do not: of a list, any element.
  package func stands(
    _ field: SeedField, of recordName: String, entry: String, file: JSONValue?, container stored: FieldValue?
  ) -> Bool {
    let (mine, theirs) = (listed(file, field), listed(field.compared(stored), field))
    guard let value = applied?.value(field, of: recordName, entry: entry).map({ listed($0, field) }),
      value != mine
    else { return false }
    guard value != theirs, let list = value?.array else { return value == theirs }
    guard let former = listed(committed(field, of: recordName, entry: entry) ?? nil, field)?.array,
      let here = mine?.array, let there = theirs?.array.map(Set.init)
    else { return true }
    let (before, after) = (Set(former), Set(list))
    let (changed, differing) = (before.symmetricDifference(after), there.symmetricDifference(here))
    return list.filter(before.contains) != former.filter(after.contains)
      || changed.contains { differing.contains($0) && after.contains($0) == there.contains($0) }
  }

  /// Whether the files' branch never had the entry of a record, or its deletion, that the last apply has written.
  fileprivate func isUnshared(_ change: RecordChange) -> Bool {
    let name = change.recordName
    if change.action == .delete {
      return applied?.slug(of: name) != nil
        && !(since + [shared].compactMap(\.self)).contains { $0.slug(of: name) != nil }
    }
    guard let entry = change.seedKey, applied?.hasUnmatched(entry) == false else { return false }
    return shared?.hasUnmatched(entry) ?? true
  }

  /// Whether the record of a new entry was there after the last apply; after the one before it, if the last one is unknown.
  func hadRecord(of change: RecordChange) -> Bool {
    guard change.action == .create, let entry = change.seedKey else { return false }
    return [applied ?? former, shared].contains { $0?.hasUnmatched(entry) == true }
  }

  /// Whether a feed had another record in the last apply, which has lost its slug since.
  func hadOtherRecord(_ change: RecordChange) -> Bool {
    guard change.recordType == CatalogRecordType.publicFeed, let slug = change.label,
      let former = applied?.feeds[slug]?.expectedRecordName, former != change.recordName
    else { return false }
    return existing.slug(of: change.recordName) == slug && existing.slug(of: former) == nil
      && existing.feedURL(of: former) != nil
  }

  /// The entry that a record had in the last apply, by kind and slug.
  func entry(of recordName: String, _ kind: SeedKind) -> String? {
    applied?.slug(of: recordName).map(kind.key)
  }

  /// How both sides got the value that the container has; `nil` if they did not have it last, or it was in the commit.
  package func source(_ field: SeedField, of recordName: String, _ value: JSONValue?) -> AgreedValues.Source?
  {
    remembered.match(value, field, of: recordName).flatMap { $0.isSame ? $0.source : nil }
  }
}

private struct SeedsByRecord: Sendable {
  let names: SeedRecordNames
  let feeds: [String: SeedFeed]
  private var values: [String: SeedValues] = [:]
  /// Entries whose record the container does not have, by kind and slug.
  private var rest: [String: SeedValues] = [:]

  init(_ catalog: SeedCatalog, _ existing: ExistingCatalogRecords, names: SeedRecordNames? = nil) {
    let names = names ?? SeedRecordNames(of: catalog, in: existing)
    self.names = names
    feeds = catalog.feeds.keyed(by: \.slug)
    for kind in SeedKind.allCases {
      for entry in catalog.entries(kind) {
        if let name = names[kind, entry.slug], existing[name]?.recordType == kind.recordType {
          values[name] = entry.values
        } else {
          rest[entry.key] = entry.values
        }
      }
    }
  }

  func hasUnmatched(_ entry: String) -> Bool { rest[entry] != nil }

  func slug(of recordName: String) -> String? { values[recordName]?["slug"]?.string }

  /// `nil` without an entry; `.some(nil)` for an entry without the value.
  func value(_ field: SeedField, of recordName: String, entry: String) -> JSONValue?? {
    (values[recordName] ?? rest[entry]).map { field.compared($0.published(field), names) }
  }
}

extension SeedRecordNames {
  /// Adds the names that entries declare, and those of feeds that are not named yet and whose slug a record has.
  fileprivate mutating func add(_ catalog: SeedCatalog, _ existing: ExistingCatalogRecords) {
    for kind in SeedKind.allCases {
      for entry in catalog.entries(kind) {
        let holder = kind == .feed ? existing.slugHolders[entry.slug]?.first : nil
        self[kind, entry.slug] = entry.recordName ?? self[kind, entry.slug] ?? holder
      }
    }
  }
}

extension SeedField {
  /// A record's value in the form in which values are compared: with record names for references. What no seed may have, or
  /// has in another spelling, equals nothing that a seed has: none where a default is written, a list that names a feed twice.
  package func compared(_ stored: FieldValue?) -> JSONValue? {
    switch value(of: stored, slug: { $1 }) {
    case .absent where (need == .always ? self.stored(usual) : nil).isSame(as: stored): usual
    case .value(let value)
    where form.target == nil
      ? self.stored(value).isSame(as: stored) : value.strings.count == stored?.elements?.count ?? 0:
      value
    case .absent, .value: .object(["stored": stored?.plainJSON ?? .null])
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
  /// Removes the marks of what was applied uncommitted, or from a commit that this clone does not have, where a commit has it.
  package mutating func unmarkCommitted(in head: SeedCatalog, _ existing: ExistingCatalogRecords) {
    let committed = LastAgreement(head, AgreedValues(), in: existing)
    for change in changes {
      for case (let name, let row, let value?) in change.seedFields {
        guard [.uncommitted, .unseen].contains(origins[change.recordName]?[name]) else { continue }
        let side = committed.side(
          thatChanged: row, of: change.recordName, entry: change.seedKey ?? "", file: row.compared(value.to),
          container: value.from)
        if side == .files { origins[change.recordName]?[name] = nil }
      }
    }
  }

  /// Marks what was changed in the container since files and container agreed, and what was applied from seeds that are in
  /// no commit; and values of which neither is known. Notes the new entries whose records were deleted since.
  package mutating func markChanges(
    since last: LastAgreement, isInGit: Bool, in existing: ExistingCatalogRecords
  ) {
    notes =
      changes.filter(last.hadRecord).map {
        .deleted(recordType: $0.recordType, slug: $0.label ?? "", formerNames: [])
      } + notes
    takenOut = Set(
      notes.compactMap { note in
        guard case .unmentioned(let type, let name, _, _) = note else { return nil }
        return SeedKind(recordType: type).flatMap { last.entry(of: name, $0) }
      })
    for change in changes where change.action == .update {
      let record = change.recordName
      for case (let name, let row, let value?) in change.seedFields {
        let (file, container) = (row.compared(value.to), row.compared(value.from))
        let entry = change.seedKey ?? record
        let side = last.side(thatChanged: row, of: record, entry: entry, file: file, container: value.from)
        switch side {
        case .container where last.source(row, of: record, file) == .pulled:
          origins[record, default: [:]][name] = .reverted(existing[record]?.modified?.timestamp)
        case .container, .both, .unknown:
          let origin: ValueOrigin = side != .unknown ? .changed : last.isKnown ? .unknown : .unseen
          origins[record, default: [:]][name] = last.hadOtherRecord(change) ? .otherRecord : origin
        case .files, .uncommitted:
          if isInGit, last.source(row, of: record, container) == .applied {
            origins[record, default: [:]][name] = .uncommitted
          }
        case .neither: break
        }
      }
    }
  }

  /// The entries of which the plan takes back what was applied from a commit that the files' branch does not contain, by
  /// kind and slug. What the branch has by another commit, as after a squash merge, is its own.
  package func takenBack(_ last: LastAgreement) -> [String] {
    changes.filter { change in
      guard change.action == .update else { return last.isUnshared(change) }
      return change.seedFields.contains { name, row, value in
        guard let value, ![nil, .uncommitted].contains(origins[change.recordName]?[name]) else {
          return false
        }
        return last.stands(
          row, of: change.recordName, entry: change.seedKey ?? "", file: row.compared(value.to),
          container: value.from)
      }
    }.map { $0.seedKey ?? "" }
  }

  /// Whether the plan creates what was deleted, or deletes what was added, since the container had these seeds: entries that
  /// are new or taken out in the files since then are their own. Any may be where the seeds are unknown.
  package func mayTakeBack(changesSince seeds: SeedCatalog?, _ existing: ExistingCatalogRecords) -> Bool {
    let last = seeds.map { LastAgreement($0, AgreedValues(), in: existing) }
    return changes.contains { change in
      guard change.action != .update, let kind = SeedKind(recordType: change.recordType) else { return false }
      guard let last else { return true }
      return last.hadRecord(of: change)
        || change.action == .delete && last.entry(of: change.recordName, kind) == nil
    }
  }

  /// Notes the names that records of deleted feeds may have had, by earlier seeds, and reads who subscribes to them.
  /// Throws the container's errors.
  package mutating func note(
    formerly seeds: [SeedCatalog], _ existing: ExistingCatalogRecords, in container: some Container
  ) async throws {
    let created = Set(changes.filter { $0.action == .create }.map(\.recordName))
    notes = notes.map { note in
      guard case .deleted(CatalogRecordType.publicFeed, let slug, _) = note else { return note }
      let names = seeds.flatMap(\.feeds).filter { $0.slug == slug }.map(\.expectedRecordName)
      let former = Set(names).filter { existing[$0] == nil && !created.contains($0) }.sorted()
      return .deleted(recordType: CatalogRecordType.publicFeed, slug: slug, formerNames: former)
    }
    try await readReaders(of: formerNames, in: container) { _ in nil }
  }
}
