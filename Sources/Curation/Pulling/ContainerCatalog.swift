internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

/// The entries of a container's catalog, each with the slug that it has or gets in the seeds.
struct ContainerCatalog {
  struct Entry {
    let kind: SeedKind
    let slug: String
    let record: Record
    /// What the files say of the entry; `nil` if they do not have it.
    let file: SeedValues?
    var values = SeedValues()
    var isAsDeclared = false
    /// Keys whose value in the container no seed may have. The files keep theirs.
    var unusable: Set<String> = []

    var key: String { kind.key(slug) }
    var recordName: String { record.recordName }
    /// Whether the seeds already have the entry.
    var isKnown: Bool { file != nil }
    /// Whether only a `recordName` in the seed finds the record.
    var needsRecordName: Bool {
      record.ownSlug != slug && recordName != kind.derivedRecordName(slug: slug, values)
    }

    /// The feeds that the entry of the files names.
    var listed: [String]? {
      kind == .collection ? file?["feeds"]?.strings : file?["replacedBy"]?.string.map { [$0] }
    }
  }

  private(set) var entries: [Entry] = []
  private(set) var diagnostics: [Diagnostic] = []
  /// The keys of entries that cannot be seeds beside the others.
  private(set) var refused: Set<String> = []
  /// By record name, which is unique across kinds.
  private var slugs: [String: (kind: SeedKind, slug: String)] = [:]
  /// The values of the entries of the files, by kind and slug.
  private let files: [SeedKind: [String: SeedValues]]
  private let seedFeeds: [SeedFeed]
  /// The slugs of the files' feeds, by the names that the files give their records.
  private lazy var expectedSlugs = seedFeeds.slugs(by: \.expectedRecordName)
  /// Slugs for references to feeds that no entry is made of: twins, and records that the container lost. Once all are named.
  private lazy var referredSlugs = expectedSlugs.merging(twinSlugs) { $1 }
  private var twinSlugs: [String: String] = [:]
  /// What the container's schema lacks: a field of it says nothing.
  private let gaps: [MissingSchemaElement]

  init(_ records: [Record], seeds: SeedCatalog, gaps: [MissingSchemaElement]) {
    self.gaps = gaps
    seedFeeds = seeds.feeds
    files = Dictionary(
      uniqueKeysWithValues: SeedKind.allCases.map { kind in
        (kind, Dictionary(seeds.entries(kind).map { ($0.slug, $0.values) }) { first, _ in first })
      })
    // By index, because a sort moves its elements often, and records are large.
    let order = records.indices.sorted { records[$0].recordName < records[$1].recordName }
    let byType = Dictionary(grouping: order) { records[$0].recordType }.mapValues { $0.map { records[$0] } }
    nameCategories(byType[CatalogRecordType.feedCategory] ?? [], seeds)
    nameFeeds(byType[CatalogRecordType.publicFeed] ?? [], seeds)
    let collections = seeds.collections.slugs(by: \.expectedRecordName)
    var pool = SlugPool(Set(seeds.collections.map(\.slug)))
    for record in byType[CatalogRecordType.feedCollection] ?? [] {
      name(record, .collection, collections[record.recordName], &pool)
    }
    for kind in SeedKind.allCases {
      for record in byType[kind.recordType] ?? [] where !twins.contains(record.recordName) {
        if let entry = entry(record, kind) { entries.append(entry) }
      }
    }
  }

  func slug(_ kind: SeedKind, _ recordName: String) -> String? {
    slugs[recordName].flatMap { $0.kind == kind ? $0.slug : nil }
  }

  // MARK: Names

  private mutating func nameCategories(_ records: [Record], _ seeds: SeedCatalog) {
    let holders = seeds.categories.holders(among: records)
    var declared: [String: String] = [:]
    for category in seeds.categories {
      let held = holders[category.slug] ?? []
      if held.count > 1 { reportTwins(held, "the slug '\(category.slug)'", category.slug, .category) }
      let names = held.isEmpty ? [category.expectedRecordName] : held.map(\.recordName)
      for name in names { declared[name] = category.slug }
    }
    var pool = SlugPool(Set(seeds.categories.map(\.slug)))
    for record in records {
      let name = record.recordName
      self.name(record, .category, declared[name], own: record.ownSlug ?? name, &pool)
    }
  }

