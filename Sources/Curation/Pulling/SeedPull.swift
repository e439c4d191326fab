package import Catalog
package import CloudKitModel
package import Diagnostics

/// Updates the seed files with changes that were made in a container, editorial fields only, by a three-way merge of
/// each field.
package struct SeedPull: Sendable {
  /// Which side wins if both the files and the container changed a field.
  package enum Preference: String, Sendable, CaseIterable { case files, container }
  package enum Part: String, Sendable, CaseIterable { case new, changed }

  package private(set) var conflicts: [Conflict] = []
  /// Whether it is unknown of one which side changed it.
  private(set) var hasUnknownSide = false
  /// Entries that the container does not have: `feed slug`.
  package private(set) var onlyInFiles: [String] = []
  /// Entries of the files of which the container has several records, so that they are not compared: `feed slug`.
  package private(set) var repeatedInContainer: [String] = []
  /// Entries that were removed from the files since the base, but are still in the container.
  package private(set) var removedFromFiles: [String] = []
  /// Fields whose values the files have and the container does not have yet.
  package private(set) var pending = 0
  /// Those of them of which the files were preferred.
  private(set) var declined = 0
  /// Those of them that the container has from seeds in no commit: `feed slug title`.
  package private(set) var uncommitted: [String] = []
  /// The records that cannot be pulled, or of which a value cannot.
  private(set) var leftOut = 0
  package internal(set) var diagnostics: [Diagnostic] = []
  /// The values that were written to the files, or that were declined for theirs, for the container to remember.
  package internal(set) var taken = AgreedValues()
  /// The feeds that are retired in the files as changed so far.
  var retired: Set<String> = []
  /// The collections whose lists are the container's.
  var listsTaken: Set<String> = []
  /// The last change of the container's records, by kind and slug.
  private(set) var stamps: [String: RecordStamp] = [:]
  private let applied: AppliedSeeds
  /// The commits that are not in the files' branch and of which the container has a change.
  private var otherBranches: Set<String> = [] {
    didSet {
      diagnostics += otherBranches.subtracting(oldValue).sorted().map(applied.finding(ofOtherBranch:))
    }
  }
  /// Of the entries that were applied last. Lazy: where files and container agree, nothing of it is needed.
  private lazy var baseKeys = Set(applied.shared.flatMap(\.allEntries).map(\.key))
  private lazy var baseNames = Set(applied.shared.flatMap(\.allEntries).map(\.expectedRecordName))
  private lazy var baseURLs = Set(applied.shared.flatMap(\.feeds).map { WebAddress.normalized($0.feedURL) })
  private let preference: Preference?
  private let part: Part?
  private let gaps: [MissingSchemaElement]

  /// What is needed where files and container differ.
  private typealias Comparison = (last: LastAgreement, names: SeedRecordNames, container: ContainerCatalog)

  /// - Parameter gaps: what the container's schema lacks. The files keep their values of such fields.
  package init(
    since applied: AppliedSeeds, preference: Preference?, part: Part? = nil, gaps: [MissingSchemaElement] = []
  ) {
    self.applied = applied
    self.gaps = gaps.filter { gap in
      SeedKind(recordType: gap.recordType).map { SeedFields.celestra[$0].compactMap(\.recordField) }?
        .contains { $0 == gap.field } == true
    }
    diagnostics = applied.findings
    self.preference = preference
    self.part = part
    for gap in self.gaps {
      diagnostics.report(
        CurationRule.unusableValue, "not pulled: \(gap)",
        help: "The files keep their values. Apply the schema, then pull again.")
    }
  }

  /// Reads the catalog's records of a container: the fields that editors own. Throws what the container throws.
  package static func records(in container: any Container) async throws -> [Record] {
    var records: [Record] = []
    for kind in SeedKind.allCases {
      let keys = SeedFields.celestra[kind].compactMap(\.recordField)
      try await container.forEachPage(of: Query(kind.recordType), desiredKeys: keys) { records += $0.records }
    }
    return records
  }

  /// Makes the changes in the workspace, without those that would leave seeds with errors. Writes nothing yet.
  package mutating func pull(_ records: [Record], into seeds: inout SeedWorkspace) {
    var container = ContainerCatalog(records, seeds: seeds.catalog, gaps: gaps)
    let (start, files) = (self, seeds)
    while true {
      pull(container, records, into: &seeds)
      if seeds.changes.isEmpty { return }
      let changed = seeds.changed(by: seeds.edits())
      guard changed.catalog == nil, container.leaveOutErrors(of: changed, after: seeds.changes) else {
        return
      }
      self = start
      seeds = files
    }
  }

  private mutating func pull(
    _ container: ContainerCatalog, _ records: [Record], into seeds: inout SeedWorkspace
  ) {
    diagnostics += container.diagnostics
    leftOut = records.count - container.entries.count + container.refused.count
    // By index: most entries are as declared, and copies of them would take longer than that.
    let changed = container.entries.indices.filter { !container.entries[$0].isAsDeclared }
      .map { container.entries[$0] }
    let entries = SeedKind.allCases.flatMap { kind in
      changed.filter { $0.kind == kind }.sorted { $0.slug < $1.slug }
    }
    var absent: Set<String> = []
    var additions: [ContainerCatalog.Entry] = []
    for entry in entries {
      stamps[entry.key] = entry.record.modified
      if entry.isKnown { continue }
      if wasApplied(entry) || applied.values.wasApplied(entry.recordName) {
        removedFromFiles.append(entry.key)
      } else if part != .changed, !container.refused.contains(entry.key) {
        additions.append(entry)
        continue
      }
      absent.insert(entry.key)
    }
    // An entry that is left out may be what another one refers to.
    var candidates: [ContainerCatalog.Entry]
    repeat {
      (candidates, additions) = (additions, [])
      for var entry in candidates {
        if leavesOut(&entry, absent) { absent.insert(entry.key) } else { additions.append(entry) }
      }
      leftOut += candidates.count - additions.count
    } while additions.count < candidates.count
    let current = seeds.catalog
    retired = Set(current.feeds.filter(\.isRetired).map(\.slug))
    if !applied.otherBranches.isEmpty, let keys = applied.catalog.map({ Set($0.allEntries.map(\.key)) }) {
      otherBranches.formUnion(additions.map(\.key).filter(keys.contains).compactMap(applied.otherBranch(of:)))
    }
    for entry in additions where entry.kind != .collection { add(entry, &seeds) }
    var comparison: Comparison?
    for var entry in entries where part != .new {
      guard let file = entry.file else { continue }
      _ = leavesOut(&entry, absent)
      if !entry.unusable.isEmpty { leftOut += 1 }
      // Where files and container agree, nothing else is needed.
      let fields = SeedFields.celestra[entry.kind].filter { differs($0, file, entry) }
      guard !fields.isEmpty else { continue }
      let sides = comparison ?? self.comparison(of: records, current, container)
      comparison = sides
      for field in fields { merge(field, entry, file, sides, &seeds) }
    }
    for entry in additions where entry.kind == .collection { add(entry, &seeds) }
    for collection in current.collections
    where !listsTaken.contains(collection.slug) && !retired.isDisjoint(with: collection.feeds) {
      let list = withoutRetired(.array(collection.feeds.map(JSONValue.string)), collection.slug)
      seeds.set("feeds", of: collection.slug, kind: .collection, to: list)
      let entry = container.entries.first { $0.kind == .collection && $0.slug == collection.slug }
      stamps[collection.key] = entry?.record.modified
    }
    let count = current.categories.count + current.feeds.count + current.collections.count
    let known = container.entries.indices.count { container.entries[$0].isKnown }
    guard known < count else { return }
    let present = Set(container.entries.map(\.key))
    let missing = current.allEntries.map(\.key).filter { !present.contains($0) }
    onlyInFiles = missing.filter { !container.repeated.contains($0) }
    repeatedInContainer = missing.filter(container.repeated.contains)
  }

  /// The commit that both sides are compared with; `nil` if it or its seeds are unknown.
  var commit: String? {
    // A remembered revision is a commit and a tree.
    applied.catalog == nil ? nil : applied.revision?.split(separator: " ").first.map(String.init)
  }

  // MARK: Changes

  /// Whether the seeds that were applied last had an entry for the record.
  private mutating func wasApplied(_ entry: ContainerCatalog.Entry) -> Bool {
    let url = entry.kind == .feed ? entry.values["feedURL"]?.string : nil
    return baseKeys.contains(entry.key) || baseNames.contains(entry.recordName)
      || url.map { baseURLs.contains(WebAddress.normalized($0)) } == true
  }

  /// Marks the values of an entry that refer to entries that the files do not get, and returns whether there is one.
  private mutating func leavesOut(_ entry: inout ContainerCatalog.Entry, _ absent: Set<String>) -> Bool {
    var hasGap = false
    for field in SeedFields.celestra[entry.kind] {
      guard let kind = field.form.target,
        let slug = entry.values[field.key]?.slugs.first(where: { absent.contains(kind.key($0)) })
      else { continue }
      hasGap = true
      guard entry.unusable.insert(field.key).inserted else { continue }
      diagnostics.report(
        CurationRule.unusableValue,
        "'\(field.key)' of the \(entry.kind.rawValue) '\(entry.slug)' (\(entry.recordName)) cannot be pulled: it names the \(kind.rawValue) '\(slug)', which the files do not have",
        help: "Add that \(kind.rawValue) to the files, or remove it from the record.")
    }
    return hasGap
  }

  private func comparison(of records: [Record], _ files: SeedCatalog, _ container: ContainerCatalog)
    -> Comparison
  {
    let existing = ExistingCatalogRecords(records)
    return (applied.agreement(in: existing), SeedRecordNames(of: files, in: existing), container)
  }

  private func differs(_ field: SeedField, _ file: SeedValues, _ entry: ContainerCatalog.Entry) -> Bool {
    guard let name = field.recordField, !entry.unusable.contains(field.key) else { return false }
    if field.form != .slug, file.published(field) != entry.values.published(field) { return true }
    // A record without a slug may be of a schema without the field.
    guard field.form != .slug || entry.record[name] != nil else { return false }
    let value = field.compared(entry.record[name])
    // The slugs are equal, so only a list that cannot be compared differs: its record names one feed twice.
    return field.form.target == nil ? value != file.published(field) : value?.object != nil
  }

  private mutating func merge(
    _ field: SeedField, _ entry: ContainerCatalog.Entry, _ file: SeedValues, _ comparison: Comparison,
    _ seeds: inout SeedWorkspace
  ) {
    let (mine, theirs) = (file.published(field), entry.values.published(field))
    let stored = field.recordField.flatMap { entry.record[$0] }
    let last = comparison.last
    let (name, compared) = (entry.recordName, field.compared(mine, comparison.names))
    let side = last.side(thatChanged: field, of: name, entry: entry.key, file: compared, container: stored)
    let isContainers = [.container, .both, .unknown].contains(side)
    if isContainers, let branch = applied.otherBranch(of: entry.key),
      last.stands(field, of: name, entry: entry.key, file: compared, container: stored)
    {
      otherBranches.insert(branch)
    }
    let obstacle = field.obstacle(to: stored, file: mine, container: theirs)
    if let obstacle, isContainers {
      if preference == .files {
        decline(stored, field, entry)
      } else {
        conflicts.append(
          Conflict(
            kind: entry.kind, slug: entry.slug, field: field.key, file: mine,
            container: comparison.container.shown(stored, field), obstacle: obstacle))
      }
      return
    }
    switch side {
    case .neither: break
    case .files:
      // An earlier pull may have preferred the files by mistake.
      let isDeclined = last.source(field, of: name, field.compared(stored)) == .declined
      if preference == .container, isDeclined, obstacle == nil {
        take(field, theirs, of: entry, &seeds)
      } else {
        pending += 1
      }
    case .container: take(field, theirs, of: entry, &seeds)
    case .uncommitted, .both, .unknown:
      if side == .both, let list = merged(field, entry, mine, theirs, comparison) {
        if list == mine { pending += 1 } else { take(field, list, of: entry, &seeds) }
      } else if preference == .container {
        take(field, theirs, of: entry, &seeds)
      } else if side == .uncommitted || preference == .files {
        if side == .uncommitted {
          pending += 1
          uncommitted.append("\(entry.key) \(field.key)")
        } else {
          decline(stored, field, entry)
        }
      } else {
        if side == .unknown { hasUnknownSide = true }
        conflicts.append(
          Conflict(kind: entry.kind, slug: entry.slug, field: field.key, file: mine, container: theirs))
      }
    }
  }

  private mutating func decline(_ stored: FieldValue?, _ field: SeedField, _ entry: ContainerCatalog.Entry) {
    pending += 1
    declined += 1
    taken.add(stored, field, of: entry.recordName, .declined)
  }

  /// The list with the changes of both sides; `nil` where a decision is needed.
  private func merged(
    _ field: SeedField, _ entry: ContainerCatalog.Entry, _ mine: JSONValue?, _ theirs: JSONValue?,
    _ comparison: Comparison
  ) -> JSONValue? {
    guard let base = comparison.last.mergeBase(field, of: entry.recordName, entry: entry.key) else {
      return nil
    }
    return ThreeWayMerge.merged(
      field.key, base: comparison.container.withSlugs(base, field), file: mine, container: theirs)
  }
}

extension JSONValue {
  /// The slugs in a value that names entries.
  fileprivate var slugs: [String] { string.map { [$0] } ?? strings }
}
