import FeedState
import HTMLWriting
import Testing

@testable import FeedHealth
@testable import Reporting

@Suite struct FeedTableTests {
  /// The first feed's picture is the longest, the last one's the shortest.
  private static let health = CatalogHealth([
    SampleFeed("a").with {
      $0.status = .down
      $0.days = (0..<30).map { $0 % 2 == 0 ? (1, 0) : (0, 1) }
    },
    SampleFeed("b").with {
      $0.status = .degraded
      $0.days = (0..<10).map { $0 % 2 == 0 ? (1, 0) : (0, 1) }
    },
    SampleFeed("c"),
  ])

  private let report = health.report()
  /// The bytes of all rows with pictures.
  private var full: Int { FeedTable(report, room: 1_000_000).rows.bytes.count }
  /// The bytes of each picture, with the blank behind it.
  private var pictures: [Int] { report.feeds.map { $0.strip.picture.bytes.count + 1 } }
  private var brief: Int { full - pictures.reduce(0, +) }

  private func rows(_ room: Int) -> [Int] {
    let table = FeedTable(report, room: room)
    return [table.written, table.withStrip]
  }

  @Test("each feed has a row before the first has a picture, and the worst ones have theirs first")
  func room() {
    #expect(rows(0) == [0, 0] && rows(-5000) == [0, 0])
    #expect(rows(full) == [3, 3] && rows(full - 1) == [3, 2])
    #expect(rows(brief + pictures[0] + pictures[1]) == [3, 2])
    #expect(rows(brief + pictures[0] + pictures[1] - 1) == [3, 1])
    #expect(rows(brief + pictures[0]) == [3, 1] && rows(brief + pictures[0] - 1) == [3, 0])
    #expect(rows(brief) == [3, 0] && rows(brief - 1) == [2, 0])
    #expect(FeedTable(report, room: brief).rows.bytes.count == brief)
  }

  @Test("the rows wanted are the worst ones", arguments: [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
  func wanted(rows: Int, written: Int) {
    let table = FeedTable(Self.health.report(rows: rows), room: 1_000_000)
    #expect(table.written == written && table.withStrip == written)
    #expect(table.rows.description.ranges(of: "<tr id=").count == written)
  }

  @Test("what was left out is said")
  func notes() {
    func notes(_ room: Int) -> [Substring] {
      FeedTable(report, room: room).html.description.split(separator: "\n").filter { $0.hasPrefix("<p>") }
    }
    #expect(notes(full) == [])
    #expect(notes(full - 1) == ["<p>The last row has no picture of its days, to keep this page small.</p>"])
    #expect(
      notes(brief + pictures[0])
        == ["<p>The last 2 rows have no picture of their days, to keep this page small.</p>"])
    #expect(
      notes(brief - 1) == [
        "<p>1 more feed has no row here, the best one.</p>",
        "<p>The last 2 rows have no picture of their days, to keep this page small.</p>",
      ])
    #expect(notes(0) == ["<p>3 more feeds have no row here, the best ones.</p>"])
  }

  @Test("a row has what is known of its feed, and words for the rest")
  func row() {
    var health = CatalogHealth([
      SampleFeed("a", title: "A & B", url: "https://a.example/").with {
        $0.readers = 1234
        $0.quality = 87.55
      }, SampleFeed("b", title: "", url: "u").with { $0.status = .unknown },
      SampleFeed("c", title: "C", url: "u").with { $0.days = [] },
    ])
    health.feeds[0].category = "news"
    health.feeds[0].metadata.newestItem = .monday
    let rows = FeedTable(health.report(), room: 1_000_000).rows.description.split(separator: "\n")
    let strip = CheckHistoryStrip(health.feeds[0].metadata.history, today: 20_514).picture.description
    // Three days before the report are 1,772,193,600 seconds after 1970.
    #expect(
      rows[1] == """
        <tr id="r-a"><th scope="row"><a href="https://a.example/">A &amp; B</a><td>news<td data-v="29536560">\
        healthy for 3 days<td>100 %<td>\(strip) 1 good<td>87.6<td>1,234<td>2026-03-02
        """)
    #expect(rows[0].hasPrefix("<tr id=\"r-b\"><th scope=\"row\">u<td><td>not checked<td>not checked<td>"))
    #expect(rows[0].hasSuffix(" no checks<td>not checked<td>not counted<td>unknown"))
    #expect(
      rows[2].contains("<td>unknown<td>")
        && rows[2].hasSuffix(" no checks<td>unknown<td>not counted<td>unknown"))
  }

  @Test("only a report that is compared has a column of changes")
  func changes() throws {
    let before = CatalogHealth([SampleFeed("a").with { $0.readers = 5 }])
    let after = CatalogHealth([SampleFeed("a").with { $0.readers = 3 }, SampleFeed("b")])
    let plain = FeedTable(after.report(), room: 10_000)
    #expect(plain.html.description.contains("<table class=\"feeds\">"))
    #expect(
      !plain.html.description.contains(">Change</th>")
        && plain.rows.description.ranges(of: "<td>").count == 2 * 6)
    let compared = FeedTable(after.report(since: try PreviousReport(before.report())), room: 10_000)
    #expect(compared.html.description.contains("<table class=\"feeds since\">"))
    #expect(compared.html.description.contains(">Change</th>"))
    #expect(
      compared.rows.description.contains("<td>3<td>−2<td>")
        && compared.rows.description.contains("<td>not counted<td><td>"))
  }

  @Test("a report without feeds has no table")
  func empty() { #expect(FeedTable(CatalogHealth([]).report(), room: 1000).html.isEmpty) }
}