  /// Gives a record the slug by which the seeds know it. Else it gets its own or a new one, if it can become a seed.
  private mutating func name(
    _ record: Record, _ kind: SeedKind, _ known: String?, own: String? = nil, _ pool: inout SlugPool
  ) {
    guard known != nil || isUsable(record, kind) else { return }
    var slug = known ?? own.flatMap { Slug.isValid($0) && pool.take($0) ? $0 : nil }
    if slug == nil {
      let title = record.shownTitle ?? ""
      let url = record["feedURL"]?.string ?? record.recordName
      let (made, isReadable) = pool.suggested(forTitle: title, url: url)
      slug = made
      if kind == .feed, !isReadable {
        report(
          .madeUpSlug, "'\(title)' has no slug in the container; it gets the slug '\(made)'",
          help: CurationRule.madeUpSlug.rule.help)
      }
    }
    if let slug { slugs[record.recordName] = (kind, slug) }
  }

  private mutating func nameFeeds(_ records: [Record], _ seeds: SeedCatalog) {
    let declared = seeds.feeds.slugs(by: \.recordName)
    let taken = files[.feed] ?? [:]
    var given: Set<String> = []
    func claim(_ record: Record, _ slug: String?) {
      guard let slug, self.slug(.feed, record.recordName) == nil, given.insert(slug).inserted else { return }
      slugs[record.recordName] = (.feed, slug)
    }
    for record in records { claim(record, declared[record.recordName]) }
    // By index: most feeds are named at once, and copies of their records would take longer than that.
    let bySlug = Dictionary(grouping: records.indices.filter { slug(.feed, records[$0].recordName) == nil }) {
      records[$0].ownSlug ?? ""
    }
    for (slug, held) in bySlug where held.count == 1 && taken[slug] != nil && !given.contains(slug) {
      claim(records[held[0]], slug)
    }
    guard given.count < records.count else { return }
    let byURL = seeds.feeds.filter { $0.recordName == nil }.slugs { WebAddress.normalized($0.feedURL) }
    for (slug, indices) in bySlug.sorted(by: { $0.key < $1.key }) where taken[slug] != nil {
      let held = indices.map { records[$0] }
      if held.contains(where: { self.slug(.feed, $0.recordName) == nil }) {
        reportTwins(held, "the slug '\(slug)'", slug)
      }
    }
    let holders = Dictionary(grouping: records) { WebAddress.normalized($0["feedURL"]?.string ?? "") }
    var shared: [(url: String, records: [Record])] = []
    for (url, held) in holders {
      let free = held.filter { slug(.feed, $0.recordName) == nil && !twins.contains($0.recordName) }
      let wanted = byURL[url].flatMap { given.contains($0) ? nil : $0 }
      if let only = free.first, free.count == 1, wanted != nil || held.count == 1 {
        claim(only, wanted)
      } else if !free.isEmpty {
        shared.append((url, free))
      }
    }
    for (url, records) in shared.sorted(by: { $0.url < $1.url }) {
      reportTwins(records, "the feed URL \(url)", byURL[url], all: holders[url])
    }
    // The record of a feed whose URL was changed in the container.
    let derived = seeds.feeds.filter { $0.recordName == nil && !given.contains($0.slug) }
      .slugs(by: \.expectedRecordName)
    for record in records where !twins.contains(record.recordName) {
      claim(record, derived[record.recordName])
    }
    // The same after a move: the record then has the name of another URL than the seed's.
    let rest = seeds.feeds.filter { $0.recordName == nil && !given.contains($0.slug) }
    let free = records.filter { slug(.feed, $0.recordName) == nil && !twins.contains($0.recordName) }
    let moved = ExistingCatalogRecords().moves(of: rest, among: free).certain
    let found = Dictionary(moved.map { ($0.recordName, $0.slug) }, uniquingKeysWith: min)
    for record in free { claim(record, found[record.recordName]) }
    var pool = SlugPool(Set(taken.keys))
    for record in free where slug(.feed, record.recordName) == nil {
      name(record, .feed, nil, own: record.ownSlug, &pool)
    }
  }

