package import Catalog
package import CloudKitModel
package import Diagnostics

/// Updates the seed files with changes that were made in a container, editorial fields only, by a three-way merge of
/// each field.
package struct SeedPull: Sendable {
  /// Which side wins if both the files and the container changed a field.
  package enum Preference: String, Sendable, CaseIterable { case files, container }
  package enum Part: String, Sendable, CaseIterable { case new, changed }

  /// A field that differs between files and container, where neither side takes precedence.
  package struct Conflict: Sendable, Hashable {
    package let kind: SeedKind
    package let slug: String
    package let field: String
    package let file: JSONValue?
    package let container: JSONValue?
    /// Why the files cannot take the container's value; `nil` if they can.
    package var obstacle: String?
  }

  package private(set) var conflicts: [Conflict] = []
  /// Whether it is unknown of one which side changed it.
  private(set) var hasUnknownSide = false
  /// Entries that the container does not have: `feed slug`.
  package private(set) var onlyInFiles: [String] = []
  /// Entries of the files of which the container has several records, so that they are not compared: `feed slug`.
  package private(set) var repeatedInContainer: [String] = []
  /// Entries that were removed from the files since the base, but are still in the container.
  package private(set) var removedFromFiles: [String] = []
  /// Fields that the files changed and the container does not have yet.
  package private(set) var pending = 0
  /// Those of them that the container has from seeds in no commit: `feed slug title`.
  package private(set) var uncommitted: [String] = []
  /// The records that cannot be pulled, or of which a value cannot.
  private(set) var leftOut = 0
  package private(set) var diagnostics: [Diagnostic] = []
  /// The values that were written to the files, or that were declined for theirs, for the container to remember.
  package private(set) var taken = AgreedValues()
  /// The feeds that are retired in the files as changed so far.
  private var retired: Set<String> = []
  /// The collections whose lists are the container's.
  private var listsTaken: Set<String> = []
  /// The last change of the container's records, by kind and slug.
  private var stamps: [String: RecordStamp] = [:]
  private let applied: AppliedSeeds
  private var base: Base
  private let preference: Preference?
  private let part: Part?
  private let gaps: [MissingSchemaElement]

  /// What is needed where files and container differ.
  private struct Comparison {
    let last: LastAgreement
    let names: SeedRecordNames
    let container: ContainerCatalog
  }

  /// The entries that were applied last.
  ///
  /// Lazy: where files and container agree, nothing of it is needed.
  private struct Base {
    private let catalogs: [SeedCatalog]
    private lazy var keys = Set(catalogs.flatMap(\.allEntries).map(\.key))
    private lazy var names = Set(catalogs.flatMap(\.allEntries).map(\.expectedRecordName))
    private lazy var urls = Set(catalogs.flatMap(\.feeds).map { WebAddress.normalized($0.feedURL) })

    init(_ catalogs: [SeedCatalog]) { self.catalogs = catalogs }

    /// Whether the seeds had an entry for the record.
    mutating func has(_ entry: ContainerCatalog.Entry) -> Bool {
      let url = entry.kind == .feed ? entry.values["feedURL"]?.string : nil
      return keys.contains(entry.key) || names.contains(entry.recordName)
        || url.map { urls.contains(WebAddress.normalized($0)) } == true
    }
  }

  /// - Parameter gaps: what the container's schema lacks. The files keep their values of such fields.
  package init(
    since applied: AppliedSeeds, preference: Preference?, part: Part? = nil, gaps: [MissingSchemaElement] = []
  ) {
    self.applied = applied
    self.gaps = gaps.filter { gap in
      SeedKind(recordType: gap.recordType).map { SeedFields.celestra[$0].compactMap(\.recordField) }?
        .contains { $0 == gap.field } == true
    }
    base = Base(applied.shared)
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
      records += try await container.allRecords(Query(kind.recordType), desiredKeys: keys)
    }
    return records
  }

  /// Makes the changes in the workspace, without those that would leave seeds with errors. Writes nothing yet.
  package mutating func pull(_ records: [Record], into seeds: inout SeedWorkspace) throws(CommandFailure) {
    var container = ContainerCatalog(records, seeds: seeds.catalog, gaps: gaps)
    let (start, files) = (self, seeds)
    while true {
      try pull(container, records, into: &seeds)
      if seeds.changes.isEmpty { return }
      let changed = try seeds.changed()
      guard changed.catalog == nil, container.leaveOutErrors(of: changed, after: seeds.changes) else {
        return
      }
      self = start
      seeds = files
    }
  }

  private mutating func pull(
    _ container: ContainerCatalog, _ records: [Record], into seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    diagnostics += container.diagnostics
    leftOut = records.count - container.entries.count + container.refused.count
    let files = seeds.catalog.allEntries.keyed { $0.key }
    var absent: Set<String> = []
    var additions: [ContainerCatalog.Entry] = []
    for entry in container.entries {
      stamps[entry.key] = entry.modified
      if entry.isKnown, files[entry.key] != nil { continue }
      if base.has(entry) || applied.values.wasApplied(entry.recordName) {
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
    let stored = records.keyed(by: \.recordName)
    let current = seeds.catalog
    retired = Set(current.feeds.filter(\.isRetired).map(\.slug))
    for entry in additions where entry.kind != .collection { try add(entry, stored, &seeds) }
    var comparison: Comparison?
    for var entry in container.entries where part != .new && entry.isKnown {
      guard let file = files[entry.key]?.values, let record = stored[entry.recordName] else { continue }
      _ = leavesOut(&entry, absent)
      if !entry.unusable.isEmpty { leftOut += 1 }
      // Where files and container agree, nothing else is needed.
      let fields = SeedFields.celestra[entry.kind].filter { differs($0, file, entry, record) }
      guard !fields.isEmpty else { continue }
      let sides = comparison ?? self.comparison(of: records, current, container)
      comparison = sides
      for field in fields { try merge(field, entry, file, record, sides, &seeds) }
    }
    for entry in additions where entry.kind == .collection { try add(entry, stored, &seeds) }
    for collection in current.collections
    where !listsTaken.contains(collection.slug) && !retired.isDisjoint(with: collection.feeds) {
      let list = withoutRetired(.array(collection.feeds.map(JSONValue.string)), collection.slug)
      try seeds.set("feeds", of: collection.slug, kind: .collection, to: list)
    }
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

  /// The last change of an entry's record.
  func lastChange(_ kind: SeedKind, _ slug: String) -> RecordStamp? { stamps[kind.key(slug)] }

  // MARK: Changes

  /// Marks the values of an entry that refer to entries that the files do not get, and returns whether there is one.
  private mutating func leavesOut(
    _ entry: inout ContainerCatalog.Entry, _ absent: Set<String>
  ) -> Bool {
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
    return Comparison(
      last: applied.agreement(in: existing), names: SeedRecordNames(of: files, in: existing),
      container: container)
  }

  private func differs(
    _ field: SeedField, _ file: SeedValues, _ entry: ContainerCatalog.Entry, _ record: Record
  ) -> Bool {
    guard let name = field.recordField, !entry.unusable.contains(field.key) else { return false }
    if field.form != .slug, file.published(field) != entry.values.published(field) { return true }
    // A record without a slug may be of a schema without the field.
    guard let value = record[name].map({ field.compared($0) }) else { return false }
    // The slugs are equal, so only a list that cannot be compared differs: its record names one feed twice.
    return field.form.target == nil ? value != file.published(field) : value?.object != nil
  }

  private mutating func merge(
    _ field: SeedField, _ entry: ContainerCatalog.Entry, _ file: SeedValues, _ record: Record,
    _ comparison: Comparison, _ seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    let (mine, theirs) = (file.published(field), entry.values.published(field))
    let stored = field.recordField.flatMap { record[$0] }
    let side = comparison.last.side(
      thatChanged: field, of: record.recordName, entry: entry.key,
      file: field.compared(mine, comparison.names), container: stored)
    let obstacle = Self.obstacle(field, mine, theirs, stored)
    if let obstacle, [.container, .both, .unknown].contains(side) {
      if preference == .files {
        pending += 1
        taken.add(stored, field, of: record.recordName, .declined)
      } else {
        conflicts.append(
          Conflict(
            kind: entry.kind, slug: entry.slug, field: field.key, file: mine,
            container: Self.shown(stored, field, comparison.container), obstacle: obstacle))
      }
      return
    }
    switch side {
    case .neither: break
    case .files:
      // An earlier pull may have preferred the files by mistake.
      let isDeclined =
        comparison.last.source(field, of: record.recordName, field.compared(stored)) == .declined
      if preference == .container, isDeclined, obstacle == nil {
        try take(field, theirs, of: entry, record, &seeds)
      } else {
        pending += 1
      }
    case .container: try take(field, theirs, of: entry, record, &seeds)
    case .uncommitted, .both, .unknown:
      if side == .both, let list = merged(field, entry, mine, theirs, comparison) {
        if list == mine { pending += 1 } else { try take(field, list, of: entry, record, &seeds) }
      } else if preference == .container {
        try take(field, theirs, of: entry, record, &seeds)
      } else if side == .uncommitted || preference == .files {
        pending += 1
        if side == .uncommitted {
          uncommitted.append("\(entry.key) \(field.key)")
        } else {
          taken.add(stored, field, of: record.recordName, .declined)
        }
      } else {
        if side == .unknown { hasUnknownSide = true }
        conflicts.append(
          Conflict(kind: entry.kind, slug: entry.slug, field: field.key, file: mine, container: theirs))
      }
    }
  }

  /// Why the files cannot take a value that the container got.
  private static func obstacle(
    _ field: SeedField, _ mine: JSONValue?, _ theirs: JSONValue?, _ stored: FieldValue?
  ) -> String? {
    if field.form == .slug { return "the files decide about slugs" }
    if let usual = field.usual, usual.array == nil, field.value(of: stored, slug: { $1 }) == .absent {
      return "a seed without a value has the default \(SeedWorkspace.Change.shown(usual))"
    }
    guard mine == theirs else { return nil }
    return field.form == .references(.feed)
      ? "a list of a seed has each feed once" : "in a seed it is the value that the files have"
  }

  /// A stored value with slugs in place of references.
  private static func shown(
    _ stored: FieldValue?, _ field: SeedField, _ container: ContainerCatalog
  ) -> JSONValue? {
    guard case .references = field.form else { return stored?.plainJSON }
    let names = stored?.elements?.compactMap { $0.reference?.recordName } ?? []
    return withSlugs(.array(names.map(JSONValue.string)), field, container)
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
      field.key, base: Self.withSlugs(base, field, comparison.container), file: mine, container: theirs)
  }

  private static func withSlugs(
    _ value: JSONValue?, _ field: SeedField, _ container: ContainerCatalog
  ) -> JSONValue? {
    guard case .references(let kind) = field.form else { return value }
    return .array((value?.strings ?? []).map { .string(container.slug(kind, $0) ?? $0) })
  }

  private mutating func take(
    _ field: SeedField, _ value: JSONValue?, of entry: ContainerCatalog.Entry, _ record: Record,
    _ seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    var value = value == field.usual ? nil : value
    let (slug, kind) = (entry.slug, entry.kind)
    switch field.key {
    case "category" where seeds.fileCategory(ofFeed: slug) == value?.string: value = nil
    case "isFeatured" where entry.values["retired"] == true: return
    case "retired":
      if value == true { retired.insert(slug) } else { retired.remove(slug) }
      if entry.values["replacedBy"] != nil { value = value ?? false }
      // While the feed was retired, its 'isFeatured' in the file had no effect. It must not get one now.
      if value != true, entry.values["isFeatured"] == nil, !entry.unusable.contains("isFeatured") {
        try seeds.set("isFeatured", of: slug, kind: kind, to: nil)
      }
    case "replacedBy":
      let isTaken = seeds.changes.contains {
        $0.kind == kind && $0.slug == slug && $0.fields["retired"] != nil
      }
      let isRetired = seeds.catalog.feeds.first { $0.slug == slug }?.isRetired == true
      // Without 'retired', a feed with 'replacedBy' is retired, and one without it is not.
      if !isTaken, isRetired == (value == nil) {
        try seeds.set("retired", of: slug, kind: kind, to: .bool(isRetired))
      }
    case "title" where kind == .feed && Slug.derived(fromTitle: value?.string ?? "") != slug:
      // A feed without a slug in the files has the one of its title. Others name it so.
      try seeds.set("slug", of: slug, kind: kind, to: .string(slug))
    case "feeds":
      value = withoutRetired(value, slug)
      listsTaken.insert(slug)
    case "feedURL" where entry.recordName != entry.derivedName && !entry.hasSlug:
      try seeds.set("recordName", of: slug, kind: kind, to: .string(entry.recordName))
    default: break
    }
    try seeds.set(field.key, of: slug, kind: kind, to: value)
    taken.add(field.recordField.flatMap { record[$0] }, field, of: entry.recordName, .pulled)
  }

  /// A list of a collection without the feeds that are retired in the files after this pull, which no collection may list.
  private mutating func withoutRetired(_ list: JSONValue?, _ collection: String) -> JSONValue? {
    guard let list, !retired.isDisjoint(with: list.strings) else { return list }
    for slug in list.strings where retired.contains(slug) {
      diagnostics.report(
        CurationRule.unusableValue,
        "the feed '\(slug)' is retired, so the pull leaves it out of the list of the collection '\(collection)'",
        help: "The next apply takes it out of the record's list.")
    }
    return .array(list.strings.filter { !retired.contains($0) }.map(JSONValue.string))
  }

  private mutating func add(
    _ entry: ContainerCatalog.Entry, _ stored: [String: Record], _ seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    for field in SeedFields.celestra[entry.kind] {
      guard let name = field.recordField else { continue }
      taken.add(stored[entry.recordName]?[name], field, of: entry.recordName, .pulled)
    }
    var values = entry.values
    if values["retired"] == true { retired.insert(entry.slug) }
    if entry.kind == .collection { values["feeds"] = withoutRetired(values["feeds"], entry.slug) }
    if values["replacedBy"] != nil { values["retired"] = values["retired"] ?? false }
    if entry.recordName != entry.derivedName, !entry.hasSlug {
      values["recordName"] = .string(entry.recordName)
    }
    if entry.kind == .feed {
      try seeds.add(SeedFeed(values), category: values["category"]?.string ?? "")
    } else {
      try seeds.add(values.json(of: entry.kind), slug: entry.slug, kind: entry.kind)
    }
  }
}

extension JSONValue {
  /// The slugs in a value that names entries.
  fileprivate var slugs: [String] { string.map { [$0] } ?? strings }
}
