import Catalog
import Testing

@Suite struct DailyCheckHistoryTests {
  @Test("the layout is the one other programs read: day << 32 | successes << 16 | failures")
  func layout() {
    #expect(DailyCheckCounts(day: 2, successes: 3, failures: 4).packed == 2 << 32 | 3 << 16 | 4)
  }

  @Test("at most 30 days are kept, the last ones")
  func window() {
    var history = DailyCheckHistory()
    for day in Int64(100)..<150 { history.add(success: true, on: day) }
    #expect(history.days.map(\.day) == Array(120..<150))
  }

  @Test("uptime is exact over the window and forgets what left it")
  func uptime() {
    var history = DailyCheckHistory()
    history.add(success: false, on: 100)
    for _ in 0..<3 { history.add(success: true, on: 110) }
    #expect(history.uptimePercentage(until: 110) == 75)
    #expect(history.uptimePercentage(until: 130) == 100)
    #expect(history.uptimePercentage(until: 140) == nil)
  }

  @Test("days written twice by other programs are added up")
  func repeatedDays() {
    let history = DailyCheckHistory([
      DailyCheckCounts(day: 2, successes: 1), DailyCheckCounts(day: 1), DailyCheckCounts(day: 2, failures: 1),
    ])
    #expect(history.days == [DailyCheckCounts(day: 1), DailyCheckCounts(day: 2, successes: 1, failures: 1)])
  }

  @Test("each count stops at 65,535 and keeps out of its neighbors")
  func limits() {
    func packed(_ successes: Int64, _ failures: Int64) -> DailyCheckCounts {
      DailyCheckCounts(packed: DailyCheckCounts(day: 7, successes: successes, failures: failures).packed)
    }
    #expect(packed(65_535, 0) == DailyCheckCounts(day: 7, successes: 65_535, failures: 0))
    #expect(packed(65_536, 0) == DailyCheckCounts(day: 7, successes: 65_535, failures: 0))
    #expect(packed(0, 65_536) == DailyCheckCounts(day: 7, successes: 0, failures: 65_535))
    #expect(packed(0, 65_534) == DailyCheckCounts(day: 7, successes: 0, failures: 65_534))
    #expect(DailyCheckCounts(day: 1) == DailyCheckCounts(day: 1, successes: 0, failures: 0))
  }
}
