public import Catalog
public import CloudKitModel

/// The published numbers of subscribers of a catalog's feeds.
public enum SubscriberCounts {
  /// The numbers by slug, each from the record that the feed names or that has its URL. Throws the container's
  /// errors.
  public static func read(_ catalog: SeedCatalog, from container: any Container) async throws -> [String:
    Int64]
  {
    var byName: [String: Int64] = [:]
    var byURL: [String: Int64] = [:]
    try await container.forEachPage(
      of: Query(CatalogRecordType.publicFeed), desiredKeys: ["feedURL", "subscriberCount"]
    ) { page in
      for record in page.records {
        guard case .int64(let count)? = record["subscriberCount"] else { continue }
        byName[record.recordName] = count
        if let url = record["feedURL"]?.string { byURL[WebAddress.normalized(url)] = count }
      }
    }
    return catalog.feeds.reduce(into: [:]) { counts, feed in
      counts[feed.slug] = feed.recordName.map { byName[$0] } ?? byURL[WebAddress.normalized(feed.feedURL)]
    }
  }
}
