import Catalog
import CloudKitModel
import Curation
import Diagnostics
import HTTPTransport
import Testing

/// Sites that lead to their feed by way of another page, and addresses as people type them.
@Suite struct FeedFinderPagesTests {
  private let now = Timestamp(milliseconds: 1_795_392_000_000)

  private func find(_ input: String, _ web: MemoryWeb) async throws -> FeedSearchResult {
    try await FeedFinder(transport: web, addresses: .any, now: now).find(input)
  }

  private func page(_ body: String, head: String = "", lang: String = "en") -> String {
    "<html lang=\"\(lang)\"><head><title>Site</title>\(head)</head><body>\(body)</body></html>"
  }

  private func link(_ url: String, _ language: String? = nil) -> String {
    "<link rel=alternate type=application/rss+xml href=\"\(url)\"\(language.map { " hreflang=\($0)" } ?? "")>"
  }

  @Test(
    "a feed that only another page of the site leads to is found",
    arguments: [
      // A refresh, a home page above the article, a blog, a host of its own for the blog.
      (
        "site.example/old", "https://site.example/old",
        "<meta http-equiv=refresh content=\"0; URL='/new/'\">", "",
        "https://site.example/new/"
      ),
      (
        "site.example/2026/a", "https://site.example/2026/a", "", "<p>An article</p>", "https://site.example/"
      ),
      ("site.example", "https://site.example/", "", "<a href=/blog/>Blog</a>", "https://site.example/blog/"),
      (
        "www.site.example", "https://www.site.example/", "", "<a href=//blog.site.example>Blog</a>",
        "https://blog.site.example/"
      ),
    ])
  func otherPage(input: String, first: String, head: String, body: String, second: String) async throws {
    var web = MemoryWeb()
    web.page(first, page(body, head: head))
    web.page(second, page("", head: link("https://feeds.example/real")))
    web.feed("https://feeds.example/real", SampleFeed.rss(title: "Real"))
    let result = try await find(input, web)
    #expect(result.feeds.map(\.feedURL) == ["https://feeds.example/real"], "\(result.attempts.map(\.url))")
    #expect(result.feeds[0].reasons[0].hasSuffix(result.page == second ? " the page" : second))
    // Only the address of an article is not that of the site or of the page that it leads to.
    #expect((result.isElsewhere != nil) == input.hasSuffix("/a"))
  }

  @Test(
    "usual addresses are tried, near the page too",
    arguments: [
      ("site.example", "https://site.example/feed/"), ("site.example", "https://site.example/index.rdf"),
      ("host.example/~ann", "https://host.example/~ann/index.rdf"),
      ("site.example", "https://site.example/feed.json"),
    ])
  func guesses(input: String, url: String) async throws {
    var web = MemoryWeb()
    web.page("https://\(input)", page("<p>Hi</p>"))
    web.page("https://\(input)/", page("<p>Hi</p>"))
    web.feed(url, SampleFeed.rss(title: "T"))
    let result = try await find(input, web)
    #expect(result.feeds.map(\.feedURL) == [url], "\(result.attempts.map(\.url))")
  }

  @Test("the feed in the page's language comes first, also when the page declares another first")
  func language() async throws {
    var web = MemoryWeb()
    web.page(
      "https://site.example/en/", page("", head: link("/de/feed", "de") + link("/en/feed", "en"), lang: "de"))
    web.feed(
      "https://site.example/de/feed", SampleFeed.rss(title: "Neues", items: ["d1", "d2"], language: "de"))
    web.feed(
      "https://site.example/en/feed", SampleFeed.rss(title: "News", items: ["e1", "e2"], language: "en"))
    let result = try await find("https://site.example/en/", web)
    #expect(result.feeds.map(\.feedURL) == ["https://site.example/en/feed", "https://site.example/de/feed"])
  }

  @Test("a space within an address stays, and a missing slash is added")
  func spelling() async throws {
    var web = MemoryWeb()
    web.feed("https://site.example/my%20blog/", SampleFeed.rss(title: "T"))
    for input in [
      "site.example/my blog/", " https:/site.example/my blog/ ", "https:site.example/my blog/",
      "https//site.example/my blog/",
    ] {
      #expect(
        try await find(input, web).feeds.map(\.feedURL) == ["https://site.example/my%20blog/"], "\(input)")
    }
  }

  @Test(
    "why nothing could be looked for is said",
    arguments: [
      ("", "the address is empty"), ("  ", "the address is empty"),
      (
        "@veritasium",
        "'@veritasium' is a handle; type the site too, such as https://www.youtube.com/@veritasium"
      ),
      ("ann@site.example", "'ann@site.example' is a mail address or a handle, not the address of a site"),
      ("gopher://x.example", "'gopher' is not a scheme of web addresses; use http or https"),
      ("kottke", "'kottke' is not the address of a site, such as kottke.org"),
    ])
  func problems(input: String, problem: String) async throws {
    let result = try await find(input, MemoryWeb())
    #expect(result.problem == problem && result.requests == 0)
    let report = FeedSearchReport([result], catalog: SeedCatalog(), explains: false)
    #expect(report.failure?.code == "no-feed-found" && report.failure?.hint == nil)
    #expect(report.json["inputs"]?.array?.first?["problem"]?.string == problem)
  }

  @Test("a host that cannot be reached is named as the problem, and a list of feeds is called one")
  func unreachable() async throws {
    var web = MemoryWeb()
    web.unreachable = ["https://gone.example", "http://gone.example"]
    #expect(try await find("gone.example", web).problem == "no page was read: nothing listens there")
    web.feed("https://list.example/all.opml", "<opml version=\"2.0\"><body/></opml>")
    let list = try await find("https://list.example/all.opml", web)
    #expect(list.feeds.isEmpty && list.isSubscriptionList && list.requests == 1)
    let report = FeedSearchReport([list], catalog: SeedCatalog(), explains: false)
    #expect(report.text(.plain).description.contains("seed import"))
  }
}
