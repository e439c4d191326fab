import CloudKitModel
import RecordChanges
import SchemaLanguage

/// Builds a plan from values, without access to the container.
struct SeedPlanBuilder {
  private(set) var plan: SeedPlan
  private let desired: DesiredCatalog
  private let existing: ExistingCatalogRecords

  init(target: ContainerIdentity, desired: DesiredCatalog, existing: ExistingCatalogRecords) {
    self.desired = desired
    self.existing = existing
    plan = SeedPlan(target: target, conflicts: desired.conflicts)
    for record in existing.records.values {
      plan.recordCounts[record.recordType, default: 0] += 1
    }
    plan.readers = existing.readers
    plan.notes = existing.storesSlugs ? [] : [.noSlugs]
    for (slug, former) in desired.matching.formerSlugs.sorted(by: { $0.key < $1.key }) {
      guard let name = desired.matching.names[slug] else { continue }
      plan.notes.append(.renamed(slug: slug, from: former, recordName: name))
    }
  }

  /// The records whose readers the plan must know.
  var recordsAtStake: Set<String> {
    plan.recordsAtStake.union(desired.matching.doubtful.map(\.recordName))
  }

  /// Gathers how editors know the records, for the texts of a plan that has something to say.
  mutating func addNames() {
    for record in desired.records { plan.labels[record.recordName] = record.label }
    for (name, record) in existing.records {
      if plan.labels[name] == nil {
        plan.labels[name] =
          record.recordType == CatalogRecordType.feedCategory
          ? record["slug"]?.string ?? record.catalogLabel : record.catalogLabel
      }
      for feed in Set(record["feeds"]?.elements?.compactMap { $0.reference?.recordName } ?? []) {
        plan.memberships[feed, default: 0] += 1
      }
    }
    for record in existing.records.values where record.recordType == CatalogRecordType.publicFeed {
      plan.categories[record.recordName] = record["category"]?.reference.flatMap {
        plan.labels[$0.recordName]
      }
    }
    for record in desired.records where record.recordType == CatalogRecordType.publicFeed {
      plan.categories[record.recordName] = record["category"]?.reference.flatMap {
        plan.labels[$0.recordName]
      }
    }
  }

  /// Marks fields that were changed in the container since the last apply.
  mutating func markChanges(since applied: DesiredCatalog) {
    for record in applied.records {
      guard let current = existing[record.recordName], current.recordType == record.recordType else {
        continue
      }
      // A slug that the container does not have yet was not changed there.
      let changed = record.fields.filter { key, value in
        !value.isSame(as: current[key]) && !(key == "slug" && current[key] == nil)
      }.map(\.key)
      if !changed.isEmpty { plan.changedInContainer[record.recordName] = Set(changed) }
    }
  }

  mutating func setSchema(_ planned: Schema?) { plan.schemaDigest = planned?.digest }

  /// Marks fields whose value in the files was pulled from the container, which has another one again.
  mutating func markReverts(of pulled: PulledValues, in catalog: SeedCatalog) {
    guard !pulled.isEmpty else { return }
    for kind in SeedKind.allCases {
      let entries = Dictionary(
        catalog.entries(kind).map { ($0.slug, $0.values) }, uniquingKeysWith: { first, _ in first })
      for change in plan.changes where change.action == .update && change.recordType == kind.recordType {
        guard let values = change.label.flatMap({ entries[$0] }) else { continue }
        for row in catalog.fields[kind] {
          guard let field = row.recordField, change.fields[field] != nil,
            pulled.contains(values.published(row), row.key, of: change.recordName)
          else { continue }
          plan.revertedInContainer[change.recordName, default: [:]][field] =
            .some(existing[change.recordName]?.modified?.timestamp)
        }
      }
    }
  }

  mutating func setReadersDate(_ date: Timestamp?) { plan.readersAsOf = date }

