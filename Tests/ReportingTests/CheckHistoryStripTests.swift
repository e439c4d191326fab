import Catalog
import HTMLWriting
import Testing

@testable import Reporting

@Suite struct CheckHistoryStripTests {
  private static let today: Int64 = 20_000

  /// Each day's distance from today, with its successes and failures.
  private func strip(_ days: (Int64, Int64, Int64)...) -> CheckHistoryStrip {
    CheckHistoryStrip(
      DailyCheckHistory(
        days.map { DailyCheckCounts(day: Self.today - $0.0, successes: $0.1, failures: $0.2) }),
      today: Self.today)
  }

  @Test(
    "a day is good or failed when all its checks are, and mixed otherwise",
    arguments: [
      (0, 0, .unchecked), (1, 0, .good), (0, 1, .failed), (1, 1, .mixed), (9, 1, .mixed), (1, 9, .mixed),
    ]
      as [(Int64, Int64, CheckHistoryStrip.Day)])
  func day(successes: Int64, failures: Int64, day: CheckHistoryStrip.Day) {
    #expect(strip((0, successes, failures)).days.last == day)
  }

  @Test(
    "the strip has 30 days, today included, and no day after today",
    arguments: [(-1, nil), (0, 29), (1, 28), (28, 1), (29, 0), (30, nil), (31, nil)] as [(Int64, Int?)])
  func window(age: Int64, index: Int?) {
    let days = strip((age, 1, 0)).days
    #expect(days.count == 30 && days.firstIndex(of: .good) == index)
    #expect(days.count { $0 != .unchecked } == (index == nil ? 0 : 1))
  }

  @Test("words name the kinds of days that there are")
  func words() {
    #expect(strip().words == "no checks")
    #expect(strip((0, 1, 0)).words == "1 good")
    #expect(strip((0, 1, 0), (3, 0, 1), (4, 0, 2)).words == "1 good, 2 failed")
    #expect(strip((0, 2, 1), (29, 1, 0), (28, 0, 1)).words == "1 good, 1 mixed, 1 failed")
  }

  @Test("neighbors of one kind are one bar; the better the day, the higher the bar")
  func picture() {
    let strip = strip((29, 0, 1), (28, 0, 2), (4, 1, 1), (3, 1, 0), (0, 2, 0))
    #expect(strip.blocks == "▂▂·······················▅█··█")
    #expect(
      strip.picture.description == """
        <svg width="120" height="12" aria-hidden="true">\
        <path fill="#8A8F98" d="M8 11h92v1h-92zM108 11h8v1h-8z"/><path fill="#A4161A" d="M0 8h8v4h-8z"/>\
        <path fill="#B26A00" d="M100 4h4v8h-4z"/><path fill="#0B6E99" d="M104 0h4v12h-4zM116 0h4v12h-4z"/></svg>
        """)
    #expect(
      self.strip().picture.description == """
        <svg width="120" height="12" aria-hidden="true"><path fill="#8A8F98" d="M0 11h120v1h-120z"/></svg>
        """)
  }
}
