internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedParsing
internal import FeedState
internal import HTTPTransport

/// Finds the URL to suggest for a feed that its server no longer serves at the stored URL. Tries the URLs that the
/// server's response names and suggests the first one that returns a feed.
struct ReplacementURLFinder: Sendable {
  /// Addresses tried for one feed.
  private static let maxTried = 3

  let checker: FeedChecker

  /// Returns the result with the URL to suggest, if one of those that the response names returns a feed.
  func completing(_ fetched: FeedFetchResult, about target: FeedCheckTarget, _ throttle: HostThrottle)
    async throws
    -> FeedFetchResult
  {
    var observation = fetched.observation
    for candidate in observation.candidates.prefix(Self.maxTried) where observation.discoveredURL == nil {
      guard candidate != target.feedURL else { continue }
      observation.discoveredURL = try await feed(at: candidate, of: target, throttle)
    }
    return FeedFetchResult(observation)
  }

  /// Returns the URL if it returns a feed, or the URL that it permanently redirects to; otherwise `nil`.
  private func feed(at url: String, of target: FeedCheckTarget, _ throttle: HostThrottle) async throws
    -> String?
  {
    let isSameHost = HostName.of(url) == target.host
    if isSameHost, try await !checker.clock.waitForTurn(at: throttle) { return nil }
    defer { if isSameHost { throttle.finished(at: checker.clock.now()) } }
    let found = try await checker.look(at: url)
    guard found.outcome == .feed else { return nil }
    return found.movedTo ?? url
  }
}

extension FetchObservation {
  /// Whether the response names other URLs that may be the feed's.
  var namesAddresses: Bool { !candidates.isEmpty }
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
