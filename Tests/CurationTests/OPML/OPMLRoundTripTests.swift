import Catalog
import CloudKitModel
import Curation
import Diagnostics
import HTTPTransport
import Testing

/// Lists of feeds as readers write them, imported, exported and imported again.
@Suite struct OPMLRoundTripTests {
  private func run(_ text: String, into seeds: ScratchSeeds, check: OPMLCheck? = nil) async throws
    -> (run: OPMLImport, report: PlainReport)
  {
    let file = OPMLFile(name: "f.opml", Array(text.utf8))
    var workspace = try seeds.workspace()
    var run = OPMLImport(file, catalog: workspace.catalog, mapping: .auto, fallback: "arts")
    try await run.add(file.entries, to: &workspace, finder: nil, check: check)
    let report = run.report(file, workspace, isDryRun: false)
    try workspace.write()
    return (run, report)
  }

  /// By the program that writes it.
  private static let readers = [
    "NetNewsWire": """
    <opml version="1.1"><head><title>Subscriptions-iCloud</title></head><body>
    <outline text="Blogs" title="Blogs">
    <outline text="阮一峰" title="阮一峰" description="" type="rss" version="RSS" htmlUrl="https://r.example/" \
    xmlUrl="https://r.example/atom.xml"/>
    </outline></body></opml>
    """,
    "Feedly": """
    <opml version="1.0"><head><title>feedly cloud</title></head><body>
    <outline text="Blogs" title="Blogs"><outline type="rss" text="A" title="A" xmlUrl="https://a.example/feed" \
    htmlUrl="https://a.example"/></outline>
    <outline text="More" title="More"><outline type="rss" text="A" title="A" xmlUrl="https://a.example/feed" \
    htmlUrl="https://a.example"/></outline></body></opml>
    """,
    "Inoreader": """
    <opml version="1.0"><head><title>Subscriptions from Inoreader</title></head><body>
    <outline text="B &amp; C" title="B &amp; C" type="rss" xmlUrl="https://b.example/rss?x=1&amp;y=2" \
    htmlUrl="https://b.example/rss?x=1&amp;y=2"/></body></opml>
    """,
    "FreshRSS": """
    <opml xmlns:frss="https://freshrss.org/opml" version="2.0"><head><title>FreshRSS</title></head><body>
    <outline text="Uncategorized"><outline text="D" type="rss" xmlUrl="https://d.example/feed" \
    htmlUrl="https://d.example/" description="About d" frss:priority="main"/></outline></body></opml>
    """,
    "NewsBlur": """
    <opml version="1.1"><head><title>NewsBlur Feeds</title></head><body>
    <outline text="Deep" title="Deep"><outline text="Deeper" title="Deeper">
    <outline htmlUrl="https://e.example/" text="E" title="E" type="rss" version="RSS" xmlUrl="https://e.example/f"/>
    <outline htmlUrl="https://www.six.example/" text="Six" title="Six" type="rss" version="RSS" \
    xmlUrl="http://www.six.example/feed/"/>
    </outline></outline></body></opml>
    """,
  ]

