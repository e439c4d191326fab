internal import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedParsing
package import HTTPTransport
internal import Platform

/// An entry of an OPML file with its place in the catalog, and what its page and its feed said.
struct OPMLListing {
  private(set) var entry: OPMLFile.Entry
  /// What the folders around it are in the catalog.
  let placement: OPMLFolders.Placement
  /// The feed's address in the file, or else the one that was found; `nil` for none.
  private(set) var listed: ComparableAddress?
  /// The address to write: the one to which the entry's own redirects for good, as `seed add` does. The import of an export
  /// gives the same entries.
  private(set) var url: ComparableAddress?
  /// What was found at its page; `nil` when nothing was looked for.
  private(set) var search: FeedSearchResult?
  /// What the feed said; `nil` when it was not read.
  private(set) var answer: OPMLCheck.Answer?

  init(_ entry: OPMLFile.Entry, in folders: inout OPMLFolders) {
    self.entry = entry
    placement = folders.placement(of: entry)
    listed = entry.feedURL.map(ComparableAddress.init)
    url = listed
  }

  /// Other addresses of the feed.
  var trail: [ComparableAddress] {
    ((answer?.moves ?? []) + (search?.choices.first?.trail ?? [])).map(ComparableAddress.init)
  }

  mutating func take(_ answer: OPMLCheck.Answer) {
    self.answer = answer
    if answer.problem == nil { entry.complete(with: answer) }
    if !entry.isExported, let target = answer.moves.last { url = ComparableAddress(target) }
  }

  /// Takes the best feed that was found at the page.
  mutating func take(_ search: FeedSearchResult) {
    self.search = search
    let best = search.choices.first
    entry.feedURL = best.flatMap { TitleCleaner.address($0.feedURL) }
    listed = entry.feedURL.map(ComparableAddress.init)
    url = listed
    if entry.seed.values["language"] == nil, let code = best?.language.flatMap(LanguageCodes.code) {
      entry.seed.language = code
    }
  }
}

extension OPMLFile.Entry {
  /// Takes what the feed says about itself where the file says nothing.
  mutating func complete(with answer: OPMLCheck.Answer) {
    if name == nil || name == feedURL {
      let title = answer.title.map(TitleCleaner.plain) ?? ""
      name = title.isEmpty ? nil : title
    }
    if seed.values["language"] == nil, let code = answer.language.flatMap(LanguageCodes.code) {
      seed.language = code
    }
    // Some files name the feed itself as its site.
    let site = seed.siteURL.map(WebAddress.normalized)
    if site == nil || site == feedURL.map(WebAddress.normalized) {
      seed.siteURL = answer.siteURL.flatMap(TitleCleaner.address) ?? seed.siteURL
    }
  }
}

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
