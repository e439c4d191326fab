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
