import Testing

@testable import Curation

/// Documentation/reference/curation.md#finding-feeds
@Suite("Links in a page's text that may lead to a feed") struct FeedLinkFilterTests {
  private func page(_ body: String, url: String = "https://www.site.example/") -> WebPage {
    WebPage(Array(body.utf8), contentType: "text/html; charset=utf-8", url: url)
  }

  private func candidates(_ body: String, limit: Int = 9) -> [String] {
    FeedLinkFilter.candidates(in: page(body), limit: limit)
  }

  @Test(
    "a link counts by its address, or by a short label with a word that feeds have",
    arguments: [
      ("/x", "RSS", true), ("/x", "Subscribe", true), ("/x", "  rss\n 2.0 ", true), ("/x", "About", false),
      ("/feed", "x", true), ("/a.xml", "x", true), ("/a?format=xml", "x", true), ("/RSS", "x", true),
      ("/x?feed=1", "x", true), ("/feedback", "x", false), ("/sitemap.xml", "x", true),
      ("/buzzfeed", "x", false),
      ("/feedback/feed", "x", true), ("/x", "RSS-Feed abonnieren", true), ("/x", "RSS-лента", true),
      ("/x", "brass", false), ("/x", "Feedback", false), ("/x", "The atom is small", true),
      // Files and programs are never feeds.
      ("/feed.png", "RSS", false), ("/FEED.JPG", "RSS", false), ("/wp-json/feed", "RSS", false),
      ("/share?feed", "RSS", false),
      ("/feed/style.css", "RSS", false), ("/png.xml", "x", true),
      ("https://feedly.com/feed", "RSS", false), ("https://www.inoreader.com/feed", "RSS", false),
      ("mailto:rss@site.example", "RSS", false), ("/", "RSS", false),
    ])
  func kinds(_ href: String, _ label: String, _ isCandidate: Bool) {
    #expect(candidates("<a href=\"\(href)\">\(label)</a>").count == (isCandidate ? 1 : 0))
  }

  @Test("a label is short up to 60 characters")
  func labels() {
    func isCandidate(_ length: Int) -> Bool {
      let label = "rss " + String(repeating: "x", count: length - 4)
      return !candidates("<a href=/a>\(label)</a>").isEmpty
    }
    #expect(isCandidate(60))
    #expect(!isCandidate(61))
  }

  @Test("the likeliest comes first: address and label, address, label; other hosts after all of these")
  func order() {
    let body = """
      <a href="https://other.example/feed">RSS</a><a href="/by-word">Our RSS page</a><a href="/by-label">RSS</a>
      <a href="/feed-address">x</a><a href="/feed-both">RSS</a><a href="//site.example/feed-twin">RSS</a>
      <a href="/feed-both">RSS</a>
      """
    let all = [
      "https://www.site.example/feed-both", "https://site.example/feed-twin",
      "https://www.site.example/feed-address", "https://www.site.example/by-label",
      "https://www.site.example/by-word", "https://other.example/feed",
    ]
    #expect(candidates(body) == all)
    #expect(candidates(body, limit: 2) == Array(all.prefix(2)))
    #expect(candidates(body, limit: 0) == [])
  }

  @Test(
    "a link of a reading service holds the wanted address",
    arguments: [
      ("https://feedly.com/i/subscription/feed/https%3A%2F%2Fa.example%2Ff.xml", "https://a.example/f.xml"),
      ("https://www.newsblur.com/?url=http://a.example/f&x=1", "http://a.example/f"),
      ("https://add.my.yahoo.com/rss?url=https%3a%2f%2fa.example%2f%3fa%3d1", "https://a.example/?a=1"),
      ("https://feedly.com/about", "https://feedly.com/about"),
      ("https://feedly.com/%", "https://feedly.com/%"),
      ("https://feedly.com/%4", "https://feedly.com/%4"),
      ("https://a.example/?url=https://b.example/f", "https://a.example/?url=https://b.example/f"),
      (
        "https://notfeedly.example/?url=https://b.example/f",
        "https://notfeedly.example/?url=https://b.example/f"
      ),
      ("not an address", "not an address"),
      ("https://feedly.com/?u=https%3A%2F%2Fa.example%2Fx%2", "https://a.example/x%2"),
      ("https://feedly.com/?u=https://a.example/%41", "https://a.example/A"),
      ("https://feedly.com/?u=https://a.example/%zz%42", "https://a.example/%zzB"),
    ])
  func readers(_ url: String, _ wanted: String) {
    #expect(FeedLinkFilter.wanted(url) == wanted)
  }

