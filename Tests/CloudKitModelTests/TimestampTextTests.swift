import CloudKitModel
import FoundationEssentials
import Testing

@Suite struct TimestampTextTests {
  @Test(
    "a moment is written to the millisecond and read back as itself",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_795_273_154_518, "2026-11-21T14:59:14.518Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (1007, "1970-01-01T00:00:01.007Z"), (-1500, "1969-12-31T23:59:58.500Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00Z"), (-62_135_596_800_001, "-62135596800001"),
      (-12_219_292_800_000, "1582-10-15T00:00:00Z"), (-12_219_292_800_001, "1582-10-14T23:59:59.999Z"),
      (-11_676_096_000_000, "1600-01-01T00:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
      (-62_104_060_800_001, "0001-12-31T23:59:59.999Z"), (-60_000_000_000_000, "0068-09-03T13:20:00Z"),
      (253_402_300_800_000, "253402300800000"), (.min, "-9223372036854775808"),
      (.min + 1, "-9223372036854775807"), (.max, "9223372036854775807"),
    ] as [(Int64, String)])
  func roundTrip(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
    #expect(Timestamp(text: text)?.milliseconds == milliseconds)
  }

  @Test(
    "whole seconds are read in one form only, and agree with what is written, over all years and leap days")
  func wholeSeconds() {
    for days in stride(from: Int64(-719_162), through: 2_932_896, by: 97) {
      let moment = Timestamp(milliseconds: (days * 86_400 + abs(days * 7919) % 86_400) * 1000)
      #expect(Timestamp(wholeSeconds: moment.iso8601) == moment)
    }
    for text in [
      "2016-01-25T22:15:43.000Z", "2016-01-25 22:15:43Z", "2016-01-25T22:15:43+00:00", "1453760143", "",
      "2016-02-30T00:00:00Z", "2015-02-29T00:00:00Z", "2016-13-01T00:00:00Z", "2016-01-01T24:00:00Z",
      "2016-01-01T00:60:00Z", "0000-01-01T00:00:00Z", "99999-1-1T00:00:00Z", "2016-01-25T22:15:43z",
      "2016-01-25T22:15:4éZ", "+016-01-25T22:15:43Z", "20160-1-25T22:15:43Z",
    ] {
      #expect(Timestamp(wholeSeconds: text) == nil, "\(text)")
    }
    #expect(Timestamp(wholeSeconds: "2016-02-29T23:59:59Z")?.milliseconds == 1_456_790_399_000)
  }

  @Test("the time between two moments stays within what a duration in 64 bits of milliseconds holds")
  func since() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(last.since(first) == .milliseconds(Int64.max))
    #expect(first.since(last) == .milliseconds(Int64.min))
    #expect(Timestamp(milliseconds: 5).since(Timestamp(milliseconds: 7)) == .milliseconds(-2))
    #expect(last + .milliseconds(1) == last && first - .milliseconds(1) == first)
    #expect(Timestamp(milliseconds: 5) - .microseconds(2500) == Timestamp(milliseconds: 3))
  }

  @Test("days that no calendar has and hours that no clock has are refused")
  func impossible() {
    for text in [
      "2026-02-30", "2026-02-30T25:61:00Z", "2026-13-01", "2026-00-10", "2026-04-31T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T23:60:00Z", "2100-02-29", "10000-01-01", "0000-01-01", "+200-01-01",
    ] {
      #expect(Timestamp(text: text) == nil, "\(text)")
    }
    for text in ["2024-02-29", "2000-02-29T23:59:59Z", "2026-12-31T23:59:59+14:00"] {
      #expect(Timestamp(text: text) != nil, "\(text)")
    }
  }

  @Test("a date is the millisecond that it falls into, also before 1970")
  func dates() {
    for (seconds, milliseconds) in [(0, 0), (1.5, 1500), (1.0005, 1000), (-0.0005, -1), (-1, -1000)]
      as [(Double, Int64)]
    {
      #expect(Timestamp(Date(timeIntervalSince1970: seconds)).milliseconds == milliseconds)
    }
    #expect(Timestamp(milliseconds: 1500).date == Date(timeIntervalSince1970: 1.5))
    #expect(Timestamp(milliseconds: -250).date == Date(timeIntervalSince1970: -0.25))
  }
}
