/// The records a catalog asks for, in the order they must be written.
struct DesiredCatalog {
  private(set) var records: [DesiredRecord] = []
  private(set) var conflicts: [SeedConflict]
  /// Records of seeds, also of seeds in conflict: they are not unmentioned, so they are never pruned.
  private(set) var mentioned: Set<String>
  /// Records that a conflict is about, each with the slug of a feed in that conflict.
  let disputed: [String: String]

  init(_ catalog: SeedCatalog, existing: ExistingRecords) {
    let matching = FeedMatching(catalog.feeds, existing: existing)
    conflicts = matching.conflicts
    disputed = matching.disputed
    mentioned = Set(matching.disputed.keys)
    records = catalog.categoriesParentsFirst.map(DesiredRecord.init)
    for feed in catalog.feeds {
      if let name = matching.names[feed.slug] { records.append(DesiredRecord(feed, recordName: name)) }
    }
    for collection in catalog.collections { add(collection, matching.names) }
    mentioned.formUnion(records.map(\.recordName))
  }

  /// A collection waits for all its feeds: without one of them its order would be wrong.
  private mutating func add(_ collection: FeedCollection, _ names: [String: String]) {
    let missing = collection.feeds.filter { names[$0] == nil }
    mentioned.insert(RecordNames.collection(slug: collection.slug))
    guard missing.isEmpty else {
      let reason = "it waits for feeds in conflict: \(missing.joined(separator: ", "))"
      conflicts.append(
        SeedConflict(
          recordType: CatalogRecordType.feedCollection, slug: collection.slug, reason: reason))
      return
    }
    records.append(DesiredRecord(collection, feedNames: collection.feeds.compactMap { names[$0] }))
  }
}
