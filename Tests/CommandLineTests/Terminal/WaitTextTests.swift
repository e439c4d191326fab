import Diagnostics
import Testing

@testable import CommandLine

@Suite struct WaitTextTests {
  private static let wait = Wait(
    "service unavailable", detail: "service unavailable (records/query: HTTP status 503)",
    elapsed: .seconds(70),
    pause: .seconds(30), limit: .seconds(130))

  private func text(_ wait: Wait, age: Duration, _ width: Int, _ progress: String? = nil) -> String {
    WaitText(wait: wait, age: age, progress: progress).text(width: width).description
  }

  @Test(
    "the longest form that fits",
    arguments: [
      (
        140,
        "seed apply 20 of 170: service unavailable (records/query: HTTP status 503) for 1m20s, trying again in 20s, giving up in 2m"
      ),
      (
        110,
        "service unavailable (records/query: HTTP status 503) for 1m20s, trying again in 20s, giving up in 2m"
      ),
      (100, "seed apply 20 of 170: service unavailable for 1m20s, trying again in 20s, giving up in 2m"),
      (80, "service unavailable for 1m20s, trying again in 20s, giving up in 2m"),
      (60, "service unavailable for 1m20s, giving up in 2m"), (40, "service unavailable 1m20s, 2m left"),
      (20, "1m20s, 2m left"), (10, "1m20s"), (5, ""),
    ])
  func forms(_ width: Int, _ expected: String) {
    #expect(text(Self.wait, age: .seconds(10), width, "seed apply 20 of 170") == expected)
  }

  @Test("no form reaches the last column, at any width and in any second")
  func widths() {
    let wide = Wait(
      "\u{5F85}\u{3061}\u{1F40C}", detail: "\u{5F85}\u{3061} example.com/\u{30D5}\u{30A3}", limit: .seconds(9)
    )
    for wait in [Self.wait, wide, Wait("x", pause: .seconds(3)), Wait("another run holds the lease")] {
      for width in 0...160 {
        for second in stride(from: 0, through: 140, by: 7) {
          let text = text(wait, age: .seconds(second), width, width % 2 == 0 ? "seed apply 1 of 2" : nil)
          #expect(text.terminalColumns < max(1, width), "\(width) \(second)")
        }
      }
    }
    #expect("\u{5F85}\u{3061}\u{1F40C}a".terminalColumns == 7)
  }

  @Test("it counts down and up each second, and says nothing of what is over")
  func seconds() {
    let texts = [0, 1, 29, 30, 130].map { text(Self.wait, age: .seconds($0), 75) }
    #expect(texts[0] == "service unavailable for 1m10s, trying again in 30s, giving up in 2m10s")
    #expect(texts[1] == "service unavailable for 1m11s, trying again in 29s, giving up in 2m9s")
    #expect(texts[2] == "service unavailable for 1m39s, trying again in 1s, giving up in 1m41s")
    #expect(texts[3] == "service unavailable for 1m40s, giving up in 1m40s")
    #expect(texts[4] == "service unavailable (records/query: HTTP status 503) for 3m20s")
  }

  @Test("before the first second there is no duration, and the last attempt is called that")
  func ends() {
    let last = Wait("service unavailable", pause: .seconds(60), limit: .seconds(60))
    #expect(text(last, age: .zero, 80) == "service unavailable, trying again for the last time in 1m")
    #expect(text(last, age: .zero, 50) == "service unavailable 0s, 1m left")
    let lease = Wait("another run holds the lease", limit: .seconds(180), end: "taking over")
    #expect(
      text(lease, age: .milliseconds(1_500), 80) == "another run holds the lease for 1s, taking over in 2m59s"
    )
    let turn = Wait("waiting for a turn", pause: .seconds(2), next: "asking")
    #expect(text(turn, age: .zero, 80) == "waiting for a turn, asking in 2s")
  }

  @Test(
    "durations have the two largest units",
    arguments: [
      (0, "0s"), (59, "59s"), (60, "1m"), (61, "1m1s"), (3_599, "59m59s"), (3_600, "1h"), (3_661, "1h1m"),
      (90_000, "1d1h"), (86_460, "1d"), (-5, "0s"),
    ])
  func durations(_ seconds: Int, _ expected: String) {
    #expect(ShortDuration.text(.seconds(seconds)) == expected)
    let little = Duration.milliseconds(seconds > 0 ? 1 : 0)
    #expect(ShortDuration.text(.seconds(seconds) - little, rounding: .up) == expected)
  }
}
