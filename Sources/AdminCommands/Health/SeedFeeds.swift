internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import SystemPackage

/// The feeds that a seed folder declares, for health checks.
struct SeedFeeds {
  private let feeds: [SeedFeed]

  /// Throws ``CommandFailure`` with the errors of the folder.
  init(in directory: String) throws { feeds = try SeedCatalog.loaded(from: directory).0.feeds }

  var candidates: [SeedOnlyFeed] {
    feeds.map { SeedOnlyFeed(slug: $0.slug, feedURL: $0.feedURL, title: $0.title) }
  }

  /// The feed URLs in the nearest folder `seeds`, by slug. Empty without such a folder or if it has errors; then a
  /// slug is compared with the feeds' titles.
  static func addresses(near directory: String) -> [String: String] {
    var folder = FilePath(directory)
    while true {
      if let catalog = SeedLoader(directory: folder.appending("seeds").string).load().catalog {
        return Dictionary(
          catalog.feeds.map { ($0.slug, $0.feedURL) }, uniquingKeysWith: { first, _ in first })
      }
      if !folder.removeLastComponent() { return [:] }
    }
  }
}
