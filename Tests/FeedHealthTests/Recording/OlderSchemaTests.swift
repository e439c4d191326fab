import Articles
import CloudKitModel
import Diagnostics
import FeedState
import HTTPTransport
import RecordChanges
import Testing

@testable import FeedHealth

/// Containers whose schema lacks the fields that were added later.
@Suite struct OlderSchemaTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  private static let alerts: Set = [
    "dailyRefusals", "failingSince", "healthReasons", "lastFalls", "lastHTTPStatus", "suggestedURL",
  ]
  private static let articles: Set = ["articlesValidator", "itemIDRule", "undatedItems"]

  private func catalog(lacking fields: Set<String>) async throws -> TestCatalog {
    try await TestCatalog(feeds: ["a": url], clock: clock) { schema in
      let lines = schema.split(separator: "\n", omittingEmptySubsequences: false)
      let older = lines.filter { line in !fields.contains { line.contains(" \($0) ") } }
      #expect(older.count == lines.count - fields.count)
      return older.joined(separator: "\n")
    }
  }

  private func check(
    _ catalog: TestCatalog, storingArticles: Bool = false, _ answer: HTTPResponse
  ) async throws -> HealthRunResult {
    try await catalog.check(StubTransport([url: { _ in answer }]), clock) {
      $0.force = true
      $0.articles = storingArticles ? ArticleOptions() : nil
    }
  }

  @Test(
    "a check records what the schema can hold, and the report says what is not kept",
    arguments: [alerts, articles, alerts.union(articles), []], [false, true])
  func without(_ lacks: Set<String>, storingArticles: Bool) async throws {
    let catalog = try await catalog(lacking: lacks)
    for _ in 0..<3 {
      #expect(try await check(catalog, storingArticles: storingArticles, .status(404)).writes.isComplete)
      clock.advance(86_400)
    }
    let failed = try #require(try await catalog.metadata("a"))
    #expect(failed["healthStatus"] == .string("down"))
    #expect((failed["failingSince"] != nil) == lacks.isDisjoint(with: Self.alerts))

    let run = try await check(catalog, storingArticles: storingArticles, .ok(FeedText.rss(now: clock.now)))
    #expect(run.writes.isComplete && run.feeds[0].status == .degraded)
    let stored = try #require(try await catalog.metadata("a"))
    #expect(stored["healthStatus"] == .string("degraded"))
    let keepsArticles = storingArticles && lacks.isDisjoint(with: Self.articles)
    #expect((stored["articlesValidator"] != nil) == keepsArticles)
    let report = HealthRunReport(run).text(.plain).description
    #expect(report.contains("lacks the field failingSince") == !lacks.isDisjoint(with: Self.alerts))
    #expect(
      run.notes.contains { $0.contains("lacks articlesValidator") }
        == (storingArticles && !lacks.isDisjoint(with: Self.articles)))
  }

  @Test("status shows what such a container keeps")
  func status() async throws {
    let catalog = try await catalog(lacking: Self.alerts)
    for _ in 0..<3 {
      _ = try await check(catalog, .status(404))
      clock.advance(86_400)
    }
    let health = try await CatalogHealth(of: catalog.container, at: clock.now)
    #expect(health.total[.down] == 1)
    #expect(health.troubled[0].reasons == [.notFound])
    #expect(health.troubled[0].facts(at: clock.now).contains { $0.hasPrefix("uptime 0 % of 3 checks") })
  }
}
