import CloudKitModel
import Diagnostics
import FeedHealth
import LocalContainer
import Testing

@testable import Reporting

@Suite struct StatusReportTests {
  /// A container with live sessions and no feeds. Each session is active and ended so many minutes before the report.
  private func report(ended minutes: [Int64]) async throws -> StatusReport {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(
      """
      DEFINE SCHEMA RECORD TYPE LiveSession ( "___recordID" REFERENCE QUERYABLE, isActive INT64 QUERYABLE,
        endTime TIMESTAMP, GRANT READ, CREATE, WRITE TO "_icloud" );
      """)
    let outcomes = try await container.modify(
      minutes.map {
        RecordOperation(
          .create, recordType: "LiveSession", recordName: "s\($0)",
          fields: [
            "isActive": .flag(true),
            "endTime": .timestamp(Timestamp(milliseconds: Timestamp.monday.milliseconds - $0 * 60_000)),
          ])
      })
    #expect(outcomes.allSatisfy { $0.error == nil })
    return try await StatusReport(
      CatalogHealthReader(container: container), of: container, at: .monday, failLevel: nil)
  }

  @Test(
    "sessions that are active after their end are counted",
    arguments: [
      ([], nil), ([-5], nil),
      ([5, -5], "1 live session is active after the end, the first since 2026-03-02T11:55:00Z"),
      ([5, 120], "2 live sessions are active after the end, the first since 2026-03-02T10:00:00Z"),
    ] as [([Int64], String?)])
  func stale(minutes: [Int64], sentence: String?) async throws {
    let report = try await report(ended: minutes)
    let whole = sentence.map { "\($0): run 'celestra-admin sessions close'." }
    let text = report.text(.plain).description
    #expect(text.contains("active after the end") == (sentence != nil))
    #expect(text.hasSuffix(whole.map { "! \($0)\n" } ?? "\n"))
    #expect(report.rendered(as: .markdown, .plain).description.hasSuffix(whole.map { "\n\($0)\n" } ?? "\n"))
    let html = report.rendered(as: .html, .plain).description
    #expect(html.contains("<p>\(sentence ?? "no such sentence"): run ") == (sentence != nil))
    #expect(report.json["staleSessions"]?["count"] == .integer(Int64(minutes.count { $0 > 0 })))
    #expect(report.status == .done)
  }

  @Test("a container with neither feeds nor sessions has no status; a report of feeds alone has no sessions")
  func neither() async throws {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema("DEFINE SCHEMA RECORD TYPE Note ( text STRING );")
    await #expect(throws: HealthCheckError.self) {
      try await StatusReport(
        CatalogHealthReader(container: container), of: container, at: .monday, failLevel: nil)
    }
    let feeds = StatusReport(CatalogHealthReport(CatalogHealth([SampleFeed("a")])))
    #expect(feeds.json["staleSessions"] == nil && feeds.json["feeds"] == 1)
  }
}
