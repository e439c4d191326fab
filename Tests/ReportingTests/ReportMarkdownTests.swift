import FeedState
import Testing

@testable import FeedHealth
@testable import Reporting

@Suite struct ReportMarkdownTests {
  private static let health = CatalogHealth([
    SampleFeed("a").with {
      $0.status = .down
      $0.readers = 1
      $0.days = [(0, 3)]
    }, SampleFeed("b").with { $0.status = .unknown },
    SampleFeed("c", title: "C | D").with { $0.quality = 99.5 },
  ])

  private func rows(_ maxBytes: Int?, _ wanted: Int? = nil) -> Int {
    Self.health.report(rows: wanted, maxBytes: maxBytes).markdownText.ranges(of: "····`").count
      + Self.health.report(rows: wanted, maxBytes: maxBytes).markdownText.ranges(of: "···▂`").count
      + Self.health.report(rows: wanted, maxBytes: maxBytes).markdownText.ranges(of: "···█`").count
  }

  @Test("the report has its numbers, and a row for each feed")
  func text() {
    let text = Self.health.report().markdownText
    #expect(
      text.hasPrefix(
        """
        # Of 3 feeds: 1 down, 1 not checked.

        memory: (development), as of 2026-03-02 12:00 UTC.

        | | |
        | --- | --- |
        | Feeds | 3: 1 down, 0 degraded, 1 not checked, 1 healthy |
        | Readers | 1, no complete recount is known |
        | Quality, median | 99.5 |
        | Schema | not compared |
        """))
    let days = String(repeating: "·", count: 29)
    #expect(
      text.contains(
        """
        | a |  | down | 0.0 % | `\(days)▂` | unknown | 1 |
        | b |  | not checked | not checked | `\(days)·` | not checked | not counted |
        | C \\| D |  | healthy | 100 % | `\(days)█` | 99.5 | not counted |

        Uptime is the share
        """))
  }

  @Test("100 bytes are kept for the note about feeds that are left out")
  func room() {
    let size = Self.health.report().markdownText.utf8.count
    #expect(rows(size + 100) == 3 && rows(size + 99) == 2 && rows(0) == 0)
  }

  @Test(
    "the feeds that are left out are the best ones",
    arguments: [
      (3, nil), (2, "\n1 more feed is left out, the best one.\n"),
      (1, "\n2 more feeds are left out, the best ones.\n"),
    ])
  func leftOut(wanted: Int, note: String?) {
    let text = Self.health.report(rows: wanted).markdownText
    #expect(rows(nil, wanted) == wanted)
    #expect(note.map(text.contains) ?? !text.contains("left out,"))
  }

  @Test("the summary of a job has at most 1 MiB")
  func limit() {
    let feeds = (0..<4500).map { SampleFeed("\($0)", title: String(repeating: "W", count: 200)) }
    var health = CatalogHealth(feeds)
    for index in feeds.indices { health.feeds[index].category = String(repeating: "W", count: 200) }
    let size = health.report().markdownText.utf8.count
    #expect(size <= 1_048_576 && size > 1_048_576 - 1000)
  }

  @Test("titles have at most 80 characters, and categories 60")
  func shortened() {
    var health = CatalogHealth([SampleFeed("a", title: String(repeating: "T", count: 81))])
    health.feeds[0].category = String(repeating: "C", count: 61)
    let report = health.report()
    let title = String(repeating: "T", count: 79) + "…"
    #expect(report.markdownText.contains("| \(title) | \(String(repeating: "C", count: 59))… |"))
    #expect(report.html.contains("<td>\(String(repeating: "C", count: 59))…<td"))
    #expect(report.snapshot.feeds["a"]?.title == title)
    var fitting = CatalogHealth([SampleFeed("a", title: String(repeating: "T", count: 80))])
    fitting.feeds[0].category = String(repeating: "C", count: 60)
    #expect(!fitting.report().markdownText.contains("…"))
  }
}
