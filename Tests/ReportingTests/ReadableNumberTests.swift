import Testing

@testable import Reporting

@Suite struct ReadableNumberTests {
  @Test(
    "three digits are a group",
    arguments: [
      (0, "0"), (7, "7"), (12, "12"), (999, "999"), (1000, "1,000"), (12_345, "12,345"), (123_456, "123,456"),
      (1_234_567, "1,234,567"), (-1, "−1"), (-999, "−999"), (-1000, "−1,000"),
      (.min, "−9,223,372,036,854,775,808"),
    ] as [(Int64, String)])
  func grouped(number: Int64, text: String) { #expect(ReadableNumber.grouped(number) == text) }

  @Test(
    "only one is in the singular",
    arguments: [(0, "0 feeds"), (1, "1 feed"), (2, "2 feeds"), (-1, "−1 feed"), (1000, "1,000 feeds")])
  func counted(number: Int, text: String) { #expect(ReadableNumber.counted(number, "feed") == text) }

  @Test(
    "a change has its sign",
    arguments: [(-1204, "−1,204"), (-1, "−1"), (0, "0"), (1, "+1"), (1204, "+1,204")])
  func change(number: Int, text: String) { #expect(ReadableNumber.change(number) == text) }

  @Test(
    "tenths have one decimal, but all is 100 %",
    arguments: [
      (0, "0.0"), (9, "0.9"), (10, "1.0"), (11, "1.1"), (428, "42.8"), (999, "99.9"), (1000, "100.0"),
    ])
  func tenths(number: Int64, text: String) {
    #expect(ReadableNumber.tenths(number) == text)
    #expect(ReadableNumber.percent(tenths: number) == (number == 1000 ? "100 %" : "\(text) %"))
  }

  @Test(
    "a text is shortened to a number of Unicode scalars",
    arguments: [
      ("", ""), ("abcd", "abcd"), ("abcde", "abcde"), ("abcdef", "abcd…"), ("e\u{301}bcde", "e\u{301}bc…"),
    ])
  func shortened(text: String, shown: String) { #expect(ReadableNumber.shortened(text, to: 5) == shown) }

  @Test("160 scalars are the usual limit", arguments: [(159, 159), (160, 160), (161, 160), (500, 160)])
  func usualLimit(count: Int, shown: Int) {
    let text = ReadableNumber.shortened(String(repeating: "x", count: count))
    #expect(text.count == shown && text.hasSuffix("…") == (count > 160))
  }
}
