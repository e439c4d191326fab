import Catalog
import Testing

@Suite struct CheckHistoryTests {
  @Test(
    "a day packs into one integer and back",
    arguments: [
      CheckDay(day: 0), CheckDay(day: 20_413, successes: 24, failures: 3),
      CheckDay(day: 1, successes: 65_535, failures: 65_535),
    ])
  func packing(day: CheckDay) {
    #expect(CheckDay(packed: day.packed) == day)
  }

  @Test("the layout is the one other programs read: day << 32 | successes << 16 | failures")
  func layout() {
    #expect(CheckDay(day: 2, successes: 3, failures: 4).packed == 2 << 32 | 3 << 16 | 4)
  }

  @Test("more checks than 16 bits hold do not spill into the day")
  func saturation() {
    #expect(CheckDay(packed: CheckDay(day: 5, successes: 70_000, failures: 70_000).packed).day == 5)
  }

  @Test("at most 30 days are kept, the last ones")
  func window() {
    var history = CheckHistory()
    for day in Int64(100)..<150 { history.add(success: true, on: day) }
    #expect(history.days.map(\.day) == Array(120..<150))
  }

  @Test("uptime is exact over the window and forgets what left it")
  func uptime() {
    var history = CheckHistory()
    history.add(success: false, on: 100)
    for _ in 0..<3 { history.add(success: true, on: 110) }
    #expect(history.uptimePercentage(until: 110) == 75)
    #expect(history.uptimePercentage(until: 130) == 100)
    #expect(history.uptimePercentage(until: 140) == nil)
  }

  @Test("days written twice by other programs are added up")
  func repeatedDays() {
    let history = CheckHistory([
      CheckDay(day: 2, successes: 1), CheckDay(day: 1), CheckDay(day: 2, failures: 1),
    ])
    #expect(history.days == [CheckDay(day: 1), CheckDay(day: 2, successes: 1, failures: 1)])
  }
}