  @Test("links to the part with articles are on the page's own host, each once")
  func blogPages() {
    let body = """
      <a href="/blog">x</a><a href="/blog">x</a><a href="/News/?a=1">x</a><a href="/a">Our Blog</a>
      <a href="/b"> Blog </a><a href="/blog/post">x</a><a href="/c">x</a><a href="https://other.example/blog">x</a>
      <a href="//blog.site.example">x</a><a href="//blog.site.example/a">x</a><a href="//blog.other.example">x</a>
      <a href="//WWW.SITE.example/journal#top">x</a>
      """
    #expect(
      BlogPageFilter.candidates(in: page(body)) == [
        "https://www.site.example/blog", "https://www.site.example/News/?a=1", "https://www.site.example/b",
        "https://blog.site.example/", "https://WWW.SITE.example/journal",
      ])
  }
}

@Suite("What a web page declares") struct WebPageTests {
  private func page(_ body: String, url: String = "https://site.example/a/") -> WebPage {
    WebPage(Array(body.utf8), contentType: "text/html; charset=utf-8", url: url)
  }

  @Test("the first of each declaration counts, and empty ones are none")
  func firsts() {
    let found = page(
      """
      <html lang=""><html lang=de lang=en><head><title> </title><title> A
      b </title><title>c</title><meta name=generator content=Hugo><meta name=generator content=x>
      <meta itemprop=channelId content=UC1><meta itemprop=identifier content=UC2>
      <link rel=manifest href=m1><link rel=manifest href=m2></head>
      """)
    #expect(found.title == "A b")
    #expect(found.generator == "hugo")
    #expect(found.channelID == "UC1")
    #expect(found.manifest == "https://site.example/a/m1")
    #expect(page("<html lang=de>").language == "de")
    #expect(page("<html lang=''>").language == nil)
    #expect(page("<p>x").title == nil)
  }