  /// Several records have the same URL or slug, so the entry's record is unknown.
  private var twins: Set<String> = []
  /// The entries of the seeds that one of them may belong to: `feed slug`.
  private(set) var repeated: Set<String> = []

  private mutating func reportTwins(
    _ records: [Record], _ shared: String, _ slug: String?, _ kind: SeedKind = .feed, all: [Record]? = nil
  ) {
    twins.formUnion(records.map(\.recordName))
    if let slug {
      repeated.insert(kind.key(slug))
      for record in records where kind == .feed {
        let own = twinSlugs.updateValue(slug, forKey: record.recordName) ?? expectedSlugs[record.recordName]
        if let own { repeated.insert(kind.key(own)) }
      }
    }
    let names = (all ?? records).map(\.recordName)
    report(
      .twinRecords, "\(names.count) records have \(shared): \(names.joined(separator: ", "))",
      help: "Run 'celestra-admin container verify', which says which one to keep.")
  }

  private mutating func report(_ rule: CurationRule, _ message: String, help: String? = nil) {
    diagnostics.append(Diagnostic(rule, message, help: help))
  }

  /// Whether a record that no seed has can become a seed: it has a valid value for each key that every seed needs.
  private mutating func isUsable(_ record: Record, _ kind: SeedKind) -> Bool {
    let missing = SeedFields.celestra[kind].filter { field in
      guard let name = field.recordField, field.isRequired, field.key != "slug" else { return false }
      if case .references = field.form { return false }
      if case .value = field.value(of: record[name], slug: { slug($0, $1) }) { return false }
      return true
    }.map(\.key)
    guard !missing.isEmpty else { return true }
    report(
      .unusableRecord,
      "the \(kind.rawValue) record \(record.recordName) has no usable \(missing.joined(separator: ", "))",
      help: "Correct the record, then pull again.")
    return false
  }

  // MARK: Entries

  private mutating func entry(_ record: Record, _ kind: SeedKind) -> Entry? {
    guard let slug = slug(kind, record.recordName) else { return nil }
    var entry = Entry(kind: kind, slug: slug, record: record, file: files[kind]?[slug])
    if let file = entry.file, gaps.isEmpty, declares(record, file, kind) {
      (entry.values, entry.isAsDeclared) = (file, true)
      return entry
    }
    entry.values["slug"] = .string(slug)
    let lost = kind == .collection ? lostFeeds(of: record, entry.listed ?? []) : [:]
    var referred = referredSlugs.merging(lost) { first, _ in first }
    // A twin stands for a feed only where that gives what the files have: it may be the record of another feed.
    let targets = (record["feeds"] ?? record["replacedBy"])?.references ?? []
    let isUnclear = targets.contains(where: twins.contains)
    if isUnclear, entry.isKnown,
      targets.map({ self.slug(.feed, $0) ?? referred[$0] ?? $0 }).unique != entry.listed
    {
      for name in twins { referred[name] = nil }
    }
    for field in SeedFields.celestra[kind] where field.key != "slug" {
      guard let name = field.recordField else { continue }
      if gaps.contains(where: { $0.recordType == kind.recordType && $0.field == name }) {
        entry.unusable.insert(field.key)
        continue
      }
      let value = field.value(of: record[name]) { kind, name in
        self.slug(kind, name) ?? (kind == .feed ? referred[name] : nil)
      }
      switch value {
      case .absent where field.isRequired && field.form != .references(.feed):
        keep(field, of: &entry, "the container has none")
      case .absent: break
      case .value(let value): if value != field.usual { entry.values[field.key] = value }
      case .invalid(let problem):
        let isTwin = isUnclear && field.form.target == .feed
        keep(field, of: &entry, isTwin ? "it names one of several records with a URL or slug" : problem)
      }
      if case .references = field.form { checkTargets(record[name], referred, &entry, field.key) }
    }
    return entry
  }

  /// Whether a record has just the values of its entry in the files, as most have.
  private func declares(_ record: Record, _ file: SeedValues, _ kind: SeedKind) -> Bool {
    SeedFields.celestra[kind].allSatisfy { field in
      field.recordField.map { field.isStored(record[$0], as: file.published(field)) { slug($0, $1) } } ?? true
    }
  }

