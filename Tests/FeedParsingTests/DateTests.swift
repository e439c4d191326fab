import FeedParsing
import Testing

@Suite struct DateTests {
  @Test(
    "dates are read in every form feeds use",
    arguments: [
      ("2026-11-21T05:04:03Z", "2026-11-21T05:04:03Z"), ("2026-11-21", "2026-11-21T00:00:00Z"),
      ("2026-11", "2026-11-01T00:00:00Z"), ("20261121T050403+0100", "2026-11-21T04:04:03Z"),
      ("2026-11-21 05:04:03.25 -00:30", "2026-11-21T05:34:03.250Z"),
      ("2024-060", "2024-02-29T00:00:00Z"), ("Sat, 21 Nov 2026 05:04:03 GMT", "2026-11-21T05:04:03Z"),
      ("21 Nov 26 05:04 PDT", "2026-11-21T12:04:00Z"), ("Nov 21, 2026 5:04 PM", "2026-11-21T17:04:00Z"),
      ("Sat Nov 21 05:04:03 2026", "2026-11-21T05:04:03Z"),
      ("Sat, 2026/11/21 05:04:03 EST", "2026-11-21T10:04:03Z"),
      ("2026년 11월 21일 09:00:00", "2026-11-21T00:00:00Z"),
      ("Σαβ, 21 Νοέ 2026 05:04:03 GMT", "2026-11-21T05:04:03Z"),
    ])
  func accepted(text: String, expected: String) {
    #expect(FeedDate(text)?.iso8601 == expected)
  }

  @Test(
    "what is no date gives none",
    arguments: [
      "", "yesterday", "2026-02-30", "2026-13-01", "2026-11-21T25:00:00Z", "2026-11-21T05:04:03+xx",
      "Sat, 32 Nov 2026 05:04:03 GMT", "Sat, 21 Foo 2026 05:04:03 GMT", "1:2:3:4", "12345678901234",
    ])
  func refused(text: String) {
    #expect(FeedDate(text) == nil)
  }
}
