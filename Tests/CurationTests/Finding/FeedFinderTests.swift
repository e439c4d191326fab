import Catalog
import CloudKitModel
import Diagnostics
import HTTPTransport
import Testing

@testable import Curation

@Suite struct FeedFinderTests {
  private let rssType = "type=\"application/rss+xml\""
  private let now = Timestamp(milliseconds: 1_795_305_600_000)

  private func find(
    _ input: String, _ web: MemoryWeb, catalog: SeedCatalog = SeedCatalog()
  ) async throws -> FeedSearchResult {
    try await FeedFinder(transport: web, addresses: .any, catalog: catalog, now: now).find(input)
  }

  private func site(_ head: String, body: String = "") -> MemoryWeb {
    var web = MemoryWeb()
    web.page(
      "https://site.example/", "<html><head><title>Site</title>\(head)</head><body>\(body)</body></html>")
    web.feed("https://site.example/feed.xml", SampleFeed.rss(title: "Site"))
    return web
  }

  @Test("an address as a person types it leads to the declared feed, in at most five requests")
  func declared() async throws {
    let web = site(
      "<link rel=\"alternate\" \(rssType) href=\"/feed.xml\"><link rel=\"apple-touch-icon\" href=\"/a.png\">"
        + "<link rel=icon sizes=96x96 href=/b.png><meta property=og:image content=/c.png>")
    for input in [
      "site.example", "https://site.example", " SITE.example/ ", "feed://site.example/",
      "<https://site.example>",
    ] {
      var web = web
      if input.hasPrefix("feed:") {
        web.documents["http://site.example/"] = web.documents["https://site.example/"]
        web.documents["http://site.example/feed.xml"] = web.documents["https://site.example/feed.xml"]
      }
      let result = try await find(input, web)
      #expect(result.feeds.first?.feedURL.hasSuffix("://site.example/feed.xml") == true, "\(input)")
      #expect(result.feeds.first?.origin == .linkElement && result.requests <= 5, "\(input)")
    }
    var moved = web
    moved.redirect("https://site.example/", to: "https://www.site.example/")
    moved.redirect("https://www.site.example/feed.xml", to: "/real.xml", status: 302)
    moved.documents["https://www.site.example/"] = web.documents["https://site.example/"]
    moved.feed("https://www.site.example/real.xml", SampleFeed.rss(title: "Site"))
    let result = try await find("site.example", moved)
    #expect(result.feeds.map(\.feedURL) == ["https://www.site.example/feed.xml"] && result.requests == 5)
    #expect(try await find("ann@site.example", web).feeds.isEmpty)
  }

  @Test("without a scheme, https comes first, and then http")
  func schemes() async throws {
    var web = MemoryWeb()
    web.unreachable = ["https://site.example"]
    web.feed("http://site.example/", SampleFeed.rss(title: "Site"))
    let result = try await find("site.example", web)
    #expect(result.feeds.map(\.origin) == [.input] && result.requests == 1)
    #expect(result.feeds.first?.feedURL == "http://site.example/")
  }

  @Test("a feed's own address is the answer, and moves to where it was permanently moved to")
  func input() async throws {
    var web = MemoryWeb()
    web.redirect("https://a.example/old", to: "https://a.example/new")
    web.redirect("https://a.example/new", to: "https://cdn.example/today", status: 302)
    web.feed("https://cdn.example/today", SampleFeed.rss(title: "A"), type: "text/html")
    let result = try await find("https://a.example/old", web)
    #expect(result.feeds.map(\.feedURL) == ["https://a.example/new"])
  }

