import Diagnostics
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct HourlyArticleCountsTests {
  private func at(_ hours: Double) -> Timestamp { .monday + .milliseconds(Int64(hours * 3_600_000)) }

  @Test("an hour and the 23 before it are a day")
  func day() {
    var counts = HourlyArticleCounts()
    counts.add(5, at: at(0))
    counts.add(2, at: at(0.99))
    #expect(
      counts.lastDay(at: at(0)) == 7 && counts.lastDay(at: at(23.99)) == 7 && counts.lastDay(at: at(24)) == 0)
    #expect(counts.lastDay(at: at(-0.01)) == 0)
    counts.add(1, at: at(23))
    #expect(counts.lastDay(at: at(23)) == 8)
    counts.add(0, at: at(24))
    #expect(counts.lastDay(at: at(24)) == 1 && counts.lastDay(at: at(0)) == 0)
    counts.add(-1, at: at(24))
    #expect(counts.lastDay(at: at(24)) == 1)
  }

  @Test("counts are stored by hours since 1970, and other values are left out")
  func json() {
    var counts = HourlyArticleCounts()
    counts.add(5, at: Timestamp(milliseconds: 7_200_000))
    counts.add(6, at: Timestamp(milliseconds: 10_799_999))
    counts.add(7, at: Timestamp(milliseconds: 10_800_000))
    #expect(counts.json == ["2": .integer(11), "3": .integer(7)])
    #expect(
      HourlyArticleCounts(counts.json) == counts && HourlyArticleCounts("x") == nil
        && HourlyArticleCounts(nil) == nil)
    #expect(
      HourlyArticleCounts(["2": .integer(0), "3": .integer(1), "x": .integer(1), "4": "y", "5": .integer(-1)]
      )?.json
        == ["3": .integer(1)])
  }

  @Test("a run adds what it wrote; a run that stores none only counts what is known")
  func runs() {
    var none = HealthRunResult()
    none.addArticles(to: nil, at: .monday)
    #expect(none.articlesByHour == nil && none.articlesInDay == nil)
    var former = HourlyArticleCounts()
    former.add(3, at: .monday)
    none.addArticles(to: former, at: .monday)
    #expect(none.articlesInDay == 3)
  }
}
