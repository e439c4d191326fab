import Testing

@testable import FeedParsing

@Suite struct FeedDateTests {
  @Test(
    "dates are parsed in every format that feeds use",
    arguments: [
      ("2026-11-21T05:04:03Z", "2026-11-21T05:04:03Z"), ("2026-11-21", "2026-11-21T00:00:00Z"),
      ("2026-11", "2026-11-01T00:00:00Z"), ("20261121T050403+0100", "2026-11-21T04:04:03Z"),
      ("2026-11-21 05:04:03.25 -00:30", "2026-11-21T05:34:03.250Z"),
      ("2024-060", "2024-02-29T00:00:00Z"), ("Sat, 21 Nov 2026 05:04:03 GMT", "2026-11-21T05:04:03Z"),
      ("21 Nov 26 05:04 PDT", "2026-11-21T12:04:00Z"), ("Nov 21, 2026 5:04 PM", "2026-11-21T17:04:00Z"),
      ("Sat Nov 21 05:04:03 2026", "2026-11-21T05:04:03Z"),
      ("Sat, 2026/11/21 05:04:03 EST", "2026-11-21T10:04:03Z"),
      ("2026년 11월 21일 09:00:00", "2026-11-21T00:00:00Z"),
      ("mar, 03 juin 2025 09:39:21 +0200", "2025-06-03T07:39:21Z"), ("Mar 3, 2025", "2025-03-03T00:00:00Z"),
      ("вт, 03 июн 2025 09:39:21 +0300", "2025-06-03T06:39:21Z"),
      ("Tue, 3 Jun 2025 09:39:21 -0330", "2025-06-03T13:09:21Z"),
      ("3 Jun 2025 09:39:21 UTC", "2025-06-03T09:39:21Z"),
      ("Tue, 03 Jun 2025 09:39:21 CEST", "2025-06-03T07:39:21Z"),
      ("Σαβ, 21 Νοέ 2026 05:04:03 GMT", "2026-11-21T05:04:03Z"),
      ("2026-W47-6", "2026-11-21T00:00:00Z"), ("2026W476T050403Z", "2026-11-21T05:04:03Z"),
      ("2020-W53-5", "2021-01-01T00:00:00Z"), ("2026-W01", "2025-12-29T00:00:00Z"),
      ("Sat, 21 Nov 2026 05:04:03 A", "2026-11-21T06:04:03Z"),
      ("Sat, 21 Nov 2026 05:04:03 Y", "2026-11-20T17:04:03Z"),
      ("Saturday, 21 November 2026 at 05:04", "2026-11-21T05:04:00Z"),
      ("Saturday 21 November 2026 - 05:04", "2026-11-21T05:04:00Z"),
      ("sam. 21 nov. 2026 05:04:03 +0100", "2026-11-21T04:04:03Z"),
      ("21 de noviembre de 2026", "2026-11-21T00:00:00Z"), ("21 listopada 2026", "2026-11-21T00:00:00Z"),
      ("Sat, 21 November 2026 05:04:03 AT", "2026-11-21T09:04:03Z"),
      ("2026年11月21日", "2026-11-21T00:00:00Z"), ("2026年11月21日 下午5:04:03", "2026-11-21T17:04:03Z"),
    ])
  func accepted(text: String, expected: String) {
    #expect(FeedDate(text)?.iso8601 == expected)
  }

  @Test(
    "texts that are not dates are refused",
    arguments: [
      "", "yesterday", "2026-02-30", "2026-13-01", "2026-11-21T25:00:00Z", "2026-11-21T05:04:03+xx",
      "Sat, 32 Nov 2026 05:04:03 GMT", "Sat, 21 Foo 2026 05:04:03 GMT", "1:2:3:4", "12345678901234",
      "2026-W54-1", "2025-W53-1", "2026-W47-8", "Tue, 31 Feb 2025 09:39:21 GMT",
      "Tue, 03 Jun 2025 09:61:21 GMT", "06/03/2025", "Sat, 21 Mayor 2026",
    ])
  func refused(text: String) {
    #expect(FeedDate(text) == nil)
  }

  @Test(
    "the forms of nearly all feeds are read without the slow reader of all others",
    arguments: [
      "2026-11-21T05:04:03Z", "2026-11-21T05:04:03 CET", "2026-11-21 05:04:03+01:00", "20261121T0504Z",
      "Sat, 21 Nov 2026 05:04:03 GMT", "Sat, 1 Nov 2026 05:04:03 -0330", "21 Nov 2026 05:04:03 PDT",
      "21 Nov 2026 05:04:03 Z",
    ])
  func quickReaders(text: String) {
    let date = Array(text.utf8).withUnsafeBufferPointer {
      (ISO8601Date.parse($0) ?? RFC822Date.parse($0))?.date
    }
    #expect(date != nil && date == FeedDate(text))
  }
}
