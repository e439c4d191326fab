internal import RecordChanges

/// The records that a catalog declares, in the order in which they must be written.
struct DesiredCatalog {
  private(set) var records: [DesiredRecord] = []
  private(set) var conflicts: [PlanConflict]
  /// The records of all seeds, including those in conflict. They are never pruned.
  private(set) var mentioned: Set<String>
  /// Records that are part of a conflict, with the slug of a feed in the conflict.
  let disputed: [String: String]

  /// Feeds that keep their record although their URL changed.
  let moves: [MovedFeed]
  /// New feeds that may be feeds of the container under new URLs.
  let suspected: [MovedFeed]

  /// - Parameter acceptsLoss: create new records for feeds that probably exist in the container under another URL.
  init(_ catalog: SeedCatalog, existing: ExistingCatalogRecords, acceptsLoss: Bool = false) {
    let slugs = SlugRecordMatching(catalog, existing: existing)
    let matching = FeedRecordMatching(catalog.feeds, existing: existing, acceptsLoss: acceptsLoss)
    conflicts = slugs.conflicts + matching.conflicts
    disputed = matching.disputed.merging(slugs.disputed) { first, _ in first }
    moves = matching.moves
    suspected = matching.suspected
    mentioned = Set(disputed.keys)
    records = catalog.categoriesParentsFirst.filter { !slugs.conflicted.contains($0.slug) }.map {
      DesiredRecord($0, names: slugs.categories)
    }
    let retires = catalog.retiresFeeds || existing.retiresFeeds
    for feed in catalog.feeds {
      guard let name = matching.names[feed.slug] else { continue }
      let replacement = feed.replacedBy.flatMap { matching.names[$0] }
      records.append(
        DesiredRecord(
          feed, recordName: name, names: slugs.categories, replacement: retires ? .some(replacement) : nil))
    }
    for collection in catalog.collections {
      add(collection, slugs.collections[collection.slug], matching.names)
    }
    mentioned.formUnion(records.map(\.recordName))
  }

  /// A collection is only written once all its feeds have records; without one of them its order would be wrong.
  private mutating func add(_ collection: SeedCollection, _ name: String?, _ names: [String: String]) {
    guard let name else { return }
    let missing = collection.feeds.filter { names[$0] == nil }
    mentioned.insert(name)
    guard missing.isEmpty else {
      let reason = "it waits for feeds in conflict: \(missing.joined(separator: ", "))"
      conflicts.append(
        PlanConflict(
          recordType: CatalogRecordType.feedCollection, slug: collection.slug, reason: reason))
      return
    }
    records.append(
      DesiredRecord(collection, recordName: name, feedNames: collection.feeds.compactMap { names[$0] }))
  }
}

extension SeedCatalog {
  /// Whether any feed is retired: only then a container needs the fields for it.
  var retiresFeeds: Bool { feeds.contains { $0.isRetired || $0.replacedBy != nil } }
}