  mutating func addChanges(at now: Timestamp) {
    for record in desired.records {
      let current = existing[record.recordName]
      if let current, current.recordType != record.recordType {
        plan.conflicts.append(
          PlanConflict(
            recordType: record.recordType, slug: record.label,
            reason: "its record name \(record.recordName) belongs to a \(current.recordType)"))
      } else if let change = record.change(from: current, at: now) {
        if let feed = desired.disputed[record.recordName] {
          plan.conflicts.append(
            PlanConflict(
              recordType: record.recordType, slug: record.label,
              reason:
                "its record \(record.recordName) is in conflict with the feed '\(feed)', so it is not changed",
              help: "Resolve the conflict of '\(feed)' first."))
        } else {
          plan.changes.append(change)
          noteMove(change, current)
        }
      } else {
        plan.unchanged += 1
      }
    }
    plan.notes += desired.matching.suspected.map {
      .probablyMoved(slug: $0.slug, recordName: $0.recordName, label: $0.label)
    }
  }

  private mutating func noteMove(_ change: RecordChange, _ current: Record?) {
    let name = change.recordName
    let evidence = change.label.flatMap { desired.matching.evidence[$0] }
    let usual: MovedFeed.Evidence = existing.slug(of: name) == change.label ? .slug : .recordName
    guard
      var move = MovedFeed(
        change, label: current?.catalogLabel, readers: existing.readers(of: name), evidence: evidence ?? usual
      )
    else { return }
    move.noteRedirect(existing.redirects[name])
    plan.notes.append(.moved(move))
  }

  /// Records without a seed: deletions with `--prune`, otherwise notes. A record waits while one refers to it that the
  /// plan leaves as it is.
  mutating func addRest(prunes: Bool) {
    let rest = existing.records.values
      .filter {
        CatalogRecordType.seeded.contains($0.recordType) && !desired.mentioned.contains($0.recordName)
      }
      .sorted { $0.recordName < $1.recordName }
    if prunes {
      let records = existing.records.values.sorted { $0.recordName < $1.recordName }
      let kept = (plan.changes + rest.map(RecordChange.init(deleting:)))
        .keptDeletions(CatalogReferences.betweenSeeds, among: records)
      plan.conflicts += rest.compactMap { record in
        kept[record.recordName].flatMap { existing[$0] }.map { waiting(record, for: $0) }
      }
      plan.changes += rest.filter { kept[$0.recordName] == nil }.deletions(with: existing.metadata)
    } else {
      plan.notes += rest.map {
        .unmentioned(recordType: $0.recordType, recordName: $0.recordName, label: $0.catalogLabel)
      }
    }
  }

  private func waiting(_ record: Record, for keeper: Record) -> PlanConflict {
    func name(_ record: Record) -> String {
      SanitizedText.line(existing.slug(of: record.recordName) ?? record.catalogLabel)
    }
    return PlanConflict(
      recordType: record.recordType, slug: name(record),
      reason: "it waits for the \(keeper.recordType.singular) '\(name(keeper))', which still refers to it",
      help: "Resolve the conflict of '\(name(keeper))' first.")
  }
}

extension [Record] {
  /// The reverse of the order in which records are made, so that nothing is left pointing at a deleted record:
  /// collections, feeds, categories from the leaves up.
  ///
  /// FeedMetadata is deleted before its feed.
  fileprivate func deletions(with metadata: [String: Record]) -> [RecordChange] {
    let parents = reduce(into: [String: String]()) { parents, record in
      parents[record.recordName] = record["parentCategory"]?.reference?.recordName
    }
    return CatalogRecordType.seeded.reversed().flatMap { recordType in
      filter { $0.recordType == recordType }
        .map { (depth: depth(of: $0.recordName, in: parents), record: $0) }
        .sorted { ($1.depth, $0.record.recordName) < ($0.depth, $1.record.recordName) }
        .flatMap { item in
          let companion = metadata[CatalogRecordNames.metadata(feed: item.record.recordName)]
          return [companion, item.record].compactMap { $0.map(RecordChange.init(deleting:)) }
        }
    }
  }

  /// The number of ancestors. In a cycle, counting ends after as many steps as there are parents.
  private func depth(of name: String, in parents: [String: String]) -> Int {
    var depth = 0
    var name = name
    while let parent = parents[name], depth < parents.count {
      depth += 1
      name = parent
    }
    return depth
  }
}

extension RecordChange {
  fileprivate init(deleting record: Record) {
    self.init(
      .delete, recordType: record.recordType, recordName: record.recordName, label: record.catalogLabel,
      changeTag: record.changeTag)
  }
}
