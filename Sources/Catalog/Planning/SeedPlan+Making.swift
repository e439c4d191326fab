import CloudKitModel
import RecordChanges
import SchemaLanguage

extension SeedPlan {
  /// The plan that makes the records of a container match the seeds.
  ///
  /// - Parameters:
  ///   - now: what fields for times get.
  ///   - prunes: delete the records that no seed mentions; otherwise a note names each.
  ///   - planned: the schema that is imported before the plan is applied; `nil` for the container's.
  init(
    _ desired: DesiredCatalog, _ existing: ExistingCatalogRecords, in target: ContainerIdentity,
    at now: Timestamp, prunes: Bool, for planned: Schema?
  ) {
    let results = desired.records.map { existing.result(of: $0, in: desired, at: now) }
    let changes = results.compactMap(\.change)
    let rest = existing.records.keys.filter { !desired.mentioned.contains($0) }.sorted()
      .compactMap { existing[$0] }.filter { CatalogRecordType.seeded.contains($0.recordType) }
    let kept = prunes ? existing.kept(rest, besides: changes) : [:]
    self.init(
      target: target,
      changes: changes
        + (prunes ? rest.filter { kept[$0.recordName] == nil }.deletions(with: existing.metadata) : []),
      unchanged: results.count { $0.change == nil && $0.conflict == nil },
      conflicts: desired.conflicts + results.compactMap(\.conflict)
        + rest.compactMap { record in kept[record.recordName].map { existing.waiting(record, for: $0) } },
      notes: (existing.storesSlugs ? [] : [.noSlugs]) + desired.matching.renames
        + changes.compactMap { existing.move($0, by: desired.matching).map(SeedPlanNote.moved) }
        + desired.matching.suspected.map {
          .probablyMoved(slug: $0.slug, recordName: $0.recordName, label: $0.label)
        }
        + (prunes
          ? []
          : rest.map {
            .unmentioned(
              recordType: $0.recordType, recordName: $0.recordName, label: $0.catalogLabel,
              slug: $0["slug"]?.string)
          }))
    recordCounts = existing.records.values.reduce(into: [:]) { $0[$1.recordType, default: 0] += 1 }
    readers = existing.readers
    schemaDigest = planned?.digest
    guard !isUpToDate || !notes.isEmpty else { return }
    labels = existing.labels(besides: desired.records)
    categories = existing.categories(of: desired.records, labels)
    memberships = existing.memberships(labels)
  }
}

extension ExistingCatalogRecords {
  /// What becomes of a record of the seeds: a change, a conflict, or neither, when the container has it as declared.
  fileprivate func result(
    of record: DesiredRecord, in desired: DesiredCatalog, at now: Timestamp
  ) -> (change: RecordChange?, conflict: PlanConflict?) {
    func conflict(_ reason: String, help: String? = nil) -> PlanConflict {
      PlanConflict(recordType: record.recordType, slug: record.label, reason: reason, help: help)
    }
    let current = self[record.recordName]
    if let current, current.recordType != record.recordType {
      return (nil, conflict("its record name \(record.recordName) belongs to a \(current.recordType)"))
    }
    guard let change = record.change(from: current, at: now) else { return (nil, nil) }
    guard let feed = desired.disputed[record.recordName] else { return (change, nil) }
    return (
      nil,
      conflict(
        "its record \(record.recordName) is in conflict with the feed '\(feed)', so it is not changed",
        help: "Resolve the conflict of '\(feed)' first.")
    )
  }

  /// `nil` for a change that gives a feed no other URL.
  fileprivate func move(_ change: RecordChange, by matching: FeedRecordMatching) -> MovedFeed? {
    let name = change.recordName
    let usual: MovedFeed.Evidence = slug(of: name) == change.label ? .slug : .recordName
    return MovedFeed(
      change, label: self[name]?.catalogLabel, readers: readers(of: name),
      evidence: change.label.flatMap { matching.evidence[$0] } ?? usual)
  }

  /// The records that cannot be deleted yet, each with one that the plan leaves as it is and that refers to it.
  fileprivate func kept(_ rest: [Record], besides changes: [RecordChange]) -> [String: Record] {
    (changes + rest.map(RecordChange.init(deleting:)))
      .keptDeletions(
        CatalogReferences.betweenSeeds, among: records.values.sorted { $0.recordName < $1.recordName }
      )
      .compactMapValues { self[$0] }
  }

  fileprivate func waiting(_ record: Record, for keeper: Record) -> PlanConflict {
    PlanConflict(
      recordType: record.recordType, slug: record.slugOrLabel,
      reason:
        "it waits for the \(keeper.recordType.singular) '\(keeper.slugOrLabel)', which still refers to it",
      help: "Resolve the conflict of '\(keeper.slugOrLabel)' first.")
  }

  // MARK: How editors know the records

  fileprivate func labels(besides desired: [DesiredRecord]) -> [String: String] {
    let own = records.mapValues(\.slugOrLabel)
    let lost = records.values.flatMap { $0["feeds"]?.references ?? [] }.filter { records[$0] == nil }
    return own.merging(lost.map { ($0, "\($0) (no such record)") }) { $1 }
      .merging(desired.map { ($0.recordName, $0.label) }) { $1 }
  }

  fileprivate func categories(of desired: [DesiredRecord], _ labels: [String: String]) -> [String: String] {
    let feed = CatalogRecordType.publicFeed
    let named =
      records.values.filter { $0.recordType == feed }.map { ($0.recordName, $0["category"]) }
      + desired.filter { $0.recordType == feed }.map { ($0.recordName, $0["category"]) }
    return named.reduce(into: [:]) { $0[$1.0] = ($1.1?.reference?.recordName).flatMap { labels[$0] } }
  }

  /// What names a record, by its record name (``SeedPlan/memberships``).
  fileprivate func memberships(_ labels: [String: String]) -> [String: [String]] {
    records.values.sorted { $0.recordName < $1.recordName }.reduce(into: [:]) { names, record in
      for name in Set(["feeds", "category", "parentCategory"].flatMap { record[$0]?.references ?? [] }) {
        names[name, default: []].append(labels[record.recordName] ?? record.slugOrLabel)
      }
    }
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
          return [companion, item.record].compactMap(\.self).map {
            RecordChange(.delete, of: $0, label: $0.slugOrLabel)
          }
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
