internal import Catalog
internal import CloudKitModel
internal import Diagnostics

/// Reads the feeds to check, each with its FeedMetadata.
struct TargetLoader {
  let container: any Container
  let options: HealthOptions

  /// Returns the feeds in the container's order. Throws ``HealthCheckError`` when a feed or the category does not exist.
  func load() async throws -> [FeedCheckTarget] {
    var wanted = Wanted(options.only)
    var targets: [FeedCheckTarget] = []
    try await container.forEachPage(of: try await query(), desiredKeys: FeedCheckTarget.desiredKeys) { page in
      let feeds = page.records.filter { wanted.take($0) }
      targets += try await withMetadata(feeds)
    }
    let missing = wanted.missing
    guard missing.isEmpty else { throw HealthCheckError.unknownFeeds(missing) }
    return targets
  }

  private func query() async throws -> Query {
    guard let slug = options.category else { return Query(CatalogRecordType.publicFeed) }
    let category = FieldValue.reference(Reference(try await categoryName(slug)))
    return Query(CatalogRecordType.publicFeed, filters: [Filter("category", .equals, category)])
  }

  /// The record that the feeds of a category refer to.
  private func categoryName(_ slug: String) async throws -> String {
    let categories = try await container.allRecords(
      Query(CatalogRecordType.feedCategory), desiredKeys: ["slug"])
    let known = categories.map { $0["slug"]?.string ?? $0.recordName }
    if let index = known.firstIndex(of: slug) { return categories[index].recordName }
    throw HealthCheckError.unknownCategory(slug, nearest: Suggestion.nearest(to: slug, among: known))
  }

  private func withMetadata(_ feeds: [Record]) async throws -> [FeedCheckTarget] {
    guard !feeds.isEmpty else { return [] }
    let names = feeds.map { RecordNames.metadata(feed: $0.recordName) }
    let outcomes = try await container.lookupAll(names, desiredKeys: FeedMetadataFields.names)
    return try zip(zip(feeds, names), outcomes).map { feed, outcome in
      if let error = outcome.error, error.code != .notFound { throw error }
      let (record, name) = feed
      return FeedCheckTarget(
        record, metadata: FeedMetadata(feed: record.recordName, record: outcome.record), metadataName: name)
    }
  }
}

/// The feeds named by the caller, and which of them are still missing.
private struct Wanted {
  private let names: [String]
  private var open: Set<String>

  init(_ names: [String]) {
    self.names = names
    open = Set(names.map(WebAddress.normalized))
  }

  var missing: [String] { names.filter { open.contains(WebAddress.normalized($0)) } }

  mutating func take(_ feed: Record) -> Bool {
    guard !names.isEmpty else { return true }
    let spellings = [feed.recordName, WebAddress.normalized(feed["feedURL"]?.string ?? "")]
    let isWanted = names.contains { spellings.contains(WebAddress.normalized($0)) }
    if isWanted { open.subtract(spellings) }
    return isWanted
  }
}