  @Test("a feed that is named twice is one link with both types, and 200 are kept")
  func links() {
    let found = page(
      """
      <link rel=alternate type="application/rss+xml; charset=utf-8" title=One hreflang=de href=f>
      <link rel=alternate type=application/atom+xml title=Two href=f><link rel=feed href=f><link rel=feed href="f#a">
      <link rel=alternate type=APPLICATION/RSS+XML href=f><link rel=feed href=g><link rel=stylesheet href=h>
      """)
    #expect(
      found.links == [
        WebPage.FeedLink(
          url: "https://site.example/a/f", title: "One",
          types: ["application/rss+xml", "application/atom+xml"],
          language: "de"), WebPage.FeedLink(url: "https://site.example/a/g"),
      ])
    func count(_ links: Int) -> Int {
      page((0..<links).map { "<link rel=feed href=/\($0)>" }.joined()).links.count
    }
    #expect(count(200) == 200)
    #expect(count(201) == 200)
  }

  @Test("an address has up to 2048 bytes, and no line ends")
  func addresses() {
    func link(_ length: Int) -> Int {
      page("<link rel=feed href=\"/\(String(repeating: "a", count: length - 1))\">").links.count
    }
    #expect(link(2048) == 1)
    #expect(link(2049) == 0)
    #expect(page("<link rel=feed href=\"/a\n\tb\">").links.map(\.url) == ["https://site.example/ab"])
    #expect(page("<link rel=feed href=\"feed:\">").links == [])
  }

  @Test(
    "a refresh leads where its content says",
    arguments: [
      ("0; url=/b", "https://site.example/b"), ("0;URL='/b'", "https://site.example/b"),
      ("5; Url = \"b\"; x", "https://site.example/a/b"), ("0; url='/b' c", "https://site.example/b"),
      ("5", nil),
      ("0; url=", nil), ("0; url=''", nil), ("url", nil), ("\u{130}; url=/b", "https://site.example/b"),
    ] as [(String, String?)])
  func refreshes(_ content: String, _ url: String?) {
    let quote = content.contains("\"") ? "'" : "\""
    let found = page(
      "<meta http-equiv=Refresh content=\(quote)\(content)\(quote)><meta http-equiv=refresh content='0;url=/z'>"
    )
    #expect(found.refreshURL == (url ?? "https://site.example/z"))
  }

  @Test(
    "the label of a link is its text, after what it says for screens that are read aloud, and the texts of pictures"
  )
  func labels() {
    func labels(_ body: String) -> [String] { page(body).anchors.map(\.label) }
    #expect(labels("<a href=/b>Our <b>feed</b></a>") == ["Our feed"])
    #expect(labels("<a href=/b aria-label=RSS title=x>y</a>") == ["RSS y"])
    #expect(labels("<a href=/b title=RSS></a>") == ["RSS "])
    #expect(labels("<a href=/b><img alt=RSS><img></a>") == [" RSS "])
    #expect(labels("<a>x</a><a href=/b>y</a>") == ["y"])
    #expect(labels("<a href=javascript:x>x</a>") == [])
    // A label grows until it has 200 bytes.
    func length(_ first: Int) -> Int? {
      labels("<a href=/b>\(String(repeating: "x", count: first))<b>y</b></a>").first?.utf8.count
    }
    #expect(length(199) == 200)
    #expect(length(200) == 200)
  }

  @Test("icons are those of phones, of the browser and of previews, with their sizes")
  func icons() {
    let found = page(
      """
      <link rel="apple-touch-icon-precomposed" sizes="76x76" href=a><link rel="shortcut icon" href=b>
      <link rel="icon apple-touch-icon" sizes=any href=c><meta property=og:image content=d>
      <meta name="OG:image:url" content=e><link rel=icon>
      """)
    #expect(
      found.icons.map { "\($0.kind) \($0.url.suffix(1)) \($0.size ?? 0)" } == [
        "touchIcon a 76", "icon b 0", "touchIcon c 0", "preview d 0", "preview e 0",
      ])
  }

  @Test("addresses in structured data are links without a label, each once")
  func structuredData() {
    func anchors(_ script: String) -> [String] {
      page("<a href=/a>x</a><script type=application/ld+json>\(script)</script>").anchors.map {
        "\($0.url) \($0.label)"
      }
    }
    #expect(
      anchors(#"{"url": "/b", "more": ["https://c.example/", {"x": "http://d.example/"}, "e", 7, "/a"]}"#)
        == [
          "https://site.example/a x", "https://site.example/b ", "https://c.example/ ", "http://d.example/ ",
        ])
    #expect(anchors("{\"url\": \"/b\"") == ["https://site.example/a x"])
    func found(_ text: String) -> [String] { StructuredData.addresses(in: Array(text.utf8)) }
    #expect(found("<ld+json\">\"/a\"</script><x ld+json>\"/b\"</script>") == ["/a", "/b"])
    #expect(found("<ld+json\">\"/a\"") == [])
    #expect(found("</script>ld+json</script>\">") == [])
    #expect(found("\">\"/a\"</script>") == [])
    let many = "[" + (0..<201).map { "\"/\($0)\"" }.joined(separator: ",") + "]"
    #expect(found("<ld+json>\(many)</script>").count == 200)
    let far = String(repeating: " ", count: (256 << 10) - "ld+json>\"/a\"</script".utf8.count)
    #expect(found(far + "ld+json>\"/a\"</script>") == ["/a"])
    #expect(found(far + " ld+json>\"/a\"</script>") == [])
  }
}