  @Test("comments come after posts, twins are folded, and languages are shown")
  func ranking() async throws {
    var web = site(
      """
      <link rel=alternate \(rssType) title="Site » Comments Feed" href="/comments/feed/">
      <link rel=alternate \(rssType) href="/feed.xml">
      <link rel=alternate type=application/atom+xml href="/atom.xml">
      <link rel=alternate \(rssType) hreflang=de href="/de.xml">
      """)
    web.feed(
      "https://site.example/comments/feed/", SampleFeed.rss(title: "Comments for Site", items: ["x", "y"]))
    web.feed("https://site.example/atom.xml", SampleFeed.atom(title: "Site"))
    web.feed("https://site.example/de.xml", SampleFeed.rss(title: "Seite", items: ["d", "e", "f"]))
    let result = try await find("site.example", web)
    #expect(
      result.feeds.map(\.feedURL)
        == ["atom.xml", "de.xml", "comments/feed/", "feed.xml"].map { "https://site.example/\($0)" })
    #expect(result.feeds.map(\.language) == [nil, "de", nil, nil])
    #expect(result.feeds[2].isCommentsFeed)
    #expect(result.feeds[3].twinOf == "https://site.example/atom.xml")
    #expect(
      result.choices.map(\.feedURL) == ["https://site.example/atom.xml", "https://site.example/de.xml"])
    let again = try await find("site.example", web)
    #expect(again.feeds == result.feeds && again.attempts == result.attempts)
  }

  @Test("a page with only a comments feed has its posts looked for")
  func onlyComments() async throws {
    var web = site(
      "<link rel=alternate \(rssType) href=\"/comments/feed/\">", body: "<a href=/feed.xml>RSS</a>")
    web.feed("https://site.example/comments/feed/", SampleFeed.rss(title: "Comments for Site", items: ["x"]))
    let result = try await find("site.example", web)
    #expect(result.feeds.map(\.origin) == [.anchor, .linkElement])
  }

  @Test("links are resolved against base wherever it stands, and against the address after redirects")
  func bases() async throws {
    var web = MemoryWeb()
    web.redirect("https://site.example/", to: "https://www.site.example/blog/")
    web.page(
      "https://www.site.example/blog/",
      "<link rel=feed href=feed.xml><base href=\"sub/\"><base href=\"https://wrong.example/\">")
    web.feed("https://www.site.example/blog/sub/feed.xml", SampleFeed.rss(title: "Site"))
    #expect(
      try await find("site.example", web).feeds.map(\.feedURL) == [
        "https://www.site.example/blog/sub/feed.xml"
      ])
    web.page("https://www.site.example/blog/", "<link rel=feed href=feed.xml>")
    web.feed("https://www.site.example/blog/feed.xml", SampleFeed.rss(title: "Site"))
    #expect(
      try await find("site.example", web).feeds.map(\.feedURL) == ["https://www.site.example/blog/feed.xml"])
  }

  @Test(
    "which links are feeds",
    arguments: [
      (
        "<link rel=\"Alternate\tnofollow\" type=\" Application/RSS+XML; charset=utf-8 \" href=/feed.xml>",
        true
      ),
      ("<link rel=\"feed stylesheet\" href=/feed.xml>", true),
      ("<link rel=\"home feed\" href=//site.example/feed.xml>", true),
      ("<link rel=alternate type=application/json href=/feed.xml>", true),
      ("<link rel=alternate type=application/rss+xml title=\"a > b\" href=\"/feed.xml#top\">", true),
      ("<link rel=alternate type=application/rss+xml href=\"feed:https://site.example/feed.xml\">", true),
      ("<noscript><link rel=feed href=/feed.xml></noscript>", true),
      ("<link rel=\"alternate stylesheet\" type=text/xml href=/feed.xml>", false),
      ("<link rel=alternates type=application/rss+xml href=/feed.xml>", false),
      ("<link rel=alternate href=/feed.xml>", false),
      ("<link rel=alternate type=application/json href=/wp-json/feed.xml>", false),
      ("<!-- <link rel=feed href=/feed.xml> -->", false),
      ("<script>'<link rel=feed href=/feed.xml>'</script>", false),
      ("<link rel=feed href=\"javascript:alert(1)\">", false),
      ("<link rel=feed href=\"\">", false),
    ])
  func relations(_ head: String, _ isFeed: Bool) async throws {
    let result = try await find("site.example", site(head))
    #expect((result.feeds.first?.origin == .linkElement) == isFeed, "\(head)")
  }

  @Test("links in the text, and those of reading services, are read; buttons are not")
  func anchors() async throws {
    let body = """
      <a href="https://feedly.com/i/subscription/feed/https%3A%2F%2Fsite.example%2Ffeed.xml">Feedly</a>
      <a href="/buzzfeed">Buzzfeed</a><a href="/feedback">Feedback</a><a href="/wp-json/feed">x</a>
      <a href="/about">About</a>
      """
    let result = try await find("site.example", site("", body: body))
    #expect(result.feeds.map(\.origin) == [.anchor])
    #expect(result.requests == 2)
  }

  @Test("guesses are parsed, and one that leads home is dropped")
  func guesses() async throws {
    var web = site("")
    web.page("https://site.example/feed/", "<p>not found</p>")
    web.redirect("https://site.example/index.xml", to: "/")
    web.redirect("https://site.example/rss", to: "/feed/")
    let result = try await find("site.example", web)
    #expect(result.feeds.map(\.feedURL) == ["https://site.example/feed.xml"])
    #expect(result.feeds.map(\.origin) == [.guess])
    let outcomes = result.attempts.map(\.outcome)
    #expect(outcomes.count { $0 == "leads to a page that was read already" } == 2)
    #expect(result.requests <= 20)
  }

  @Test("a declared feed that is missing falls through to guesses, and is in the list of attempts")
  func brokenDeclaration() async throws {
    let result = try await find("site.example", site("<link rel=feed href=/gone.xml>"))
    #expect(result.feeds.map(\.origin) == [.guess])
    #expect(
      result.attempts.contains(
        FeedSearchAttempt(url: "https://site.example/gone.xml", status: 404, outcome: "HTTP status 404")))
  }

  @Test("ten thousand declared feeds, a page that names itself, and a wall cost at most twenty requests")
  func hostile() async throws {
    let many = (0..<10_000).map { "<link rel=feed href=/\($0)>" }.joined()
    let web = site(many + "<link rel=feed href=/>")
    let result = try await find("site.example", web)
    #expect(result.requests <= 20 && web.log.urls.count <= 20)
    #expect(
      result.attempts.contains {
        $0.outcome.contains("the page names 200 or more feeds; 6 of them were read")
      })
    #expect(try await find("site.example", site("<link rel=feed href=/>")).feeds.map(\.origin) == [.guess])
    var wall = MemoryWeb()
    wall.documents["https://wall.example/"] = .init(status: 403)
    let refused = try await find("wall.example", wall)
    #expect(refused.feeds.isEmpty && refused.requests <= 9)
    #expect(refused.attempts.first?.status == 403)
  }

  @Test("feeds of known sites need no page")
  func knownSites() async throws {
    var web = MemoryWeb()
    web.feed("https://www.youtube.com/feeds/videos.xml?channel_id=UCx", SampleFeed.atom(title: "Videos"))
    let result = try await find("https://www.youtube.com/channel/UCx", web)
    #expect(result.feeds.map(\.origin) == [.siteRule])
    #expect(web.log.urls == ["https://www.youtube.com/feeds/videos.xml?channel_id=UCx"])
    web.page("https://www.youtube.com/@ann", "<meta itemprop=identifier content=UCx>")
    for input in ["https://www.youtube.com/@ann", "www.youtube.com/@ann"] {
      #expect(try await find(input, web).feeds.map(\.origin) == [.siteRule], "\(input)")
    }
  }

  @Test("a feed of the catalog is recognized by its address, its redirects, or a likely address")
  func known() async throws {
    func level(_ url: String) async throws -> MatchingCatalogFeed.Level? {
      var web = site("<link rel=feed href=/feed.xml>")
      web.redirect("https://site.example/feed.xml", to: "https://site.example/real.xml")
      web.feed("https://site.example/real.xml", SampleFeed.rss(title: "Site"))
      let feed = SeedFeed(slug: "site", title: "Site", feedURL: url, category: "c")
      return try await find("site.example", web, catalog: SeedCatalog(feeds: [feed])).feeds.first?.known?
        .level
    }
    #expect(try await level("https://site.example/real.xml") == .same)
    #expect(try await level("https://site.example/feed.xml") == .proven)
    #expect(try await level("http://www.site.example/real.xml/") == .likely)
    #expect(try await level("https://site.example/other.xml") == nil)
  }

  @Test("an international host name is written in ASCII, in the feed's address too")
  func internationalHosts() async throws {
    var web = MemoryWeb()
    web.page(
      "https://xn--mnchen-3ya.example/", "<link rel=feed href=\"https://bücher.münchen.example/feed\">")
    web.feed("https://xn--bcher-kva.xn--mnchen-3ya.example/feed", SampleFeed.rss(title: "München"))
    let result = try await find("MÜNCHEN.example", web)
    #expect(result.page == "https://xn--mnchen-3ya.example/")
    #expect(result.feeds.map(\.feedURL) == ["https://xn--bcher-kva.xn--mnchen-3ya.example/feed"])
    #expect(TitleCleaner.encoded("https://münchen.example/ö") == "https://xn--mnchen-3ya.example/%C3%B6")
    #expect(WebAddress.problem(with: TitleCleaner.encoded("http://日本.example")) == nil)
  }

  @Test("the icon of a web app manifest is relative to the manifest, for any purpose, and the largest")
  func manifest() async throws {
    var web = site(
      "<link rel=feed href=/feed.xml><link rel=manifest href=/app/site.webmanifest>"
        + "<meta property=og:image content=/preview.png>")
    for name in ["app/big", "app/mask", "preview"] {
      web.documents["https://site.example/\(name).png"] = .init(
        type: "image/png", body: SamplePicture.png(192, 192))
    }
    func find(_ icons: String) async throws -> FeedSearchResult {
      web.feed("https://site.example/app/site.webmanifest", "{\"icons\": [\(icons)]}")
      return try await self.find("site.example", web)
    }
    let result = try await find(
      #"{"src": "mask.png", "sizes": "512x512", "purpose": "maskable"}, {"src": "small.png", "sizes": "48x48"}, "#
        + #"{"src": "big.png", "sizes": "96x96 192X192", "purpose": "any maskable"}, {"src": "any.svg", "sizes": "any"}, 7"#
    )
    #expect(result.imageURL == "https://site.example/app/big.png")
    #expect(result.requests == 4)
    for broken in [
      "", #"{"src": "small.png", "sizes": "48x48"}"#, "[[[", #"{"src": "javascript:1", "sizes": "512x512"}"#,
    ] {
      #expect(try await find(broken).imageURL == "https://site.example/preview.png")
    }
  }

  @Test("the picture is one that answers, is large enough and has a usable shape")
  func pictures() async throws {
    var web = site(
      "<link rel=feed href=/feed.xml><link rel=apple-touch-icon sizes=180x180 href=/touch.png>"
        + "<meta property=og:image content=/wide.png><link rel=icon sizes=\"any 32x32 96X96 junk\" href=/icon.png>"
    )
    web.documents["https://site.example/touch.png"] = .init(
      type: "image/png", body: SamplePicture.png(60, 60))
    web.documents["https://site.example/wide.png"] = .init(
      type: "image/png", body: SamplePicture.png(250, 120))
    web.documents["https://site.example/icon.png"] = .init(type: "image/png", body: SamplePicture.png(96, 96))
    #expect(try await find("site.example", web).imageURL == "https://site.example/icon.png")
    web.documents["https://site.example/touch.png"] = .init(
      type: "image/png", body: SamplePicture.png(180, 180))
    #expect(try await find("site.example", web).imageURL == "https://site.example/touch.png")
    web.documents = web.documents.mapValues {
      $0.type == "image/png" ? .init(body: Array("<p>gone".utf8)) : $0
    }
    #expect(try await find("site.example", web).imageURL == nil)
  }
}
