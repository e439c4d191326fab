import Catalog
import CloudKitModel
import ContainerFaults
import Cryptography
import Diagnostics
import FeedState
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import FeedHealth
@testable import Reporting

@Suite struct CatalogReportTests {
  private static let month: [(Int64, Int64)?] = Array(repeating: (4, 0), count: 30)

  private func mixed() async throws -> SampleCatalog {
    try await SampleCatalog([
      SampleFeed("good").with {
        $0.readers = 12_400; $0.quality = 87.55; $0.days = Self.month
      },
      SampleFeed("dead").with {
        $0.status = .down; $0.readers = 976; $0.days = [(3, 0), nil, (0, 4)]
      },
      SampleFeed("weak").with {
        $0.status = .degraded; $0.readers = 3; $0.days = [(1, 1)]
      },
      SampleFeed("new").with {
        $0.status = .unknown; $0.quality = 50
      },
    ])
  }

  @Test("the worst feed is first, and what is not known is a word")
  func table() async throws {
    let report = try await mixed().report()
    #expect(report.feeds.map(\.entry.recordName) == ["dead", "weak", "new", "good"])
    let new = try #require(report.html.row(of: "new"))
    #expect(new.contains("<td>unknown"))
    #expect(!new.contains("50.0") && !new.contains("0 %"))
    #expect(new.contains("no checks"))
    let good = try #require(report.html.row(of: "good"))
    #expect(good.contains("100 %") && good.contains("87.6") && good.contains("12,400"))
    #expect(good.contains("30 good"))
    let dead = try #require(report.html.row(of: "dead"))
    #expect(
      dead.contains("42.8 %") && dead.contains("1 good, 1 failed") && dead.contains("down</b> 3 d"))
    // Each day that is not as its neighbors has its date.
    #expect(dead.contains("<title>28 Feb: good</title>") && dead.contains("<title>1 Mar: no check</title>"))
    #expect(dead.contains("<title>2 Mar: 0 of 4 good</title>"))
    // Most feeds share one picture.
    #expect(
      good.contains("<use href=\"#good\"/>") && report.html.contains("<title>1 Feb to 2 Mar: good</title>"))
  }

  @Test("one group for each cause, whose code leads to what it means")
  func causes() async throws {
    let html = try await mixed().report().html
    #expect(html.components(separatedBy: "<section class=\"cause").count == 2)
    #expect(html.contains("<a href=\"#r-code_20FH0201\">FH0201</a>"))
    #expect(html.contains("<dt id=\"r-code_20FH0201\">FH0201</dt>"))
    #expect(html.contains("<small>2 feeds, 979 subscriptions</small>"))
    #expect(html.contains("<li class=\"case\"><a href=\"#r-dead\">"))
  }

  @Test("uptime is rounded down: 99.95 % is not 100 %")
  func uptime() async throws {
    let feed = SampleFeed("a").with { $0.days = [(1999, 1)] }
    let report = try await SampleCatalog([feed]).report()
    #expect(report.feeds[0].uptime == 999)
    #expect(try #require(report.html.row(of: "a")).contains("99.9 %"))
  }

  @Test("JSON has the numbers of the report and of each feed")
  func json() {
    var health = CatalogHealth([
      SampleFeed("a").with {
        $0.status = .down; $0.readers = 3; $0.quality = 12.5; $0.days = [(2, 1)]
      },
      SampleFeed("b").with { $0.status = .unknown }, SampleFeed("c"),
    ])
    health.feeds[0].category = "news"
    let report = health.report()
    let totals = report.statusJSON.object?.members.filter {
      ["feeds", "healthy", "degraded", "down", "unchecked", "refused", "readers", "medianQuality", "overdue"]
        .contains($0.key)
    }
    #expect(
      JSONValue.object(JSONObject(totals ?? [])).text()
        == #"{"feeds":3,"healthy":1,"degraded":0,"down":1,"unchecked":1,"refused":0,"overdue":[],"readers":3,"medianQuality":12.5}"#
    )
    let table = report.statusJSON["table"]?.array?.map { $0.text() } ?? []
    let strip = String(repeating: "·", count: 29)
    #expect(
      table.first == """
        {"recordName":"a","feedURL":"https://a.example/feed.xml","status":"down","title":"a","category":"news",\
        "statusSince":"2026-02-27T12:00:00Z","lastCheck":"2026-03-02T11:00:00Z","uptimePercentage":66.6,\
        "days":"\(strip)▅","quality":12.5,"readers":3,"reasons":["FH0201"]}
        """)
    #expect(
      table.dropFirst().first == """
        {"recordName":"b","feedURL":"https://b.example/feed.xml","status":"unchecked","title":"b","days":"\(strip)·"}
        """)
    #expect(table.count == 3)
    #expect(report.statusJSON["readerDistribution"]?.array?.map { $0["feeds"] } == [0, 1, 0, 0, 0, 0])
    #expect(
      report.statusJSON["worst"] == ["a"]
        && report.statusJSON["verdict"] == "Of 3 feeds: 1 down, 1 not checked.")
  }

  @Test("the same container at the same time gives the same bytes")
  func determinism() async throws {
    let catalog = try await mixed()
    for format in [OutputFormat.html, .markdown] {
      let first = StatusReport(try await catalog.report()).rendered(as: format, .plain)
      #expect(StatusReport(try await catalog.report()).rendered(as: format, .plain) == first)
    }
    #expect(try await catalog.report().statusJSON.text() == catalog.report().statusJSON.text())
  }

  @Test("a page without feeds, with one, and with all of one kind has its verdict and no empty table")
  func smallCatalogs() async throws {
    let none = try await SampleCatalog([]).report()
    #expect(
      none.html.contains("<h1 class=\"verdict unknown\">The container has no feeds.</h1>")
        && !none.html.contains("<table"))
    #expect(none.markdownText.hasPrefix("### The container has no feeds.\n"))
    let one = try await SampleCatalog([SampleFeed("a")]).report()
    #expect(one.html.contains("The one feed is healthy.") && !one.html.contains("Look at these first"))
  }

  // MARK: Since

  @Test("an earlier report is compared by what is in its file alone")
  func since() async throws {
    let before = try await SampleCatalog([
      SampleFeed("dead").with { $0.readers = 1000 }, SampleFeed("gone", title: "Gone <b>"),
      SampleFeed("good").with { $0.readers = 12_000 },
    ]).report(at: Timestamp(milliseconds: Timestamp.monday.milliseconds - 86_400_000))
    let previous = try ReportSnapshot(Array(before.html.utf8), name: "before.html")
    let report = try await mixed().report(since: previous)
    let changes = try #require(report.changes)
    #expect(changes.moves.map(\.feed.entry.recordName) == ["dead"])
    #expect(changes.new.map(\.entry.recordName) == ["weak", "new"])
    #expect(changes.gone == ["Gone <b>"])
    #expect(changes.readers == 379)
    #expect(changes.movers.map(\.entry.recordName) == ["good", "dead"])
    #expect(changes.otherSubject == nil)
    #expect(
      report.html.contains(
        "<h2>Since <time datetime=\"2026-03-01T12:00:00Z\">2026-03-01 12:00 UTC</time></h2>"))
    #expect(report.html.contains("no longer in the container: <bdi>Gone &lt;b&gt;</bdi>"))
    #expect(try #require(report.html.row(of: "dead")).contains("<td>−24"))
    #expect(report.snapshot.totals.map(\.readers) == [13_000, 13_379])
    #expect(report.html.contains("<polyline"))
    #expect(report.markdownText.contains("no longer in the container: Gone &lt;b&gt;"))
  }

  @Test(
    "a file that is not a report is refused by name",
    arguments: [
      "", "not html", "<html><script>1</script></html>", "{\"kind\":\"celestra-admin report\"}",
      "<script type=\"application/json\" id=\"report-data\">{",
      "<script type=\"application/json\" id=\"report-data\">{</script>",
      "<script type=\"application/json\" id=\"report-data\">null</script>",
      "<script type=\"application/json\" id=\"report-data\">{\"kind\":\"celestra-admin report\",\"version\":2}</script>",
      "<script type=\"application/json\" id=\"report-data\">{\"kind\":\"celestra-admin report\",\"version\":1}</script>",
      "<script type=\"application/json\" id=\"report-data\">{\"kind\":\"celestra-admin report\",\"version\":1,\"asOf\":1,\"subject\":\"x\",\"feeds\":[[1]],\"totals\":[]}</script>",
      "<script type=\"application/json\" id=\"report-data\">[]</script>",
    ])
  func noReport(_ text: String) throws {
    let error = #expect(throws: CommandFailure.self) {
      try ReportSnapshot(Array(text.utf8), name: "old.html")
    }
    #expect(try #require(error).message.hasPrefix("cannot compare with old.html: "))
  }

  @Test("numbers of an earlier report that no 64 bits hold together change nothing")
  func overflow() async throws {
    let before = try await SampleCatalog([SampleFeed("a").with { $0.readers = .min }]).report()
    let previous = try ReportSnapshot(Array(before.html.utf8), name: "a.html")
    let report = try await SampleCatalog([SampleFeed("a").with { $0.readers = .max }]).report(since: previous)
    #expect(report.feeds[0].readersChange == nil)
  }

  // MARK: Size

  /// A name as long as a real one.
  private static func feeds(_ count: Int) -> [SampleFeed] {
    (0..<count).map { index in
      SampleFeed(
        "3f2c9a10-7b7e-5c1d-9d52-\(String(100_000_000_000 + index))", title: "The Journal of Things \(index)",
        url: "https://journal-\(index).example.org/feeds/all.xml"
      ).with {
        $0.readers = Int64(index * 7 % 5000)
        $0.quality = Double(index % 1000) / 10
        $0.days = month
        if index % 40 == 0 { $0.status = .down; $0.days = (0..<30).map { $0 % 3 == 0 ? (0, 4) : (4, 0) } }
        if index % 41 == 1 { $0.status = .degraded; $0.days = (0..<30).map { $0 % 2 == 0 ? (1, 3) : nil } }
      }
    }
  }

  /// Scripts/test-pages makes a report of 10,000 feeds.
  @Test("2,500 feeds fit into 1 MB, each with a row; Markdown leaves feeds out")
  func full() throws {
    let health = CatalogHealth(Self.feeds(2500))
    let html = health.report(maxBytes: 1_000_000).html
    #expect(html.utf8.count <= 1_000_000)
    #expect(html.components(separatedBy: "<tr id=").count == 2501)
    #expect(try ReportSnapshot(Array(html.utf8), name: "a").feeds.count == 2500)
    let markdown = health.report(maxBytes: 100_000).markdownText
    #expect(markdown.utf8.count <= 100_000)
    #expect(markdown.contains("of this report left out"))
  }

  @Test("a limit is kept, and what was left out is said", arguments: [200_000, 300_000, 500_000])
  func limits(_ limit: Int) {
    let html = CatalogHealth(Self.feeds(2000)).report(maxBytes: limit).html
    #expect(html.utf8.count <= limit)
    #expect(html.contains("more feeds have no row here") || html.contains("rows have no picture"))
  }

  @Test("--rows leaves the best feeds out")
  func rows() {
    let html = CatalogHealth(Self.feeds(100)).report(rows: 10).html
    #expect(html.components(separatedBy: "<tr id=").count == 11)
    #expect(html.contains("<p>90 more feeds have no row here, the best ones.</p>"))
    #expect(html.contains("<p role=\"status\" id=\"shown\">100 feeds</p>"))
  }

  // MARK: Bad input

  @Test("hostile titles, addresses and record names stay text")
  func hostile() async throws {
    let texts = [
      "</script><script>alert(1)</script>", "\"\u{301} autofocus onfocus=alert(1) x=\"", "<!--<script>",
      "]]>",
      "\u{202E}evil", "a\u{0}b", String(repeating: "W", count: 10_000),
      String(repeating: "\u{301}", count: 500), "",
    ]
    let urls = [
      "javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,<script>alert(1)</script>", "//host/x",
      "http://a\"b", "https://münchen.example/", "https://a.example/" + String(repeating: "x", count: 8000),
      "",
    ]
    let feeds =
      texts.enumerated().map { index, text in
        SampleFeed("t\(index) #\"<", title: text).with { $0.status = .down }
      }
      + urls.enumerated().map { index, url in SampleFeed("u\(index)", url: url).with { $0.status = .degraded }
      }
    let catalog = try await SampleCatalog(feeds)
    let page = try await catalog.report().html
    let scripts = page.components(separatedBy: "<script").count - 1
    #expect(scripts == 2)
    #expect(!page.contains("alert(1)</script>"))
    for place in page.ranges(of: "href=\"") {
      let value = page[place.upperBound...].prefix { $0 != "\"" }
      #expect(value.hasPrefix("http") || value.hasPrefix("#r-") || ["#counted", "#good"].contains(value))
    }
    // Outside the data and links no address is named that a browser could load.
    #expect(!page.contains("src=") && !page.contains(" style=") && !page.contains("@import"))
    #expect(page.firstMatch(of: /<[a-z]+[^<>"]* on[a-z]+=/) == nil)
    #expect(page.contains("<bdi>"))
    #expect(PrintableText(document: page).description == page)
    #expect(try ReportSnapshot(Array(page.utf8), name: "a").feeds.count == feeds.count)
  }

  @Test("a container that changes while it is read gives a report whose numbers agree with its rows")
  func changing() async throws {
    let catalog = try await SampleCatalog(
      [SampleFeed("a"), SampleFeed("b"), SampleFeed("c")].map { $0.with { $0.status = .down } })
    let container = FaultyContainer(catalog.container) { request in
      guard case .query(let query) = request, query.query.recordType == "PublicFeed" else { return nil }
      return .after {
        for outcome in try await catalog.container.modify([
          RecordOperation(.forceDelete, recordType: "PublicFeed", recordName: "b"),
          RecordOperation(
            .forceDelete, recordType: "FeedMetadata", recordName: CatalogRecordNames.metadata(feed: "c")),
        ]) {
          if let error = outcome.error { throw error }
        }
      }
    }
    let health = try await CatalogHealth(of: container, at: .monday)
    let report = CatalogReport(health, options: CatalogReport.Options(subject: "x"))
    #expect(health.verdict == "Of 3 feeds: 2 down, 1 not checked.")
    #expect(report.html.components(separatedBy: "<tr id=").count == 4)
    #expect(try #require(report.html.row(of: "c")).contains("not checked"))
  }

  @Test("a history with gaps, of 29 to 31 days, and from a clock that was ahead")
  func histories() async throws {
    let today = Timestamp.monday.utcDays
    for count in [29, 30, 31] {
      let feed = SampleFeed("a").with { $0.days = Array(repeating: (1, 0), count: count) }
      let report = try await SampleCatalog([feed]).report()
      #expect(report.feeds[0].strip.count(.good) == min(count, 30))
    }
    let late = try await SampleCatalog([SampleFeed("a")]).report(
      at: Timestamp(milliseconds: Timestamp.monday.milliseconds - 2 * 86_400_000))
    #expect(late.feeds[0].strip.words == "no checks" && late.feeds[0].uptime == nil)
    #expect(today == Timestamp.monday.utcDay)
    let gap = SampleFeed("a").with { $0.days = [(1, 0), nil, nil, (1, 1), (0, 1)] }
    #expect(try await SampleCatalog([gap]).report().feeds[0].strip.blocks.hasSuffix("·█··▅▂"))
  }

  @Test("the schema's drift, worst first")
  func drift() async throws {
    let catalog = try await SampleCatalog([SampleFeed("a")])
    let declared = try Schema(
      parsing: "DEFINE SCHEMA\n  RECORD TYPE PublicFeed (\n    title STRING,\n    extra STRING\n  );\n",
      name: "x.ckdb")
    let drift = SchemaDrift(
      file: "x.ckdb", from: try await catalog.container.currentSchema(), to: declared)
    let html = try await catalog.report(drift: drift).html
    #expect(html.contains("<h2>Schema: what x.ckdb would change</h2>"))
    #expect(drift.lines.first?.contains("data-loss") == true)
    let same = SchemaDrift(file: "x.ckdb", from: declared, to: declared)
    #expect(try await catalog.report(drift: same).html.contains("as declared"))
  }
}

extension String {
  /// The row of a feed in the table.
  fileprivate func row(of name: String) -> String? {
    components(separatedBy: "\n").first { $0.hasPrefix("<tr id=\"r-\(name)\"") }
  }
}
