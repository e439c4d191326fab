import Catalog
import Diagnostics
import HTTPTransport
import Testing

@testable import Curation

@Suite struct DuplicateFeedSearchTests {
  private func feed(_ slug: String, _ url: String, title: String? = nil, site: String? = nil) -> SeedFeed {
    SeedFeed(slug: slug, title: title ?? slug, feedURL: url, siteURL: site, category: "c")
  }

  private func pairs(_ a: String, _ b: String) -> [DuplicateFeedPair] {
    DuplicateFeedSearch(SeedCatalog(feeds: [feed("a", a), feed("b", b)]), readers: [:]).likely()
  }

  @Test("addresses alone show likely pairs, and never more")
  func likely() {
    #expect(pairs("http://x.example/feed", "https://www.x.example/feed/").map(\.level) == [.likely])
    #expect(pairs("http://x.example/feed", "https://x.example/feed")[0].keep == "b")
    #expect(pairs("https://x.example/Feed", "https://x.example/feed").isEmpty)
    #expect(pairs("https://x.example/a?x=1&y=2", "https://x.example/a?y=2&x=1").isEmpty)
  }

  @Test("the feed with readers stays, and what an editor compared is not asked about again")
  func keep() {
    var catalog = SeedCatalog(feeds: [
      feed("a", "http://x.example/feed"), feed("b", "https://x.example/feed"),
    ])
    #expect(DuplicateFeedSearch(catalog, readers: ["a": 7]).likely().map(\.keep) == ["a"])
    catalog.feeds[1].values["differentFrom"] = ["a"]
    #expect(DuplicateFeedSearch(catalog, readers: [:]).likely().isEmpty)
    catalog.feeds.append(feed("c", "https://www.x.example/feed"))
    catalog.feeds[2].values["differentFrom"] = ["a"]
    #expect(DuplicateFeedSearch(catalog, readers: [:]).likely().map(\.retire) == ["c"])
    catalog.feeds.removeLast()
    catalog.feeds[1].values["differentFrom"] = []
    catalog.feeds[0].values["retired"] = true
    #expect(DuplicateFeedSearch(catalog, readers: [:]).likely().isEmpty)
  }

