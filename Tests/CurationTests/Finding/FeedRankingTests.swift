import Catalog
import CloudKitModel
import FeedParsing
import Testing

@testable import Curation

/// Documentation/reference/curation.md#ranking
@Suite("The rank of found feeds") struct FeedRankingTests {
  /// 2026-11-20 10:00 UTC.
  private static let now: Int64 = 1_795_168_800_000
  private static let day: Int64 = 86_400_000
  private static let page = "https://site.example/blog/"

  /// A feed whose items have the names `NAME-0`, `NAME-1` and so on.
  private static func feed(
    _ name: String, url: String? = nil, count: Int = 2, full: Int = 0, length: Int = 1500, age: Int64? = 0,
    origin: FeedOrigin = .linkElement, format: FeedFormat = .rss20, site: String? = nil,
    language: String? = nil,
    title: String = "Site", linkTitle: String? = nil, isMain: Bool = false
  ) -> FoundFeed {
    let items = (0..<count).map { index in
      let text = String(repeating: "x", count: index < full ? length : 10)
      let date = age.map { age in
        ", \"date_published\": \"\(FeedDate(milliseconds: now - age).iso8601)\""
      }
      return "{\"id\": \"\(name)-\(index)\", \"content_text\": \"\(text)\"\(date ?? "")}"
    }
    let text =
      "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"\(title)\", \"items\": [\(items.joined(separator: ", "))]}"
    var parsed = FeedParser.parse(Array(text.utf8))
    parsed.format = format
    parsed.siteURL = site
    let url = url ?? "https://feeds.example/\(name)"
    var found = FoundFeed(
      feedURL: url, trail: [url], origin: origin, feed: parsed, linkTitle: linkTitle, language: language)
    found.isMain = isMain
    return found
  }

  private func ranked(_ feeds: [FoundFeed], page: String? = page, language: String? = "en") -> [FoundFeed] {
    FeedRanking(
      page: page, pageLanguage: language, now: Timestamp(milliseconds: Self.now),
      catalog: CatalogFeedURLs(SeedCatalog())
    ).ranked(feeds)
  }

  /// Of each pair the second one is better, although it comes later and is worse in what is compared after.
  private static let pairs: [(String, FoundFeed, FoundFeed)] = [
    (
      "articles before comments", feed("a", url: "https://site.example/blog/comments/feed"),
      feed("b", count: 0)
    ),
    ("items before none", feed("a", count: 0), feed("b", origin: .guess)),
    ("declared before linked", feed("a", url: "\(page)feed", origin: .anchor), feed("b")),
    ("linked before guessed", feed("a", origin: .guess), feed("b", origin: .anchor)),
    ("the address itself before declared", feed("a"), feed("b", origin: .input)),
    ("below the page before elsewhere", feed("a", isMain: true), feed("b", url: "\(page)feed")),
    ("the program's main feed before others", feed("a", site: page), feed("b", isMain: true)),
    (
      "of the page before of another", feed("a", site: "https://site.example/", language: "en"),
      feed("b", site: page)
    ),
    (
      "in the page's language before unknown", feed("a", language: nil),
      feed("b", age: 91 * day, language: "en-US")
    ),
    ("of unknown language before another", feed("a", language: "de"), feed("b", age: 91 * day)),
    ("fresh before old", feed("a", count: 5, full: 5, age: 90 * day + 1000), feed("b", age: 90 * day)),
    ("dated before undated", feed("a", age: nil), feed("b")),
    (
      "five whole articles before four", feed("a", count: 5, full: 4, format: .atom10),
      feed("b", count: 5, full: 5)
    ),
    (
      "articles of 1500 bytes before shorter", feed("a", count: 5, full: 5, length: 1499),
      feed("b", count: 5, full: 5)
    ),
    ("ten whole articles before nine", feed("a", count: 10, full: 9), feed("b", count: 10, full: 10)),
    ("Atom before RSS", feed("a"), feed("b", format: .atom10)),
    ("JSON Feed before RSS", feed("a"), feed("b", format: .jsonFeed10)),
    ("RSS 2.0 before RSS 1.0", feed("a", format: .rss10), feed("b")),
    ("Atom 0.3 before RSS 0.91", feed("a", format: .rss091), feed("b", format: .atom03)),
  ]

  @Test("a signal decides whatever comes after it", arguments: pairs.indices)
  func signals(index: Int) {
    let (name, worse, better) = Self.pairs[index]
    #expect(ranked([worse, better]).map(\.feedURL) == [better.feedURL, worse.feedURL], "\(name)")
  }

