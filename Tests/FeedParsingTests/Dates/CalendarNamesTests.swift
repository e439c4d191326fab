import Testing

@testable import FeedParsing

@Suite struct CalendarNamesTests {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  @Test("an English month is its name or at least three of its first letters, in any letter case")
  func months() {
    for (index, name) in Self.months.enumerated() {
      for length in 3...name.count {
        for word in [
          String(name.prefix(length)), name.prefix(length).uppercased(), name.prefix(length).lowercased(),
        ] {
          #expect(CalendarNames.month(word.utf8) == index + 1, "\(word)")
          #expect(CalendarNames.shortMonth(word.utf8) == index + 1, "\(word)")
        }
      }
      #expect(CalendarNames.month(Array("\(name)x".utf8)) == nil, "\(name)x")
      #expect(CalendarNames.month(Array("\(name.prefix(3))x".utf8)) == nil)
      #expect(CalendarNames.shortMonth(Array("\(name.prefix(3))x".utf8)) == index + 1)
      #expect(CalendarNames.shortMonth(Array(name.prefix(2).utf8)) == nil)
    }
  }

  @Test("an English weekday is its name or at least three of its first letters, in any letter case")
  func weekdays() {
    for (index, name) in Self.weekdays.enumerated() {
      for length in 3...name.count {
        for word in [String(name.prefix(length)), name.prefix(length).uppercased()] {
          #expect(CalendarNames.weekday(word.utf8) == index + 1, "\(word)")
          #expect(CalendarNames.shortWeekday(word.utf8) == index + 1, "\(word)")
        }
      }
      #expect(
        CalendarNames.weekday(Array("\(name)x".utf8)) == nil
          && CalendarNames.weekday(Array(name.prefix(2).utf8)) == nil)
      #expect(CalendarNames.weekday(Array("\(name.prefix(3))x".utf8)) == nil)
    }
  }

  @Test(
    "no other word begins like a month or a weekday",
    arguments: ["", "foo", "jam", "mo", "nev", "sux", "123"])
  func others(word: String) {
    #expect(CalendarNames.month(Array(word.utf8)) == nil && CalendarNames.weekday(Array(word.utf8)) == nil)
    #expect(
      CalendarNames.shortMonth(Array(word.utf8)) == nil && CalendarNames.shortWeekday(Array(word.utf8)) == nil
    )
  }

  @Test("the months of other languages are in their order; Thai ones are left to the reader of Thai years")
  func languages() {
    for names in [
      "januar februar märz april mai juni juli august september oktober november dezember",
      "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
      "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    ] {
      for (index, name) in names.split(separator: " ").enumerated() {
        #expect(CalendarNames.month(Array(name.utf8)) == index + 1, "\(name)")
        #expect(CalendarNames.month(Array(name.uppercased().utf8)) == index + 1, "\(name)")
      }
    }
    for name in ["มกราคม", "เมษายน"] {
      #expect(CalendarNames.month(Array(name.utf8)) == nil)
      #expect(MonthNames.month(name) != nil)
    }
  }
}
