import CloudKitModel
import Diagnostics
import FeedHealth
import FeedState
import SchemaLanguage
import Testing

@testable import Reporting

@Suite struct ReportChangesTests {
  private func changes(
    _ before: [SampleFeed], _ after: [SampleFeed]
  ) throws -> ReportChanges {
    try #require(CatalogHealth(after).report(since: PreviousReport(CatalogHealth(before).report())).changes)
  }

  private func feed(_ name: String, _ readers: Int64?, _ status: HealthStatus = .healthy) -> SampleFeed {
    SampleFeed(name).with {
      $0.readers = readers
      $0.status = status
    }
  }

  @Test("each kind of difference alone is a change")
  func kinds() throws {
    let a = feed("a", 1)
    let same = try changes([a], [a])
    #expect(same.isEmpty && same.readers == 0)
    let moved = try changes([a], [feed("a", 1, .down)])
    #expect(
      !moved.isEmpty && moved.moves.map(\.before) == [.healthy] && moved.new.isEmpty && moved.gone.isEmpty)
    let new = try changes([a], [a, feed("b", 3)])
    #expect(!new.isEmpty && new.new.map(\.entry.recordName) == ["b"] && new.moves.isEmpty && new.readers == 0)
    let gone = try changes([a, feed("c", 3), feed("b", 3)], [a])
    #expect(!gone.isEmpty && gone.gone == ["b", "c"] && gone.movers.isEmpty)
    let read = try changes([a], [feed("a", 2)])
    #expect(!read.isEmpty && read.movers.map(\.readersChange) == [1] && read.readers == 1)
  }

  @Test("the largest change of readers is first, of equal ones by name; unknown numbers change nothing")
  func movers() throws {
    let before = [
      feed("a", 10), feed("b", 10), feed("c", 10), feed("d", nil), feed("e", 10), feed("f", 10),
      feed("g", 10),
    ]
    let after = [
      feed("a", 11), feed("b", 0), feed("c", 9), feed("d", 5), feed("e", nil), feed("f", 10), feed("g", 30),
    ]
    let changes = try changes(before, after)
    #expect(changes.movers.map(\.entry.recordName) == ["g", "b", "a", "c"])
    #expect(changes.readers == 10)
  }

  @Test("the page lists 20 of a kind and five movers; Markdown lists 20 of a kind", arguments: [20, 21, 23])
  func listed(count: Int) throws {
    let before = CatalogHealth(
      (0..<count).map { feed("gone\($0)", 1) } + (0..<6).map { feed("read\($0)", 10) })
    let after = CatalogHealth((0..<6).map { feed("read\($0)", 11 + Int64($0)) })
    let report = after.report(since: try PreviousReport(before.report()))
    let html = report.html
    #expect(html.ranges(of: "<li>no longer in the container: ").count == 20)
    #expect(html.contains("<li>and \(count - 20) more</li>") == (count > 20))
    #expect(html.ranges(of: " more</li>").count == (count > 20 ? 1 : 0))
    #expect(html.ranges(of: "</a>: +").count == 5 && html.contains("</a>: +6 readers</li>"))
    let markdown = report.markdownText
    #expect(markdown.ranges(of: "- no longer in the container: ").count == 20)
    #expect(markdown.contains("- and \(count - 20) more\n") == (count > 20))
    #expect(!markdown.contains("- and 0 more"))
    #expect(markdown.contains("- readers: +21\n"))
  }

  @Test("an earlier report about another container is named")
  func otherSubject() throws {
    let health = CatalogHealth([SampleFeed("a")])
    let other = CatalogReport(health, options: CatalogReport.Options(subject: "cloudkit:other"))
    let report = health.report(since: try PreviousReport(other))
    #expect(report.html.contains("<p>The earlier report is about cloudkit:other. Records with the same name"))
    #expect(report.json["since"]?["otherContainer"] == "cloudkit:other")
    let same = health.report(since: try PreviousReport(health.report()))
    #expect(
      !same.html.contains("The earlier report is about") && same.json["since"]?["otherContainer"] == nil)
  }

  @Test(
    "the totals of the last 60 reports are kept", arguments: [(1, 2), (58, 59), (59, 60), (60, 60), (61, 60)])
  func totals(earlier: Int, kept: Int) throws {
    let health = CatalogHealth([feed("a", 7), feed("b", nil)])
    var snapshot = health.report().snapshot
    snapshot.totals = (0..<earlier).map {
      ReportSnapshot.Total(asOf: Timestamp(milliseconds: Int64($0)), readers: Int64($0))
    }
    let page = "\(PreviousReport.start)\(snapshot.json.text())\(PreviousReport.end)"
    let report = health.report(since: try PreviousReport(Array(page.utf8), name: "a"))
    let totals = report.snapshot.totals
    #expect(totals.count == kept && totals.last == ReportSnapshot.Total(asOf: .monday, readers: 7))
    #expect(totals.first?.readers == Int64(earlier + 1 - kept))
  }

  static let head = #"{"kind":"celestra-admin report","version":1,"asOf":1,"subject":"x","#

  /// Data of an earlier report, with why it cannot be read.
  static let data: [(String, UnreadableReportError?)] = [
    (head + #""feeds":[],"totals":[]}"#, nil),
    (head + #""feeds":[["a","A","down",1,null]],"totals":[[1,2],[3,4]]}"#, nil),
    (head + #""feeds":[["a","A","down",1]],"totals":[]}"#, .damaged),
    (head + #""feeds":[["a","A","down",1,2,3]],"totals":[]}"#, .damaged),
    (head + #""feeds":[["a","A","dead",1,2]],"totals":[]}"#, .damaged),
    (head + #""feeds":[["a",1,"down",1,2]],"totals":[]}"#, .damaged),
    (head + #""feeds":[],"totals":[[1]]}"#, .damaged), (head + #""feeds":[],"totals":[[1,2,3]]}"#, .damaged),
    (head + #""feeds":[],"totals":[["1",2]]}"#, .damaged), (head + #""feeds":[]}"#, .damaged),
    ("{}", .noReport),
    ("null", .withoutData), ("{", .damaged),
    (
      #"{"kind":"celestra-admin report","version":2,"asOf":1,"subject":"x","feeds":[],"totals":[]}"#,
      .otherVersion
    ),
    (#"{"kind":"report","version":1,"asOf":1,"subject":"x","feeds":[],"totals":[]}"#, .noReport),
  ]

  @Test("data that another program wrote or damaged is refused with the reason", arguments: data)
  func unreadable(json: String, reason: UnreadableReportError?) {
    let page = "<p>\(PreviousReport.start)\(json)\(PreviousReport.end)"
    var message: String?
    do { _ = try PreviousReport(Array(page.utf8), name: "a") } catch let failure as CommandFailure {
      message = failure.message
    } catch { message = "\(error)" }
    #expect(message == reason.map { "cannot compare with a: \($0)" })
  }

  @Test("data is read as it was written")
  func roundTrip() throws {
    let snapshot = ReportSnapshot(
      asOf: Timestamp(milliseconds: 5), subject: "x",
      feeds: [
        "b": ReportSnapshot.Feed(title: "B", status: .down, readers: 3, quality: 876),
        "a": ReportSnapshot.Feed(title: "A", status: .unknown, readers: nil, quality: nil),
      ], totals: [ReportSnapshot.Total(asOf: Timestamp(milliseconds: 4), readers: 2)])
    #expect(
      snapshot.json.text() == """
        {"kind":"celestra-admin report","version":1,"asOf":5,"subject":"x","feeds":[["a","A","unknown",null,null],\
        ["b","B","down",3,876]],"totals":[[4,2]]}
        """)
    #expect(try ReportSnapshot(snapshot.json) == snapshot)
  }

  @Test("the drift of a schema names the worst risk first, and how many differences there are")
  func drift() throws {
    func schema(_ fields: String) throws -> Schema {
      try Schema(parsing: "DEFINE SCHEMA RECORD TYPE PublicFeed ( \(fields) );", name: "x.ckdb")
    }
    let two = SchemaDrift(
      file: "x.ckdb", from: try schema("title STRING"), to: try schema("extra STRING, more STRING QUERYABLE"))
    #expect(
      two.lines.count == 3 && two.lines[0].contains("title") && two.words == "3 differences from x.ckdb")
    let same = SchemaDrift(file: "x.ckdb", from: try schema("a STRING"), to: try schema("a STRING"))
    #expect(same.lines.isEmpty && same.words == "as x.ckdb declares")
    let one = SchemaDrift(file: "x.ckdb", from: try schema("a STRING"), to: try schema("a STRING, b STRING"))
    #expect(one.words == "1 difference from x.ckdb")
  }
}