  @Test("feeds that no signal distinguishes stay in the order of the page")
  func ties() {
    let pairs: [(FoundFeed, FoundFeed)] = [
      (Self.feed("a"), Self.feed("b", origin: .linkHeader)),
      (Self.feed("a"), Self.feed("b", origin: .siteRule)),
      (Self.feed("a", count: 5, full: 5), Self.feed("b", count: 9, full: 9)),
      // Only the first 20 items count.
      (Self.feed("a", count: 20, full: 20), Self.feed("b", count: 30, full: 30)),
      (Self.feed("a", format: .atom10), Self.feed("b", format: .jsonFeed11)),
      (Self.feed("a"), Self.feed("b", format: .atom03)),
      (Self.feed("a", format: .rss10), Self.feed("b", format: .rss092)),
    ]
    for (first, second) in pairs {
      #expect(ranked([first, second]).map(\.feedURL) == [first.feedURL, second.feedURL])
    }
    let german = Self.feed("a", language: "de")
    #expect(ranked([german, Self.feed("b", language: "en")], language: nil).first?.feedURL == german.feedURL)
  }

  @Test(
    "an address lies below the page's in the same folder or as its own name with a format",
    arguments: [
      (page, "\(page)feed", true), (page, "https://site.example/blog", true),
      (page, "https://site.example/blog/a/b", true), (page, "https://site.example/blog.atom", true),
      (page, "https://site.example/blogs", false), (page, "https://site.example/feed", false),
      (page, "https://other.example/blog/feed", false), (page, "https://site.example/", false),
      ("https://site.example/a/b", "https://site.example/a/b.rss", true),
      ("https://site.example/a/b", "https://site.example/a/b/c", true),
      ("https://site.example/a/b", "https://site.example/c/b", false),
      ("https://site.example/a/b", "https://site.example/a", false),
      // Everything lies below a home page.
      ("https://site.example/", "https://site.example/feed", false),
      (nil, "https://site.example/blog/feed", false),
    ] as [(String?, String, Bool)])
  func below(_ page: String?, _ url: String, _ isBelow: Bool) {
    let reasons = ranked([Self.feed("a", url: url)], page: page).first?.reasons ?? []
    #expect(reasons.contains("has an address below the page's") == isBelow)
    let own = ranked([Self.feed("a", url: url, origin: .input)], page: page).first?.reasons ?? []
    #expect(!own.contains("has an address below the page's"))
  }

