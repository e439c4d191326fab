import Testing

@testable import FeedParsing

@Suite struct CivilTimeTests {
  private func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0,
    offset: Int = 0
  ) -> Int64? {
    CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second, offset: offset
    ).date.map { $0.milliseconds / 1000 }
  }

  @Test("a moment without parts is the first of January of no year")
  func defaults() {
    var civil = CivilTime()
    #expect(civil.date == nil)
    civil.year = 1970
    #expect(civil.date?.milliseconds == 0)
  }

  @Test("known moments have their seconds since 1970")
  func known() {
    #expect(seconds(1, 1, 1) == -62_135_596_800)
    #expect(seconds(1969, 12, 31, 23, 59, 59) == -1)
    #expect(seconds(2000, 2, 29) == 951_782_400 && seconds(2000, 3, 1) == 951_868_800)
    #expect(seconds(2026, 11, 21, 5, 4, 3) == 1_795_237_443)
    #expect(seconds(9999, 12, 31, 23, 59, 59) == 253_402_300_799)
    var civil = CivilTime(year: 2026, month: 11, day: 21, hour: 5, minute: 4, second: 3)
    civil.millisecond = 250
    #expect(civil.date?.milliseconds == 1_795_237_443_250)
  }

  @Test("years are 1 to 9999, months 1 to 12, and days as many as the month has")
  func calendar() {
    for (year, exists) in [(0, false), (1, true), (9999, true), (10_000, false)] {
      #expect((seconds(year, 1, 1) != nil) == exists, "\(year)")
    }
    for month in [0, 13] { #expect(seconds(2026, month, 1) == nil, "\(month)") }
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for (year, isLeap) in [
      (2026, false), (2024, true), (1900, false), (2000, true), (2100, false), (1600, true), (2023, false),
    ] {
      for (index, length) in lengths.enumerated() {
        let length = index == 1 && isLeap ? 29 : length
        #expect(seconds(year, index + 1, length) != nil, "\(year)-\(index + 1)")
        #expect(seconds(year, index + 1, length + 1) == nil && seconds(year, index + 1, 0) == nil)
      }
    }
  }

  @Test("the days of a calendar follow one another, and so do weekdays")
  func succession() {
    // 1 January 1896 was a Wednesday, and 27,028 days before 1970.
    var expected = (days: Int64(-27_028), weekday: 3)
    for year in 1896...1905 {
      for month in 1...12 {
        for day in 1...31 {
          let civil = CivilTime(year: year, month: month, day: day)
          guard let date = civil.date else { continue }
          #expect(date.milliseconds == expected.days * 86_400_000)
          #expect(civil.weekday == expected.weekday)
          expected = (expected.days + 1, expected.weekday % 7 + 1)
        }
      }
    }
    #expect(expected.days == -23_376)
  }

  @Test("a time is within a day, a leap second counts as the one before it, and 24:00 is the next day")
  func clock() {
    let start = seconds(2026, 11, 21) ?? 0
    #expect(seconds(2026, 11, 21, 23, 59, 59) == start + 86_399)
    #expect(seconds(2026, 11, 21, 23, 59, 60) == start + 86_399)
    #expect(seconds(2026, 11, 21, 0, 0, 58) == start + 58)
    #expect(seconds(2026, 11, 21, 24, 0, 0) == start + 86_400)
    for (hour, minute, second) in [
      (24, 1, 0), (24, 0, 1), (25, 0, 0), (-1, 0, 0), (0, 60, 0), (0, -1, 0), (0, 0, 61), (0, 0, -1),
    ] {
      #expect(seconds(2026, 11, 21, hour, minute, second) == nil, "\(hour):\(minute):\(second)")
    }
    for (offset, exists) in [(1439, true), (-1439, true), (1440, false), (-1440, false)] {
      #expect(
        seconds(2026, 11, 21, offset: offset) == (exists ? start - Int64(offset) * 60 : nil), "\(offset)")
    }
  }

  @Test("a day since 1970 has a date")
  func days() {
    for (days, year, month, day) in [
      (0, 1970, 1, 1), (-1, 1969, 12, 31), (58, 1970, 2, 28), (59, 1970, 3, 1), (11_015, 2000, 2, 28),
      (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (-25_509, 1900, 2, 28), (-25_508, 1900, 3, 1),
      (-719_162, 1, 1, 1), (-719_468, 0, 3, 1), (-719_469, 0, 2, 29), (2_932_896, 9999, 12, 31),
      (20_513, 2026, 3, 1),
      (20_514, 2026, 3, 2),
    ] {
      var civil = CivilTime()
      civil.setDay(days)
      #expect([civil.year, civil.month, civil.day] == [year, month, day], "\(days)")
    }
    for days in stride(from: -719_162, through: 2_932_896, by: 97) {
      var civil = CivilTime()
      civil.setDay(days)
      #expect(civil.date?.milliseconds == Int64(days) * 86_400_000, "\(days)")
    }
  }

  @Test("the day of a year has a month")
  func ordinalDays() {
    for (year, ordinal, month, day) in [
      (2026, 1, 1, 1), (2026, 31, 1, 31), (2026, 32, 2, 1), (2026, 59, 2, 28), (2026, 60, 3, 1),
      (2024, 60, 2, 29),
      (2024, 61, 3, 1), (2026, 365, 12, 31), (2024, 366, 12, 31), (2026, 334, 11, 30),
    ] {
      var civil = CivilTime(year: year, month: 9, day: 9)
      let exists = civil.setOrdinalDay(ordinal)
      #expect(exists && civil.month == month && civil.day == day, "\(year)-\(ordinal)")
    }
    for (year, ordinal) in [(2026, 0), (2026, 366), (2024, 367)] {
      var civil = CivilTime(year: year)
      let exists = civil.setOrdinalDay(ordinal)
      #expect(!exists, "\(year)-\(ordinal)")
    }
  }

  @Test("the first week of a year contains January 4, and some years have 53 weeks")
  func weeks() {
    for (year, week, weekday, expected) in [
      (2026, 1, 1, [2025, 12, 29]), (2026, 1, 4, [2026, 1, 1]), (2026, 53, 7, [2027, 1, 3]),
      (2020, 53, 5, [2021, 1, 1]),
      (2025, 52, 7, [2025, 12, 28]), (2024, 1, 1, [2024, 1, 1]), (2027, 1, 1, [2027, 1, 4]),
      (2021, 1, 1, [2021, 1, 4]),
      (2000, 1, 1, [2000, 1, 3]), (1970, 1, 1, [1969, 12, 29]), (2026, 47, 6, [2026, 11, 21]),
      (2026, 10, 1, [2026, 3, 2]),
    ] {
      var civil = CivilTime(year: year)
      let exists = civil.setWeek(week, day: weekday)
      #expect(exists && [civil.year, civil.month, civil.day] == expected, "\(year)-W\(week)-\(weekday)")
    }
    for (year, week, weekday) in [
      (2026, 0, 1), (2026, 54, 1), (2025, 53, 1), (2025, 53, 7), (2026, 1, 0), (2026, 1, 8),
    ] {
      var civil = CivilTime(year: year)
      let exists = civil.setWeek(week, day: weekday)
      #expect(!exists, "\(year)-W\(week)-\(weekday)")
    }
  }

  @Test("a fraction of any length becomes milliseconds")
  func fractions() {
    for (value, digits, expected) in [
      (5, 1, 500), (5, 2, 50), (25, 2, 250), (250, 3, 250), (7, 3, 7), (2509, 4, 250), (123_456_789, 9, 123),
      (0, 1, 0),
    ] {
      var civil = CivilTime()
      civil.setFraction((value, digits))
      #expect(civil.millisecond == expected, "\(value), \(digits)")
    }
  }

  @Test("two digits of a year mean 1970 to 2069")
  func fullYears() {
    for (value, digits, expected) in [
      (0, 1, 2000), (0, 2, 2000), (69, 2, 2069), (70, 2, 1970), (99, 2, 1999), (69, 3, 69), (70, 3, 70),
      (2026, 4, 2026),
    ] {
      #expect(CivilTime.fullYear(value, digits: digits) == expected, "\(value), \(digits)")
    }
  }
}
