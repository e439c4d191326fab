import Testing

@testable import FeedParsing

@Suite struct RFC822DateTests {
  private func read(_ text: String) -> String? {
    Array(text.utf8).withUnsafeBufferPointer { RFC822Date.parse($0)?.date?.iso8601 }
  }

  @Test(
    "the usual form is read, with or without a weekday, and with a day of one or two digits",
    arguments: [
      ("Sat, 21 Nov 2026 05:04:03 GMT", "2026-11-21T05:04:03Z"),
      ("sat, 21 NOV 2026 05:04:03 gmt", "2026-11-21T05:04:03Z"),
      ("Sun, 1 Nov 2026 05:04:03 GMT", "2026-11-01T05:04:03Z"),
      ("21 Nov 2026 05:04:03 UTC", "2026-11-21T05:04:03Z"),
      ("1 Nov 2026 05:04:03 Z", "2026-11-01T05:04:03Z"), ("21 Nov 2026 15:14:13 A", "2026-11-21T16:14:13Z"),
      ("21 Nov 2026 05:04:03 PDT", "2026-11-21T12:04:03Z"),
      ("21 Nov 2026 05:04:03 +0130", "2026-11-21T03:34:03Z"),
      ("21 Nov 2026 05:04:03 -0130", "2026-11-21T06:34:03Z"),
      ("21 Nov 2026 05:04:03 +1000", "2026-11-20T19:04:03Z"),
      // The weekday is not checked, and only the first three letters of a month count.
      ("Mon, 21 Nov 2026 05:04:03 GMT", "2026-11-21T05:04:03Z"),
    ])
  func accepted(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test("every other form is left to other readers, wherever it differs")
  func refused() {
    let text = "Sat, 21 Nov 2026 05:04:03 GMT"
    for index in text.indices where index < text.index(text.startIndex, offsetBy: 26) {
      // A letter of the weekday or month becomes another word, a digit a letter, and a mark another mark.
      var changed = text
      changed.replaceSubrange(index...index, with: text[index].isLetter ? "q" : "~")
      #expect(read(changed) == nil, "\(changed)")
    }
    for text in [
      "Sat, 21 Nov 2026 05:04:03 XYZT", "Sat, 21 Nov 2026 05:04:03 GMT+", "21 Nov 2026 05:04:03 +01300",
      "21 Nov 2026 05:04:03 +013", "21 Nov 2026 05:04:03 +x130", "21 Nov 2026 05:04:03 +01x0",
      "21 Nov 2026 05:04:03 ",
      "21 Nov 2026 05:04:03", "1 Nov 2026 05:04:03 ", "Sat, 21 Nov 2026 05:04",
      "Foo, 21 Nov 2026 05:04:03 GMT",
      "21 Nov 2026 05:04:03 *0130", "Saturday, 21 Nov 2026 05:04:03 GMT", "2026-11-21T05:04:03+01:00",
    ] {
      #expect(read(text) == nil, "\(text)")
    }
  }
}
