internal import Catalog
package import CloudKitModel
internal import FeedParsing
package import HTTPTransport
internal import Platform

/// Reads the feeds of an OPML file, so that an import knows which work, where they moved, their languages and sites.
package struct OPMLCheck: Sendable {
  private let fetcher: PageFetcher
  private let now: Timestamp

  private static let maxBytes = 4 << 20
  private static let time = Duration.seconds(15)

  /// Nothing new for a year is worth a look before the feed goes into the catalog.
  static func isStale(_ newest: FeedDate, at now: Timestamp) -> Bool {
    now.since(Timestamp(milliseconds: newest.milliseconds)) > .seconds(365 * 86_400)
  }

  package init(transport: any HTTPTransport, addresses: IPAddressPolicy, now: Timestamp) {
    fetcher = PageFetcher(transport: transport, addresses: addresses)
    self.now = now
  }

  struct Answer: Sendable {
    /// Why it is not a feed; `nil` for a feed.
    var problem: String?
    /// It was not read, because its host is in a private network.
    var isForbidden = false
    var title: String?
    var language: String?
    var siteURL: String?
    /// Of its newest item: `2026-03-02`.
    var newestDay: String?
    var isStale = false
    /// Where the address redirects for good, one address after the other.
    var moves: [String] = []
  }

  /// The answers in the order of the addresses. Throws only `CancellationError`.
  func answers(of urls: [String]) async throws -> [Answer] {
    var answers: [Answer] = []
    try await OrderedTaskPool().run(urls, { try await answer(of: $0) }, take: { answers.append($0) })
    return answers
  }

  private func answer(of url: String) async throws -> Answer {
    let response: HTTPResponse
    do {
      response = try await fetcher.get(
        url, headers: ["Accept": "application/rss+xml, application/atom+xml, */*;q=0.1"], kept: Self.maxBytes,
        time: Self.time, redirects: 5)
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      return Answer(problem: error.message, isForbidden: error.kind == .addressForbidden)
    }
    guard response.isSuccess else { return Answer(problem: "HTTP \(response.status)") }
    guard let feed = response.feed else {
      return Answer(problem: DocumentKind(response.body)?.words ?? "no feed in any known format")
    }
    var answer = Answer(title: feed.title, language: feed.language, siteURL: feed.siteURL)
    let newest = feed.items.compactMap { $0.published ?? $0.updated }.max()
    answer.newestDay = newest.map { String($0.iso8601.prefix(10)) }
    answer.isStale = newest.map { Self.isStale($0, at: now) } ?? false
    answer.moves = response.permanentTargets.compactMap(TitleCleaner.address)
    return answer
  }
}
