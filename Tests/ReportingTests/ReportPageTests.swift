import Diagnostics
import FeedHealth
import FeedState
import Foundation
import HTMLWriting
import Testing

@testable import Reporting

@Suite struct ReportPageTests {
  private static let health = CatalogHealth([
    SampleFeed("a").with { $0.status = .down }, SampleFeed("b").with { $0.readers = 3 }, SampleFeed("c"),
  ])

  /// The bytes of the page without rows and data, and those of the data.
  private func sizes() throws -> (frame: Int, data: Int) {
    let report = Self.health.report()
    let html = report.html
    let start = try #require(html.range(of: PreviousReport.start.description))
    let end = try #require(html[start.upperBound...].range(of: PreviousReport.end.description))
    let data = html[start.lowerBound..<end.upperBound].utf8.count + 1
    let table = FeedTable(report, room: 1_000_000).html.bytes.count
    return (html.utf8.count - data - table + FeedTable(report, room: 0).html.bytes.count, data)
  }

  @Test("a page keeps 1000 bytes for its notes, and leaves the data out where these would be missing")
  func data() throws {
    let (frame, data) = try sizes()
    let whole = Self.health.report(maxBytes: frame + data + 1000)
    #expect(try PreviousReport(whole).snapshot.feeds.count == 3)
    let cut = Self.health.report(maxBytes: frame + data + 999)
    #expect(throws: CommandFailure.self) { try PreviousReport(cut) }
    #expect(cut.html.contains(PreviousReport.start.description + "null" + PreviousReport.end.description))
  }

  @Test("the rows take what is left of the limit")
  func rows() throws {
    let (frame, data) = try sizes()
    let rows = FeedTable(Self.health.report(), room: 1_000_000).rows.bytes.count
    func pictures(_ limit: Int) -> Int {
      Self.health.report(maxBytes: limit).html.split(separator: "\n")
        .count { $0.hasPrefix("<tr id=") && $0.contains("<svg") }
    }
    #expect(pictures(frame + data + 1000 + rows) == 3)
    #expect(pictures(frame + data + 1000 + rows - 1) == 2)
  }

  @Test("the tiles have the numbers of the feeds")
  func tiles() {
    let html = CatalogHealth([
      SampleFeed("a").with {
        $0.status = .down; $0.quality = 10
      },
      SampleFeed("b").with {
        $0.status = .down; $0.readers = 0; $0.quality = 20
      },
      SampleFeed("c").with {
        $0.status = .degraded; $0.days = [(1, 2)]
      },
      SampleFeed("d").with {
        $0.status = .unknown; $0.quality = 30
      },
      SampleFeed("e").with {
        $0.readers = 1200; $0.quality = 90
      },
    ]).report().html
    #expect(
      html.contains(
        "<li>Feeds that need attention<strong>3 of 5</strong>2 down, 1 degraded, 1 not checked, 1 healthy</li>"
      ))
    #expect(html.contains("<li>Readers<strong>1,200</strong>no complete recount is known</li>"))
    #expect(html.contains("<li>Quality, median<strong>20.0</strong>3 of 5 feeds scored, from 0 to 100</li>"))
    // 13 of 15 checks.
    #expect(
      html.contains("<li>Checks that succeeded<strong>86.6 %</strong>of the last 30 UTC days, rounded down; ")
    )
    #expect(html.contains("<li>Schema<strong>not compared</strong>"))
    #expect(html.contains("<p>3 feeds were not counted.</p>"))
    #expect(html.contains("<p>The tenth of the feeds with the most readers has 100 % of them.</p>"))
    #expect(
      html.contains(
        """
        <tr><th scope="row">1,000 to 9,999</th><td class="number">1</td><td>\
        <svg width="160" height="10" aria-hidden="true"><rect fill="#0B6E99" width="32" height="10"/></svg></td></tr>
        """))
    #expect(html.contains("The mean of each part over 4 checked feeds."))
  }

  @Test("a report without feeds has a verdict and no numbers")
  func empty() {
    let html = CatalogHealth([]).report().html
    for words in [
      "class=\"tiles\"", "Readers of a feed", "What quality is made of", "How this is counted",
      "Look at these",
    ] {
      #expect(!html.contains(words))
    }
    let unchecked = CatalogHealth([SampleFeed("a").with { $0.status = .unknown }]).report().html
    #expect(unchecked.contains("Readers of a feed") && !unchecked.contains("What quality is made of"))
    #expect(unchecked.contains("How this is counted") && unchecked.contains("<strong>no checks</strong>"))
  }

  @Test("ten feeds are looked at first", arguments: [(0, 0), (1, 1), (10, 10), (11, 10)])
  func worst(troubled: Int, listed: Int) {
    let feeds = (0..<troubled).map { index in SampleFeed("a\(index)").with { $0.status = .down } }
    let report = CatalogHealth(feeds + [SampleFeed("good")]).report()
    #expect(report.html.ranges(of: "<li><div class=\"case\">").count == listed)
    #expect(report.html.contains("<h2>Look at these first</h2>") == (listed > 0))
    #expect(report.markdownText.contains("## Look at these first") == (listed > 0))
    #expect(report.json["worst"]?.array?.count == listed)
  }
}
