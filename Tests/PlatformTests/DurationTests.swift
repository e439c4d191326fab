import Platform
import Testing

@Suite("Durations in milliseconds")
struct DurationTests {
  @Test(
    "they are rounded towards zero and clamped",
    arguments: [
      (Duration.milliseconds(-1500), Int64(-1500)), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
      (.microseconds(1999), 1),
    ])
  func milliseconds(duration: Duration, expected: Int64) { #expect(duration.milliseconds == expected) }
}
