import CloudKitModel
import RecordChanges

/// A plan while it is being made, from values alone.
struct SeedPlanDraft {
  private(set) var plan: SeedPlan
  private let desired: DesiredCatalog
  private let existing: ExistingRecords

  init(target: ContainerIdentity, desired: DesiredCatalog, existing: ExistingRecords) {
    self.desired = desired
    self.existing = existing
    plan = SeedPlan(target: target, conflicts: desired.conflicts)
    plan.recordCounts = existing.records.values.reduce(into: [:]) { $0[$1.recordType, default: 0] += 1 }
    for record in desired.records { plan.labels[record.recordName] = record.label }
    for (name, record) in existing.records where plan.labels[name] == nil {
      plan.labels[name] = record.catalogLabel
    }
  }

  mutating func addChanges(at now: Timestamp) {
    for record in desired.records {
      let current = existing[record.recordName]
      if let current, current.recordType != record.recordType {
        plan.conflicts.append(
          SeedConflict(
            recordType: record.recordType, slug: record.label,
            reason: "its record name \(record.recordName) belongs to a \(current.recordType)"))
      } else if let change = record.change(from: current, at: now) {
        if let feed = desired.disputed[record.recordName] {
          plan.conflicts.append(
            SeedConflict(
              recordType: record.recordType, slug: record.label,
              reason:
                "its record \(record.recordName) is in conflict with the feed '\(feed)', so it is not changed",
              help: "Resolve the conflict of '\(feed)' first."))
        } else {
          plan.changes.append(change)
        }
      } else {
        plan.unchanged += 1
      }
    }
  }

  /// What the container holds beyond the seeds: deleted when asked for, else only noted.
  mutating func addRest(prunes: Bool) {
    let rest = existing.records.values
      .filter {
        CatalogRecordType.seeded.contains($0.recordType) && !desired.mentioned.contains($0.recordName)
      }
      .sorted { $0.recordName < $1.recordName }
    plan.notes += rest.probableMoves(among: plan.changes)
    if prunes {
      plan.changes += rest.deletions
    } else {
      plan.notes += rest.map {
        .unmentioned(recordType: $0.recordType, recordName: $0.recordName, label: $0.catalogLabel)
      }
    }
  }
}

extension [Record] {
  /// The reverse of the order in which records are made, so that nothing is left pointing at a deleted record:
  /// collections, feeds, categories from the leaves up.
  fileprivate var deletions: [RecordChange] {
    let parents = reduce(into: [String: String]()) { parents, record in
      parents[record.recordName] = record["parentCategory"]?.reference?.recordName
    }
    return CatalogRecordType.seeded.reversed().flatMap { recordType in
      filter { $0.recordType == recordType }
        .map { (depth: depth(of: $0.recordName, in: parents), record: $0) }
        .sorted { ($1.depth, $0.record.recordName) < ($0.depth, $1.record.recordName) }
        .map { RecordChange(deleting: $0.record) }
    }
  }

  /// Steps up to a record without a parent. A circle ends after as many steps as there are parents.
  private func depth(of name: String, in parents: [String: String]) -> Int {
    var depth = 0
    var name = name
    while let parent = parents[name], depth < parents.count {
      depth += 1
      name = parent
    }
    return depth
  }

  /// New feeds that have the title or the site of a feed that no seed mentions.
  fileprivate func probableMoves(among changes: [RecordChange]) -> [SeedNote] {
    let created = changes.filter { $0.action == .create && $0.recordType == CatalogRecordType.publicFeed }
    let feeds = filter { $0.recordType == CatalogRecordType.publicFeed }
    guard !created.isEmpty, !feeds.isEmpty else { return [] }
    return ["siteURL", "title"].reduce(into: [SeedNote]()) { notes, field in
      let slugs = Dictionary(
        created.compactMap { change in
          change.fields[field]?.to?.string.map {
            (WebAddress.normalized($0), change.label ?? change.recordName)
          }
        }, uniquingKeysWith: { first, _ in first })
      for feed in feeds {
        guard let value = feed[field]?.string, let slug = slugs[WebAddress.normalized(value)] else {
          continue
        }
        let note = SeedNote.probablyMoved(
          slug: slug, recordName: feed.recordName, label: feed.catalogLabel)
        if !notes.contains(note) { notes.append(note) }
      }
    }
  }
}

extension RecordChange {
  fileprivate init(deleting record: Record) {
    self.init(
      .delete, recordType: record.recordType, recordName: record.recordName, label: record.catalogLabel,
      changeTag: record.changeTag)
  }
}
