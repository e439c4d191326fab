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

  @Test("a sum that does not fit is the nearest number")
  func sums() {
    #expect(Int64.max.addingClamped(1) == .max && Int64.min.addingClamped(-1) == .min)
    #expect(Int64.max.addingClamped(.min) == -1 && Int8(100).addingClamped(27) == 127)
    #expect(Int8(100).addingClamped(28) == 127 && Int8(-100).addingClamped(-29) == -128)
  }
}
