import CloudKitModel

/// The feeds of the seeds that have no record yet, as far as names, slugs and URLs say, and the records that they may have
/// moved from. Planning reads more about both before it matches them.
struct UnmatchedFeeds {
  /// Feeds that name no record, and of which no free record has the slug or the URL.
  let feeds: [SeedFeed]
  /// Feed records that no seed has, sorted by name.
  let records: [Record]

  init(_ feeds: [SeedFeed], _ existing: ExistingCatalogRecords) {
    let declared = Set(feeds.compactMap(\.recordName))
    let slugs = Set(feeds.map(\.slug))
    // A record without a slug, or with one that no seed has any more.
    func isFree(_ name: String) -> Bool {
      !declared.contains(name) && existing.slug(of: name).map { !slugs.contains($0) } ?? true
    }
    var held = declared
    self.feeds = feeds.filter { feed in
      let hasHolder = existing.slugHolders[feed.slug]?.contains { !declared.contains($0) } ?? false
      guard feed.recordName == nil, !hasHolder else { return false }
      let holders = existing.feedNames(url: feed.feedURL).filter(isFree)
      held.formUnion(holders)
      return holders.isEmpty
    }
    // A record that already has the name of a new URL is a conflict of its own.
    if !self.feeds.isEmpty { held.formUnion(self.feeds.map { CatalogRecordNames.feed(url: $0.feedURL) }) }
    records = existing.records.values.filter {
      $0.recordType == CatalogRecordType.publicFeed && !held.contains($0.recordName) && isFree($0.recordName)
    }.sorted { $0.recordName < $1.recordName }
  }
}
