import Diagnostics
import FeedFetching
import FeedState
import HTTPTransport
import LocalContainer
import RecordChanges
import Synchronization
import Testing

@testable import CloudKitModel
@testable import FeedHealth

/// Feeds that are gone: what their site has is proposed, if it is theirs.
@Suite struct GoneFeedTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  /// Requests the site's page, and then answers with its feeds.
  private final class Search: Sendable {
    let feeds: Mutex<[SiteFeed]>
    private let log = Mutex<[String]>([])

    init(_ feeds: [SiteFeed]) { self.feeds = Mutex(feeds) }

    var asked: [String] { log.withLock(\.self) }

    func feeds(of site: String, through transport: any HTTPTransport, addresses: IPAddressPolicy) async throws
      -> [SiteFeed]
    {
      do {
        _ = try await transport.send(HTTPRequest(url: site, addressPolicy: addresses))
        log.withLock { $0.append(site) }
      } catch {
        log.withLock { $0.append("\(site): \(error.message)") }
        return []
      }
      return feeds.withLock(\.self)
    }
  }

  private func catalog(title: String = "Harbor Notes", site: String? = nil, url: String? = nil) async throws
    -> TestCatalog
  {
    let catalog = try await TestCatalog(feeds: ["a": url ?? self.url, "b": "http://b.example/feed"])
    var fields: [String: FieldValue] = ["title": .string(title)]
    fields["siteURL"] = site.map(FieldValue.string)
    let operation = RecordOperation(
      .forceUpdate, recordType: "PublicFeed", recordName: "a", fields: fields)
    if let error = try await catalog.container.modify([operation]).first?.error { throw error }
    return catalog
  }

  private func transport(_ status: Int = 404, url: String? = nil) -> StubTransport {
    StubTransport([
      url ?? self.url: { _ in .status(status) }, "http://b.example/feed": { _ in .ok(FeedText.rss()) },
      "http://a.example/": { _ in .ok("<html></html>") },
      "http://site.example/x": { _ in .ok("<html></html>") },
    ])
  }

  private func check(
    _ catalog: TestCatalog, _ search: Search, _ transport: StubTransport,
    _ change: (inout HealthOptions) -> Void = { _ in }
  ) async throws -> FeedResult {
    let run = try await catalog.check(transport, clock) { options in
      options.siteSearch = { try await search.feeds(of: $0, through: $1, addresses: $2) }
      options.force = true
      change(&options)
    }
    return try #require(run.feeds.first { $0.recordName == "a" })
  }

  private let found = SiteFeed(
    url: "http://a.example/new.xml", title: "Notes from the harbor", siteURL: "http://a.example/")

  @Test("the site of a feed that is gone is asked, and its feed is proposed and kept", arguments: [404, 410])
  func proposed(status: Int) async throws {
    let catalog = try await catalog()
    let search = Search([found])
    let transport = transport(status)
    let first = try await check(catalog, search, transport)
    #expect(first.suggestedURL == found.url && search.asked == ["http://a.example/"])
    #expect(first.particulars.contains("the site http://a.example/ has the feed 'Notes from the harbor'"))
    clock.advance(3600)
    // Not asked again, and kept also while the host only fails.
    transport.set(url) { _ in .status(503) }
    #expect(try await check(catalog, search, transport).suggestedURL == found.url)
    #expect(search.asked.count == 1)
    #expect(try await catalog.metadata("a")?["suggestedURL"] == .string(found.url))
    // The feed is back.
    clock.advance(3600)
    transport.set(url) { _ in .ok(FeedText.rss()) }
    #expect(try await check(catalog, search, transport).suggestedURL == nil)
    #expect(try await catalog.metadata("a")?["suggestedURL"] == nil)
  }

  @Test("the site is asked at the first failure, at the fall, and then once a week")
  func seldom() async throws {
    let catalog = try await catalog()
    let search = Search([])
    var days: [Int: Int] = [:]
    for day in 0..<24 {
      let before = search.asked.count
      _ = try await check(catalog, search, transport())
      days[day] = search.asked.count - before
      clock.advance(86_400)
    }
    // Weeks are counted from 1970, whose first day was a Thursday.
    #expect(days.filter { $0.value > 0 }.keys.sorted() == [0, 2, 3, 10, 17])
    #expect(days.values.allSatisfy { $0 <= 1 })
  }

  @Test("a proposal that the site has no more is dropped")
  func dropped() async throws {
    let catalog = try await catalog()
    let search = Search([found])
    _ = try await check(catalog, search, transport())
    search.feeds.withLock { $0 = [] }
    clock.advance(8 * 86_400)
    let later = try await check(catalog, search, transport())
    #expect(search.asked.count == 2 && later.suggestedURL == nil)
  }

  @Test(
    "what may not be the publisher's is named and not proposed",
    arguments: [
      ("Best Casino Tips", "http://a.example/", "its title differs"),
      ("Bridge Notes", "http://a.example/", "its title differs"),
      ("Harbor Notes", "http://other.example/", "it belongs to another site"),
      (nil, "http://a.example/", "its title differs"),
      ("Harbor Notes", "http://a.example/", "it is the address of 'b', another feed of the catalog"),
    ])
  func doubtful(title: String?, site: String, reason: String) async throws {
    let lying = SiteFeed(url: "http://a.example/new.xml", title: title, siteURL: site)
    let known = try await catalog()
    if reason.contains("'b'") { try await known.move("b", to: lying.url) }
    let result = try await check(known, Search([lying]), transport()) { $0.only = ["a"] }
    #expect(result.suggestedURL == nil)
    #expect(result.suggestionNote?.hasSuffix("which is not proposed: \(reason)") == true)
    #expect(result.json["suggestionNote"]?.string?.contains("http://a.example/new.xml") == true)
    // The publisher's own, further down, is.
    let both = try await check(try await catalog(), Search([lying, found]), transport())
    #expect(both.suggestedURL == found.url)
  }

  @Test(
    "the catalog's site comes before the host, and the root of a host of many publishers is nobody's",
    arguments: [
      ("http://a.example/feed", "http://site.example/x", ["http://site.example/x"]),
      ("http://a.example/feed", "http://a.example/feed", ["http://a.example/"]),
      ("http://feeds.feedburner.com/x", nil, []),
      ("http://feeds.feedburner.com/x", "http://a.example/", ["http://a.example/"]),
      ("http://feeds.feedburner.com/x", "https://medium.com", []),
    ] as [(String, String?, [String])])
  func sites(feed: String, site: String?, asked: [String]) async throws {
    let search = Search([])
    _ = try await check(try await catalog(site: site, url: feed), search, transport(url: feed))
    #expect(search.asked == asked)
  }

  @Test("nothing is asked for a feed that is refused, fails otherwise or works")
  func notGone() async throws {
    for status in [200, 403, 429, 500, 503] {
      let search = Search([found])
      let transport = transport(status)
      if status == 200 { transport.set(url) { _ in .ok(FeedText.rss()) } }
      #expect(try await check(try await catalog(), search, transport).suggestedURL == nil)
      #expect(search.asked == [], "\(status)")
    }
  }

  @Test(
    "the search keeps robots.txt, the pause of the host, the user agent and the rule for private addresses")
  func polite() async throws {
    let transport = transport()
    transport.set("http://a.example:80/robots.txt") { _ in .ok("User-agent: *\nDisallow: /\nAllow: /feed\n") }
    let search = Search([found])
    let result = try await check(try await catalog(), search, transport) { $0.policy.obeysRobots = true }
    #expect(
      search.asked == ["http://a.example/: robots.txt forbids the request"] && result.suggestedURL == nil)

    let other = self.transport()
    let before = clock.now
    _ = try await check(try await catalog(), Search([found]), other) { options in
      options.policy.userAgent = "agent/1"
      options.policy.hostDelay = .seconds(7)
      options.only = ["a"]
    }
    let request = try #require(other.requests.first { $0.url == "http://a.example/" })
    #expect(request.headers["User-Agent"] == "agent/1" && request.addressPolicy == .publicOnly)
    #expect(clock.now.milliseconds - before.milliseconds >= 7000)
  }

  @Test("a run whose budget is used up asks no site")
  func budget() async throws {
    let search = Search([found])
    let clock = clock
    let transport = transport()
    transport.set(url) { _ in
      clock.advance(60)
      return .status(404)
    }
    _ = try await check(try await catalog(), search, transport) { options in
      options.budget = .seconds(30)
      options.only = ["a"]
    }
    #expect(search.asked == [])
  }
}
