import CloudKitModel
import Diagnostics

/// The feeds of the seeds that have no record yet, as far as names, slugs and URLs say, and the records that they may have
/// moved from. Planning reads more about both before it matches them.
struct UnmatchedFeeds {
  /// Feeds that name no record, and of which no free record has the slug or the URL.
  private(set) var feeds: [SeedFeed] = []
  /// Feed records that no seed has, sorted by name.
  private(set) lazy var records = existing.records.values.filter {
    $0.recordType == CatalogRecordType.publicFeed && !held.contains($0.recordName) && isFree($0.recordName)
  }.sorted { $0.recordName < $1.recordName }

  private let existing: ExistingCatalogRecords
  private let declared: Set<String>
  private let slugs: Set<String>
  private var held: Set<String>

  init(_ feeds: [SeedFeed], _ existing: ExistingCatalogRecords) {
    self.existing = existing
    declared = Set(feeds.compactMap(\.recordName))
    slugs = Set(feeds.map(\.slug))
    held = declared
    for feed in feeds where feed.recordName == nil {
      if existing.slugHolders[feed.slug]?.contains(where: { !declared.contains($0) }) ?? false { continue }
      let holders = existing.feedNames(url: feed.feedURL).filter(isFree)
      held.formUnion(holders)
      if holders.isEmpty { self.feeds.append(feed) }
    }
    // A record that already has the name of a new URL is a conflict of its own.
    held.formUnion(self.feeds.map { CatalogRecordNames.feed(url: $0.feedURL) })
  }

  /// Whether a record has no slug, or one that no seed has any more.
  private func isFree(_ name: String) -> Bool {
    !declared.contains(name) && existing.slug(of: name).map { !slugs.contains($0) } ?? true
  }
}
