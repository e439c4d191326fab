import Diagnostics
import Testing

@testable import Articles

@Suite struct ArticleForecastTests {
  private func forecast(
    _ feeds: Int, _ itemsPerDay: Double, _ content: ArticleOptions.Content = .excerpt, days: Int64 = 90,
    otherWriters: Bool = true
  ) -> ArticleForecast {
    ArticleForecast(
      feeds: feeds, itemsPerDay: itemsPerDay, content: content, lifetime: .seconds(days * 86_400),
      otherWriters: otherWriters)
  }

  @Test("records and bytes multiply feeds, items, days and the bytes of an article")
  func sizes() {
    #expect(forecast(10, 2, days: 30).records == 600 && forecast(10, 2, days: 30).bytes == 600_000)
    #expect(forecast(10, 2, .full, days: 30).bytes == 4_800_000)
    #expect(
      forecast(0, 2).records == 0 && forecast(10, 0).records == 0 && forecast(10, 2, days: 0).records == 0)
  }

  @Test(
    "requests of an hourly run: feeds and states, lookups of items, titles and guids, and articles by number or size"
  )
  func requests() {
    // 2 to read, 1 to write states.
    #expect(forecast(1, 0).requestsPerRun == 3 && forecast(200, 0).requestsPerRun == 3)
    #expect(forecast(201, 0).requestsPerRun == 6)
    // 200 new items: 20 lookups, 2 by title, 2 by guid, 1 to create.
    #expect(forecast(200, 24).requestsPerRun == 28)
    #expect(forecast(200, 24, otherWriters: false).requestsPerRun == 26)
    // 400 new items of 200 feeds: 20 lookups, 3 by title, 3 by guid, 2 to create, or 3 by their size.
    #expect(forecast(200, 48).requestsPerRun == 31 && forecast(200, 48, .full).requestsPerRun == 32)
    // 10 new items of 10 feeds, of which each has 20 items.
    #expect(forecast(240, 1).requestsPerRun == 2 * 2 + 1 + 1 + 1 + 1 + 2)
  }

  @Test("the service takes 8 requests a second")
  func minutes() {
    #expect(abs(forecast(1, 0).minutesPerRun - 3.0 / 480) < 1e-9)
    let long = forecast(96_000, 0)
    #expect(long.requestsPerRun == 1440 && long.minutesPerRun == 3)
    #expect(long.json["minutesPerRun"] == .double(3) && long.json["requestsPerRun"] == JSONValue(1440))
  }

  @Test("the words have rounded numbers")
  func words() {
    let text = forecast(200, 1.23456, days: 30).text(.plain).description
    #expect(text.contains("200 feeds with 1.23 new items a day, stored as excerpt:"))
    #expect(text.contains("7407 articles, about 7 MB"))
    #expect(text.contains("an hourly run: at most 8 requests, 0.0 minutes at 8 requests a second"))
  }
}
