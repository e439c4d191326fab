import CloudKitModel
import Testing

@Suite struct TimestampTextTests {
  @Test(
    "a moment is written to the millisecond and read back as itself",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_795_273_154_518, "2026-11-21T14:59:14.518Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (1007, "1970-01-01T00:00:01.007Z"),
    ] as [(Int64, String)])
  func roundTrip(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
    #expect(Timestamp(text: text)?.milliseconds == milliseconds)
  }
}
