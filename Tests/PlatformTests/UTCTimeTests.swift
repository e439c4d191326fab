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

  @Test(
    "a moment of the years 1 to 9999 is written in ISO 8601 and read back, with milliseconds where there are any",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999Z"), (1007, "1970-01-01T00:00:01.007Z"),
      (-1500, "1969-12-31T23:59:58.500Z"), (1_795_273_154_518, "2026-11-21T14:59:14.518Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
      (-62_104_060_800_001, "0001-12-31T23:59:59.999Z"), (-12_219_292_800_001, "1582-10-14T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00Z"), (-2_203_891_200_000, "1900-03-01T00:00:00Z"),
      (13_569_465_600_000, "2400-01-01T00:00:00Z"), (13_574_563_200_000, "2400-02-29T00:00:00Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00Z"), (1_010_203_000_000, "2002-01-05T03:56:40Z"),
    ] as [(Int64, String)])
  func iso8601(milliseconds: Int64, text: String) {
    #expect(UTCTime.iso8601(millisecondsSince1970: milliseconds) == text)
    #expect(UTCTime.milliseconds(text) == milliseconds && UTCTime.clock(text) == milliseconds)
    let seconds = milliseconds % 1000 == 0 ? milliseconds / 1000 : nil
    #expect(UTCTime.wholeSeconds(text) == seconds)
    if let seconds { #expect(UTCTime.iso8601(secondsSince1970: seconds) == text) }
  }

  @Test(
    "another form of a moment is read as well, and a number as itself",
    arguments: [
      ("2026-03-02", 1_772_409_600_000), ("2026-03-02T01:00:00+01:00", 1_772_409_600_000), ("7", 7),
      ("-7", -7),
      ("9223372036854775807", .max), ("1970-01-01T00:00:00.5Z", 500), ("1600-01-01", -11_676_096_000_000),
      ("2026-12-31T23:59:59+14:00", 1_798_711_199_000),
      ("2026-03", nil), ("2026-", nil), ("2026", 2026), ("+200-01-01", nil), ("02026-01-01", nil),
      ("2026/01/01", nil),
      ("0000-01-01", nil), ("10000-01-01", nil), ("2026-01-01T", nil), ("", nil), ("x", nil),
      ("1900-02-29", nil),
    ] as [(String, Int64?)])
  func otherForms(text: String, milliseconds: Int64?) {
    #expect(UTCTime.milliseconds(text) == milliseconds)
    #expect(UTCTime.wholeSeconds(text) == nil)
  }

  @Test(
    "whole seconds have one form",
    arguments: [
      ("2016-02-29T23:59:59Z", 1_456_790_399), ("0001-01-01T00:00:00Z", -62_135_596_800),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("2016-01-25T22:15:43.000Z", nil),
      ("2016-01-25 22:15:43Z", nil),
      ("2016-02-30T00:00:00Z", nil), ("2015-02-29T00:00:00Z", nil), ("2016-13-01T00:00:00Z", nil),
      ("2016-01-01T24:00:00Z", nil), ("2016-01-01T00:60:00Z", nil), ("2016-01-01T00:00:60Z", nil),
      ("0000-01-01T00:00:00Z", nil),
      ("99999-1-1T00:00:00Z", nil), ("2016-01-25T22:15:43z", nil), ("2016-01-25T22:15:4éZ", nil),
      ("+016-01-25T22:15:43Z", nil),
      ("20160-1-25T22:15:43Z", nil), ("2016-01-25T22:15:432", nil), ("20160125T22:15:43.0Z", nil),
      ("1-1-1-1-1-1-1-1-1-1-", nil),
      ("2016-01-25T22:15Z    ", nil), ("20 characters, 0 no.", nil),
    ] as [(String, Int64?)])
  func wholeSeconds(text: String, seconds: Int64?) {
    #expect(UTCTime.wholeSeconds(text) == seconds)
  }

  @Test(
    "a quotient is rounded down, and the remainder is never negative",
    arguments: [
      (0, 3, 0, 0), (1, 3, 0, 1), (2, 3, 0, 2), (3, 3, 1, 0), (4, 3, 1, 1), (-1, 3, -1, 2), (-2, 3, -1, 1),
      (-3, 3, -1, 0),
      (-4, 3, -2, 2), (5, 1, 5, 0), (-5, 1, -5, 0),
    ])
  func floorDivision(number: Int, divisor: Int, quotient: Int, remainder: Int) {
    #expect(number.floorDivided(by: divisor) == (quotient, remainder))
  }
}
