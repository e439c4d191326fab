internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState

extension FeedChecker {
  /// Addresses tried for one feed.
  private static var maxTried: Int { 3 }

  /// The address to suggest for a feed that its server no longer serves at the stored one: the first of those that the
  /// response names that returns a feed, or that it permanently redirects to; `nil` if none does.
  func replacement(
    for observation: FetchObservation, of target: FeedCheckTarget, _ throttle: HostThrottle
  ) async throws -> String? {
    for url in observation.candidates.prefix(Self.maxTried) where url != target.feedURL {
      let isSameHost = HostName.of(url) == target.host
      if isSameHost, try await !clock.waitForTurn(at: throttle) { continue }
      defer { if isSameHost { throttle.finished(at: clock.now()) } }
      let found = try await fetch(url)
      if found.outcome == .feed { return found.movedTo ?? url }
    }
    return nil
  }
}

/// The URLs of the catalog's feeds, to find out whether the catalog already has a suggested feed.
final class KnownFeedURLs: Sendable {
  private let container: any Container
  private let fields: FeedRecordMapping
  /// By normalized address; `nil` when only some of the feeds were read.
  private let names: [String: KnownFeed]?

  init(container: any Container, fields: FeedRecordMapping, names: [String: KnownFeed]?) {
    self.container = container
    self.fields = fields
    self.names = names
  }

  /// Another feed with this address.
  func feed(at url: String, except own: String) async throws -> KnownFeed? {
    let key = WebAddress.normalized(url)
    if let names { return names[key].flatMap { $0.recordName == own ? nil : $0 } }
    let query = Query(fields.recordType, filters: [Filter(FieldName(fields.feedURL), equals: .string(url))])
    let keys = [fields.feedURL] + [fields.slug].compactMap(\.self) + fields.fieldsOfRetirement
    return try await container.allRecords(query, desiredKeys: keys).map { KnownFeed($0, fields) }.first {
      $0.recordName != own
    }
  }
}