  private mutating func keep(_ field: SeedField, of entry: inout Entry, _ problem: String) {
    entry.unusable.insert(field.key)
    report(
      .unusableValue,
      "'\(field.key)' of the \(entry.kind.rawValue) '\(entry.slug)' (\(entry.recordName)) cannot be pulled: \(problem)",
      help: entry.isKnown ? "The files keep their value. Correct the record." : "Correct the record.")
  }

  /// Leaves out what makes errors of the seeds: a value, or the record if its entry needs the value.
  ///
  /// - Parameter changes: what was changed in the seeds.
  /// - Returns: whether something was left out.
  mutating func leaveOutErrors(of seeds: LoadedSeeds, after changes: [SeedWorkspace.Change]) -> Bool {
    let places = SeedPlaces(seeds.files)
    let changed = changes.keyed { $0.kind.key($0.slug) }
    let indices = entries.indices.keyed { entries[$0].key }
    var isLess = false
    for finding in seeds.diagnostics where finding.severity == .error {
      for range in [finding.range] + finding.notes.map(\.range) {
        guard let (kind, slug, key) = range.flatMap({ places.entry(at: $0) }),
          let change = changed[kind.key(slug)], let index = indices[kind.key(slug)],
          change.action == .create || change.fields[key] != nil
        else { continue }
        var entry = entries[index]
        // A pull writes the record name of an entry together with its address.
        let field = SeedFields.celestra[kind].first { $0.key == (key == "recordName" ? "feedURL" : key) }
        if change.action == .create, field?.isRequired ?? true {
          guard refused.insert(entry.key).inserted else { break }
          report(
            .unusableRecord,
            "the \(kind.rawValue) record \(entry.recordName) is not pulled: \(finding.message)",
            help: "Correct the record, then pull again.")
        } else if let field, !entry.unusable.contains(field.key) {
          keep(field, of: &entry, finding.message)
          entry.values[field.key] = nil
          entry.isAsDeclared = false
          entries[index] = entry
        } else {
          break
        }
        isLess = true
        break
      }
    }
    return isLess
  }

  /// The feeds of a file's collection for names in its record that no record has, such as of a feed whose address changed and
  /// whose record was deleted; empty where it is not clear which they are.
  private mutating func lostFeeds(of record: Record, _ listed: [String]) -> [String: String] {
    let referred = referredSlugs
    let names = record["feeds"]?.references ?? []
    let present = Set(names.compactMap { slug(.feed, $0) ?? referred[$0] })
      .union(slugs.values.filter { $0.kind == .feed }.map { $0.slug })
    let missing = listed.filter { !present.contains($0) }
    let lost = names.filter { slug(.feed, $0) == nil && referred[$0] == nil && !twins.contains($0) }
    guard missing.count == lost.count else { return [:] }
    return Dictionary(zip(lost, missing)) { first, _ in first }
  }

  /// The files keep a list that names records of which it is not known which feeds they are.
  private mutating func checkTargets(
    _ value: FieldValue?, _ referred: [String: String], _ entry: inout Entry, _ key: String
  ) {
    entry.values[key] = entry.values[key] ?? []
    let others = (value?.references ?? []).filter { slug(.feed, $0) == nil }
    let unknown = others.filter { referred[$0] == nil }
    if !unknown.isEmpty { entry.unusable.insert(key) }
    let unclear = unknown.filter(twins.contains)
    if !unclear.isEmpty {
      report(
        .twinRecords,
        "the collection '\(entry.slug)' lists \(unclear.joined(separator: ", ")), which share their URL or slug with "
          + "other records, so its list is not pulled", help: "Decide which record to keep, then pull again.")
    }
    let dangling = others.filter { !twins.contains($0) }
    if !dangling.isEmpty {
      let keeps = entry.isKnown && unknown.contains { !twins.contains($0) }
      report(
        .danglingFeed,
        "the collection '\(entry.slug)' lists records that are not feeds: \(dangling.joined(separator: ", "))",
        help: "\(keeps ? "The files keep their list. " : "")Run 'celestra-admin container verify'.")
    }
  }
}