  @Test(
    "equal titles on one site are found without a request, on a host of many publishers or of another site not"
  )
  func titles() {
    func found(_ a: SeedFeed, _ b: SeedFeed) -> [DuplicateFeedPair] {
      DuplicateFeedSearch(SeedCatalog(feeds: [a, b]), readers: [:]).likely()
    }
    let pair = found(
      feed("a", "https://x.example/rss", title: "News", site: "https://www.x.example/"),
      feed("b", "https://feeds.example/x", title: "news", site: "https://x.example/en/"))
    #expect(pair.map(\.level) == [.likely])
    #expect(pair.first?.evidence == ["the titles and the hosts are the same"])
    #expect(
      found(feed("a", "https://x.example/1", title: "News"), feed("b", "https://y.example/1", title: "News"))
        .isEmpty)
    #expect(
      found(
        feed("a", "https://medium.com/feed/a", title: "News"),
        feed("b", "https://medium.com/feed/b", title: "News")
      ).isEmpty)
    #expect(
      found(feed("a", "https://x.example/1", title: "A"), feed("b", "https://x.example/2", title: "B"))
        .isEmpty)
  }

  @Test("the report says what was compared and what was not")
  func scope() {
    let catalog = SeedCatalog(feeds: [feed("a", "https://x.example/1"), feed("b", "https://y.example/2")])
    let search = DuplicateFeedSearch(catalog, readers: [:])
    let text = search.report([], unread: nil).text(.plain).description
    #expect(
      text == "No duplicates were found.\nCompared the addresses, titles and sites of 2 feeds. "
        + "Their items were not compared: --fetch reads the feeds that look alike.\n")
    let fetched = search.report([], unread: ["a"])
    #expect(fetched.text(.plain).description.contains("Could not be read: a.\n"))
    #expect(fetched.json["compared"] == 2 && fetched.json["fetched"] == true)
  }

  private func fetched(_ feeds: [SeedFeed], _ web: MemoryWeb) async throws -> [DuplicateFeedPair] {
    try await DuplicateFeedSearch(SeedCatalog(feeds: feeds), readers: [:]).proven(
      transport: web, addresses: .any
    )
    .pairs
  }

  @Test("redirects, own addresses and items prove a pair; chance does not")
  func proven() async throws {
    let items = (0..<10).map { "i\($0)" }
    let pair = [feed("a", "https://a.example/f", title: "T"), feed("b", "https://b.example/f", title: "t")]
    var web = MemoryWeb()
    web.feed("https://a.example/f", SampleFeed.rss(title: "T", items: items))
    web.redirect("https://b.example/f", to: "https://a.example/f")
    #expect(try await fetched(pair, web).map(\.level) == [.proven])
    #expect(try await fetched(pair, web).map(\.keep) == ["a"])
    web.redirect("https://a.example/f", to: "https://c.example/f")
    web.redirect("https://b.example/f", to: "https://c.example/f")
    web.feed("https://c.example/f", SampleFeed.rss(title: "T", items: items))
    #expect(
      try await fetched(pair, web).first?.evidence.first == "permanent redirects lead both to one address")
    // A planet shares three of ten items.
    web.feed("https://a.example/f", SampleFeed.rss(title: "T", items: items))
    web.feed(
      "https://b.example/f", SampleFeed.rss(title: "T", items: ["x", "y", "z", "v", "w"] + items.prefix(3)))
    #expect(try await fetched(pair, web).isEmpty)
    web.feed("https://b.example/f", SampleFeed.rss(title: "T", items: ["x"] + items.prefix(8)))
    #expect(try await fetched(pair, web).map(\.level) == [.proven])
    // Empty feeds, and feeds that cannot be read, prove nothing.
    web.feed("https://a.example/f", SampleFeed.rss(title: "T", items: []))
    web.feed("https://b.example/f", SampleFeed.rss(title: "T", items: []))
    #expect(try await fetched(pair, web).isEmpty)
  }

  @Test("one address, other items: different, with the line that says so")
  func different() async throws {
    var web = MemoryWeb()
    web.feed("https://a.example/feed", SampleFeed.rss(title: "Posts", items: ["a", "b"]))
    web.feed("https://a.example/feed/", SampleFeed.rss(title: "Comments", items: ["c", "d"]))
    let catalog = SeedCatalog(feeds: [
      feed("a", "https://a.example/feed"), feed("b", "https://a.example/feed/"),
    ])
    let pairs = try await DuplicateFeedSearch(catalog, readers: [:]).proven(transport: web, addresses: .any)
      .pairs
    #expect(pairs.map(\.level) == [.different])
    let text = DuplicateFeedSearch(catalog, readers: [:]).report(pairs, unread: nil).text(.plain).description
    #expect(text.contains("\"differentFrom\": [\"a\"]"))
  }

  @Test("a pair that cannot be read stays likely, and the one that was read stays")
  func unread() async throws {
    var web = MemoryWeb()
    web.feed("http://www.a.example/feed", SampleFeed.rss(title: "Posts"))
    let feeds = [feed("a", "https://a.example/feed"), feed("b", "http://www.a.example/feed")]
    let (pairs, unread) = try await DuplicateFeedSearch(SeedCatalog(feeds: feeds), readers: [:])
      .proven(transport: web, addresses: .any)
    #expect(pairs.map(\.level) == [.likely] && pairs[0].keep == "b" && unread == ["a"])
  }

  @Test("among feeds of one title every two are compared, and each is merged into one other")
  func groups() async throws {
    var web = MemoryWeb()
    let feeds = ["a", "b", "c", "d"].map { feed($0, "https://\($0).example/f", title: "Blog") }
    for (feed, items) in zip(feeds, [["x"], ["1", "2", "3", "4", "5"], ["y"], ["1", "2", "3", "4", "5"]]) {
      web.feed(feed.feedURL, SampleFeed.rss(title: "Blog", items: items))
    }
    #expect(try await fetched(feeds, web).map { [$0.keep, $0.retire] } == [["b", "d"]])
    for feed in feeds {
      web.feed(feed.feedURL, SampleFeed.rss(title: "Blog", items: ["1", "2", "3", "4", "5"]))
    }
    let search = DuplicateFeedSearch(SeedCatalog(feeds: feeds), readers: ["c": 9])
    let pairs = try await search.proven(transport: web, addresses: .any).pairs
    #expect(pairs.map { [$0.keep, $0.retire] } == [["c", "a"], ["c", "b"], ["c", "d"]])
  }

  @Test("a merge names the collections in which one feed takes the other's place")
  func merge() {
    var catalog = SeedCatalog(feeds: [feed("a", "http://x.example/f"), feed("b", "https://x.example/f")])
    catalog.feeds[0].tags = ["news"]
    catalog.collections = [
      SeedCollection(slug: "one", title: "One", feeds: ["a"]),
      SeedCollection(slug: "two", title: "Two", feeds: ["a", "b"]),
    ]
    let readers: [String: Int64] = ["a": 3, "b": 9]
    let search = DuplicateFeedSearch(catalog, readers: readers)
    let text = search.report(search.likely(), unread: nil).text(.plain).description
    #expect(text.contains("Add \"replacedBy\": \"b\" to 'a': its 3 readers keep it"))
    #expect(text.contains("Put 'b' in place of 'a' in the collection 'one'."))
    #expect(text.contains("Take 'a' out of the collection 'two', which has 'b' too."))
    #expect(text.contains("Consider its tags for 'b': news."))
  }

  @Test("more readers, then a verified feed, then https, then the slug decide which feed stays")
  func ranks() {
    func keep(_ change: (inout SeedFeed, inout SeedFeed) -> Void, _ readers: [String: Int64] = [:]) -> String?
    {
      var (a, b) = (feed("a", "http://x.example/f"), feed("b", "http://www.x.example/f"))
      change(&a, &b)
      return DuplicateFeedSearch(SeedCatalog(feeds: [a, b]), readers: readers).likely().first?.keep
    }
    #expect(keep { _, _ in } == "a")
    #expect(keep({ _, _ in }, ["a": 1, "b": 2]) == "b")
    #expect(keep({ _, _ in }, ["a": 2, "b": 2]) == "a")
    #expect(keep { _, b in b.values["isVerified"] = true } == "b")
    #expect(keep({ _, b in b.values["isVerified"] = true }, ["a": 1]) == "a")
    #expect(keep { _, b in b.feedURL = "https://x.example/f" } == "b")
    #expect(keep { a, b in (a.values["isVerified"], b.feedURL) = (true, "https://x.example/f") } == "a")
  }
}