  @Test("each reason is reported")
  func reasons() {
    func reasons(_ feed: FoundFeed) -> [String] { ranked([feed])[0].reasons }
    #expect(reasons(Self.feed("a")) == ["found in a link element of the page", "newest item of today"])
    #expect(
      reasons(Self.feed("a", age: Self.day, origin: .anchor))
        == ["found through a link in the page's text", "newest item 1 day ago"])
    #expect(
      reasons(Self.feed("a", age: Self.day - 1000, origin: .guess))
        == ["found at an address that many sites use", "newest item of today"])
    #expect(
      reasons(Self.feed("a", age: -Self.day, origin: .input))
        == ["found at the address itself", "newest item of today"])
    #expect(
      reasons(Self.feed("a", age: 2 * Self.day, origin: .siteRule))
        == ["found by the site's rule for feed addresses", "newest item 2 days ago"])
    #expect(reasons(Self.feed("a", count: 0)) == ["found in a link element of the page", "has no items"])
    #expect(
      reasons(Self.feed("a", age: nil, origin: .linkHeader))
        == ["found in the page's Link header", "its items have no dates"])
    #expect(
      reasons(Self.feed("a", url: "\(Self.page)comments", count: 5, full: 5, site: Self.page, isMain: true))
        == [
          "found in a link element of the page", "contains comments, not articles",
          "has an address below the page's", "is the main feed of the program that made the page",
          "gives the page as its site", "newest item of today", "holds whole articles",
        ])
    #expect(
      reasons(Self.feed("a", count: 5, full: 4)) == [
        "found in a link element of the page", "newest item of today",
      ])
  }

  @Test(
    "a feed is about comments by a word of its address, or at an end of a title",
    arguments: [
      ("https://a.example/comments/feed", "Site", nil, true),
      ("https://a.example/feed?type=Kommentare", "Site", nil, true),
      ("https://a.example/comments.xml", "Site", nil, true),
      ("https://a.example/comments-feed", "Site", nil, false),
      ("https://a.example/feed", "Comments for Site", nil, true),
      ("https://a.example/feed", "Site: Comments", nil, true),
      ("https://a.example/feed", "Site comments today", nil, false),
      ("https://a.example/feed", "Comment on a post", nil, true),
      ("https://a.example/feed", "Our comments feed", nil, true),
      ("https://a.example/feed", "Comment", nil, false),
      ("https://a.example/feed", "Site", "Commentaires", true),
      ("https://a.example/feed", "Site", "News", false),
    ] as [(String, String, String?, Bool)])
  func comments(_ url: String, _ title: String, _ linkTitle: String?, _ isAboutComments: Bool) {
    let feed = Self.feed("a", url: url, title: title, linkTitle: linkTitle)
    #expect(FeedRanking.isCommentsFeed(feed) == isAboutComments)
  }

  @Test("the worse of two feeds with the same items is the other's twin and comes last")
  func twins() {
    let feeds = [
      Self.feed("a", url: "https://a.example/rss"),
      Self.feed("a", url: "https://a.example/atom", format: .atom10),
      Self.feed("b"), Self.feed("a", url: "https://a.example/old", format: .rss091),
    ]
    let found = ranked(feeds)
    #expect(
      found.map(\.feedURL) == [
        "https://a.example/atom", "https://feeds.example/b", "https://a.example/rss", "https://a.example/old",
      ])
    #expect(found.map(\.twinOf) == [nil, nil, "https://a.example/atom", "https://a.example/atom"])
    #expect(found[2].reasons.last == "has the same items as https://a.example/atom")
    // A feed in another language, or of comments, is no twin.
    let german = Self.feed("a", url: "https://a.example/de", language: "de")
    #expect(!FeedRanking.areTwins(german, Self.feed("a", language: "en")))
    #expect(FeedRanking.areTwins(german, Self.feed("a", language: "de")))
    #expect(FeedRanking.areTwins(german, Self.feed("a")))
    #expect(FeedRanking.areTwins(Self.feed("a"), german))
    var comments = Self.feed("a")
    comments.isCommentsFeed = true
    #expect(!FeedRanking.areTwins(comments, Self.feed("a")))
  }

  @Test(
    "two feeds have the same items when four of five of the smaller one are in both",
    arguments: [
      (5, 4, 5, false, true), (5, 5, 5, true, true), (5, 3, 5, false, false), (10, 8, 20, true, true),
      (10, 7, 20, false, false), (4, 4, 4, false, true), (0, 0, 5, false, false), (1, 1, 50, false, true),
      (50, 40, 50, true, true), (50, 39, 50, false, false),
      // Only the first 50 items of each count.
      (51, 51, 51, true, true),
    ])
  func common(_ smaller: Int, _ common: Int, _ larger: Int, _ areSame: Bool, _ areTwins: Bool) {
    func feed(_ ids: [String]) -> ParsedFeed {
      let items = ids.map { "{\"id\": \"\($0)\", \"content_text\": \"x\"}" }.joined(separator: ", ")
      return FeedParser.parse(
        Array(
          "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"a\", \"items\": [\(items)]}".utf8)
      )
    }
    let left = feed((0..<smaller).map { "\($0)" })
    let right = feed((0..<larger).map { $0 < common ? "\($0)" : "other-\($0)" })
    for (a, b) in [(left, right), (right, left)] {
      let items = CommonFeedItems(a, b)
      #expect(items.common == min(common, 50))
      #expect(items.smaller == min(smaller, 50))
      #expect(items.areSameFeed == areSame)
      #expect(items.areTwins == areTwins)
    }
  }

  @Test("items are the same by their id or by their link, and without both they are none")
  func names() {
    func feed(_ items: String) -> ParsedFeed {
      FeedParser.parse(Array("<rss version=\"2.0\"><channel><title>a</title>\(items)</channel></rss>".utf8))
    }
    let linked = feed("<item><title>x</title><link>https://a.example/1?utm_source=b</link></item>")
    let declared = feed("<item><guid>g</guid><link>http://www.a.example/1/</link></item>")
    #expect(CommonFeedItems(linked, declared).common == 1)
    #expect(CommonFeedItems(declared, feed("<item><guid>g</guid></item>")).common == 1)
    let nameless = feed("<item><title>x</title></item>")
    #expect(CommonFeedItems(nameless, nameless).smaller == 0)
    #expect(!CommonFeedItems(nameless, nameless).areTwins)
  }
}
