import Articles
import CloudKitModel
import Diagnostics
import FeedHealth
import Testing

/// The number of articles of the last run and the last day, in status and metrics.
@Suite struct ArticlesOfDayTests {
  private func metric(_ name: String, of run: HealthRunResult) -> Double? {
    run.metrics.first { $0.family.name.hasSuffix(name) }?.value
  }

  @Test("articles of the last 24 hours are added up, runs that store none included")
  func day() async throws {
    let world = try await ArticleWorld()
    var items = TestItem.list(["1", "2", "3"])
    func run(_ articles: ArticleOptions? = ArticleOptions()) async throws -> HealthRunResult {
      world.serve(items, etag: nil)
      return try await world.run(articles, hasLease: true)
    }
    func status() async throws -> CatalogHealth {
      try await CatalogHealth(of: world.container, at: world.clock.time)
    }
    let none = try await run(nil)
    #expect(none.articlesInDay == nil && metric("written_last_day", of: none) == nil)
    #expect(try await status().articlesSentence == nil)
    _ = try await run()
    world.clock.advance(days: 0.5)
    items += TestItem.list(["4", "5"])
    let second = try await run()
    #expect(second.articlesInDay == 5 && metric("written_last_day", of: second) == 5)
    #expect(try await status().articlesSentence == "2 articles written, 5 in 24 hours by runs for all feeds")
    world.clock.advance(days: 0.6)
    #expect(try await status().articlesSentence == "2 articles written, 2 in 24 hours by runs for all feeds")
    #expect(try await run(nil).articlesInDay == 2)
    #expect(try await status().articlesSentence == "2 articles written in 24 hours by runs for all feeds")
    world.clock.advance(days: 2)
    #expect(try await status().articlesInDay == 0)
  }
}
