import Platform
import Testing

@Suite("Durations in milliseconds")
struct DurationTests {
  @Test(
    "they are rounded towards zero and clamped",
    arguments: [
      (Duration.milliseconds(-1500), Int64(-1500)), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
      (.microseconds(1999), 1), (.microseconds(999), 0), (.microseconds(-1999), -1), (.milliseconds(2), 2),
      (.seconds(1), 1000),
      (.zero, 0),
      // The last and the first whole milliseconds, and one beyond each.
      (
        Duration(secondsComponent: 9_223_372_036_854_775, attosecondsComponent: 807_000_000_000_000_000), .max
      ),
      (
        Duration(secondsComponent: 9_223_372_036_854_775, attosecondsComponent: 806_000_000_000_000_000),
        .max - 1
      ),
      (
        Duration(secondsComponent: 9_223_372_036_854_775, attosecondsComponent: 808_000_000_000_000_000), .max
      ),
      (
        Duration(secondsComponent: -9_223_372_036_854_775, attosecondsComponent: -808_000_000_000_000_000),
        .min
      ),
      (
        Duration(secondsComponent: -9_223_372_036_854_775, attosecondsComponent: -807_000_000_000_000_000),
        .min + 1
      ),
      (
        Duration(secondsComponent: -9_223_372_036_854_775, attosecondsComponent: -809_000_000_000_000_000),
        .min
      ),
    ])
  func milliseconds(duration: Duration, expected: Int64) { #expect(duration.milliseconds == expected) }
}