  @Test("import, export and import again change nothing", arguments: readers.keys.sorted())
  func roundTrip(reader: String) async throws {
    let seeds = try ScratchSeeds()
    let first = try await run(Self.readers[reader] ?? "", into: seeds)
    #expect(first.run.counts.new == 1)
    let before = try seeds.contents()
    let text = try OPMLExport(try #require(seeds.catalog)).text
    let again = try await run(text, into: seeds)
    #expect(again.run.counts.new == 0 && again.run.counts.nearDuplicates == 0)
    #expect(!again.run.diagnostics.contains { $0.severity > .note }, "\(again.run.diagnostics)")
    #expect(try seeds.contents() == before)
    // Into a catalog without feeds, and out again.
    let fresh = try ScratchSeeds(["categories.json": ScratchSeeds.sound["categories.json"] ?? ""])
    _ = try await run(text, into: fresh)
    #expect(try OPMLExport(try #require(fresh.catalog)).text == text)
    #expect(fresh.catalog?.collections.map(\.slug) == seeds.catalog?.collections.map(\.slug))
  }

  @Test("a site is never the feed's own address, and no language is made up")
  func invented() async throws {
    let seeds = try ScratchSeeds()
    let result = try await run(Self.readers["Inoreader"] ?? "", into: seeds)
    let feed = try #require(seeds.catalog?.feeds.first { $0.feedURL.contains("b.example") })
    #expect(feed.siteURL == nil && feed.values["language"] == nil)
    #expect(try !OPMLExport(try #require(seeds.catalog), category: "arts").text.contains("language"))
    #expect(result.run.diagnostics.contains { $0.code == "CU0219" && $0.severity == .note })
  }

  @Test("a near-duplicate goes into the collection as the feed that the catalog has")
  func nearDuplicate() async throws {
    let seeds = try ScratchSeeds()
    let result = try await run(Self.readers["NewsBlur"] ?? "", into: seeds)
    #expect(result.run.counts.nearDuplicates == 1)
    #expect(seeds.catalog?.collections.first { $0.slug == "deeper" }?.feeds == ["e", "six"])
  }

  @Test(
    "no message holds a secret of an address, and hazards are flagged",
    arguments: [
      ("https://user:PW@h.example/feed?token=SECRET", "CU0203"),
      ("https://h.example/feed?api_key=SECRET", "CU0220"),
      ("ftp://user:PW@h.example/feed?token=SECRET", "CU0203"), ("http://10.1.2.3/feed?sig=SECRET", "CU0221"),
      ("http://nas.local/feed#SECRET", "CU0222"), ("http://printer/feed", "CU0221"),
      ("http://www.six.example/feed?token=SECRET", "CU0220"),
    ])
  func hazards(url: String, code: String) async throws {
    let seeds = try ScratchSeeds()
    let outline = "<outline text=\"A\" type=\"rss\" xmlUrl=\"\(url)\"/>"
    let result = try await run("<opml version=\"2.0\"><body>\(outline)</body></opml>", into: seeds)
    #expect(result.run.diagnostics.contains { $0.code == code }, "\(result.run.diagnostics)")
    let printed =
      result.report.text(.plain).description
      + result.run.diagnostics.map { "\($0.message)\($0.help ?? "")" }.joined()
    #expect(!printed.contains("SECRET") && !printed.contains("PW") && !printed.contains("user:"))
    #expect(result.report.status == (code == "CU0203" ? .findings : .done))
  }

  @Test("problems of one cause are one line with the lines of the file and one remedy")
  func grouped() async throws {
    let seeds = try ScratchSeeds()
    let outlines = (1...7).map { "<outline text=\"A\($0)\" type=\"rss\" xmlUrl=\"x\($0)\"/>" }.joined(
      separator: "\n")
    let result = try await run("<opml version=\"2.0\"><body>\n\(outlines)</body></opml>", into: seeds)
    let lines = result.report.text(.plain).description.split(separator: "\n")
    #expect(
      lines.first
        == "error[CU0203]: the feed address 'x1' is not an http or https address (line 2), and 6 more like it (lines 3, 4, 5, 6, 7 and 1 more)"
    )
    #expect(lines.last == "  7  unusable")
    #expect(result.report.status == .findings)
  }

  @Test("a checked import takes language and site from the feeds, and reports the dead and the stale")
  func checked() async throws {
    let seeds = try ScratchSeeds()
    var web = MemoryWeb()
    web.feed(
      "https://new.example/feed",
      "<rss version='2.0'><channel><title>Neu</title><link>https://new.example/</link><language>de-de</language>"
        + "<item><guid>1</guid><pubDate>Sun, 01 Mar 2026 08:00:00 GMT</pubDate></item></channel></rss>")
    web.feed(
      "https://old.example/feed",
      "<rss version='2.0'><channel><title>Old</title>"
        + "<item><guid>1</guid><pubDate>Wed, 01 Jan 2020 08:00:00 GMT</pubDate></item></channel></rss>")
    web.feed("https://list.example/feed", "<opml version='2.0'><body/></opml>")
    let check = OPMLCheck(
      transport: web, addresses: .any, now: Timestamp(milliseconds: 1_772_452_800_000))
    let outlines = ["new", "old", "list", "gone"].map {
      "<outline text=\"https://\($0).example/feed\" type=\"rss\" xmlUrl=\"https://\($0).example/feed\"/>"
    }.joined(separator: "\n")
    let result = try await run(
      "<opml version=\"2.0\"><body>\n\(outlines)</body></opml>", into: seeds, check: check)
    #expect(result.run.counts.checked == 4 && result.run.counts.dead == 2 && result.run.counts.stale == 1)
    let feed = try #require(seeds.catalog?.feeds.first { $0.feedURL == "https://new.example/feed" })
    #expect(feed.title == "Neu" && feed.language == "de" && feed.siteURL == "https://new.example/")
    let messages = result.run.diagnostics.map(\.message)
    #expect(messages.contains { $0.contains("an OPML subscription list") })
    // The checked feeds named none: to check again would not help.
    let unspoken = try #require(result.run.diagnostics.first { $0.code == "CU0219" })
    #expect(
      unspoken.help?.contains("add \"language\"") == true && unspoken.help?.contains("--check") == false)
    #expect(messages.contains { $0.contains("nothing new since 2020-01-01") })
    #expect(result.report.json["dead"] == 2 && result.report.json["stale"] == 1)
  }
}
