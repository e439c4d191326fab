import Testing

@testable import DemoFeeds

@Suite("Demo dates")
struct DemoDateTests {
  @Test(
    "a moment is written in both forms",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59Z"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
      (1_800_000_000, "Fri, 15 Jan 2027 08:00:00 GMT", "2027-01-15T08:00:00Z"),
      (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT", "2100-02-28T23:59:59Z"),
    ] as [(Int64, String, String)])
  func forms(_ seconds: Int64, _ rfc822: String, _ rfc3339: String) {
    #expect(DemoDate(seconds: seconds).rfc822 == rfc822)
    #expect(DemoDate(seconds: seconds).rfc3339 == rfc3339)
  }
}
