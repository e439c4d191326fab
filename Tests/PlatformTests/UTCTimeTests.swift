import Platform
import Testing

@Suite struct UTCTimeTests {
  @Test(
    "a clock is set to a time of the years 1 to 9999, so that no sum overflows",
    arguments: [
      "9223372036854775807", "-9223372036854775808", "253402300800000", "-62135596800001", "1e400", "NaN", "",
      "10000-01-01T00:00:00Z", "-1", "0", "253402300799999", "-62135596800000", "2026-03-02",
    ])
  func clock(_ text: String) {
    let accepted = ["-1", "0", "253402300799999", "-62135596800000", "2026-03-02"].contains(text)
    #expect((UTCTime.clock(text) != nil) == accepted)
  }

  @Test("each month has its days, and February one more in leap years", arguments: [2023, 2024, 2100, 2000])
  func daysOfMonths(year: Int) {
    let february = [2023: 28, 2024: 29, 2100: 28, 2000: 29][year] ?? 0
    for (index, days) in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
      let month = "\(year)-\(index < 9 ? "0" : "")\(index + 1)"
      #expect(UTCTime.clock("\(month)-\(days)") != nil)
      #expect(UTCTime.clock("\(month)-\(days + 1)") == nil)
      #expect(UTCTime.clock("\(month)-00") == nil)
    }
    #expect(UTCTime.clock("\(year)-13-01") == nil && UTCTime.clock("\(year)-00-01") == nil)
  }

  @Test(
    "a clock ends before 24 hours, 60 minutes, and a second that may be a leap second",
    arguments: [
      ("23:59:59", true), ("23:59:60", true), ("24:00:00", false), ("23:60:00", false), ("23:59:61", false),
    ])
  func clockTimes(time: String, isRead: Bool) {
    #expect((UTCTime.clock("2026-03-02T\(time)Z") != nil) == isRead)
  }

  @Test("a sum that does not fit is the nearest number")
  func sums() {
    #expect(Int64.max.addingClamped(1) == .max && Int64.min.addingClamped(-1) == .min)
    #expect(Int64.max.addingClamped(.min) == -1 && Int8(100).addingClamped(27) == 127)
    #expect(Int8(100).addingClamped(28) == 127 && Int8(-100).addingClamped(-29) == -128)
  }

  @Test(
    "a moment is written as a header of HTTP and in ISO 8601",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59Z"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
      (1_800_000_000, "Fri, 15 Jan 2027 08:00:00 GMT", "2027-01-15T08:00:00Z"),
      (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT", "2100-02-28T23:59:59Z"),
    ] as [(Int64, String, String)])
  func forms(_ seconds: Int64, _ httpDate: String, _ iso8601: String) {
    #expect(UTCTime.httpDate(secondsSince1970: seconds) == httpDate)
    #expect(UTCTime.iso8601(secondsSince1970: seconds) == iso8601)
  }
}
