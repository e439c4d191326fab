import Diagnostics
import FeedParsing
import Testing

@Suite struct EncodingTests {
  private func feed(_ title: [UInt8], declared: String? = nil, contentType: String? = nil) -> ParsedFeed {
    let declaration = declared.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
    let head = Array("\(declaration)<rss version='2.0'><channel><title>".utf8)
    return FeedParser.parse(
      head + title + Array("</title></channel></rss>".utf8), contentType: contentType)
  }

  @Test(
    "declared encodings are converted",
    arguments: [
      ("iso-8859-1", [0x63, 0x61, 0x66, 0xE9] as [UInt8], "café"), ("windows-1251", [0xC4, 0xE0], "Да"),
      ("koi8-r", [0xE4, 0xC1], "Да"), ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
      ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("euc-kr", [0xC7, 0xD1], "한"),
      ("x-mac-roman", [0x8E], "é"), ("iso8859_2", [0xB9], "š"), ("cp1251", [0xC4, 0xE0], "Да"),
      ("ks_c_5601-1987", [0xC7, 0xD1], "한"), ("csBig5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"),
    ])
  func declared(name: String, bytes: [UInt8], expected: String) {
    let feed = feed(bytes, declared: name)
    #expect(feed.title == expected)
    #expect(feed.wellFormed)
  }

  @Test("the HTTP charset takes precedence over the declaration")
  func header() {
    let feed = feed([0xE9], declared: "utf-8", contentType: "application/rss+xml; charset=windows-1252")
    #expect(feed.title == "é")
    #expect(feed.encoding == "windows-1252")
  }

  @Test("a wrong declaration is detected, corrected and reported")
  func mismatch() {
    let feed = feed(Array("caf".utf8) + [0xE9], declared: "utf-8")
    #expect(feed.title == "café")
    #expect(feed.encoding == "windows-1252")
    #expect(!feed.wellFormed && feed.recovered)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.encodingMismatch.code })
  }

  @Test(
    "UTF-8 under another label is read as UTF-8 and reported",
    arguments: [
      "iso-8859-1", "windows-1252", "ISO-8859-15", "koi8-r", "us-ascii", "shift-jis", "euc-kr", "gb18030",
      "utf-16be", "utf-16le", "utf-32be", "ibm037",
    ])
  func wrongLabel(label: String) {
    for feed in [
      feed(Array("Café".utf8), declared: label),
      feed(Array("Café".utf8), declared: label, contentType: "text/xml"),
      feed(Array("Café".utf8), declared: "utf-8", contentType: "text/xml; charset=\(label)"),
    ] {
      #expect(feed.title == "Café")
      #expect(feed.encoding == "utf-8" || feed.encoding == "us-ascii")
      #expect(feed.wellFormed)
      #expect(feed.diagnostics.map(\.code).contains(FeedRule.encodingMismatch.code))
    }
  }

  @Test(
    "of two labels that differ the one with several bytes a character is followed, and the difference reported"
  )
  func twoLabels() {
    let header = "application/xml; charset=iso-8859-1"
    for (label, bytes, title) in [
      ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"), ("windows-1251", [0xC4, 0xE0], "Äà"),
    ] as [(String, [UInt8], String)] {
      let feed = feed(bytes, declared: label, contentType: header)
      #expect(feed.title == title && feed.wellFormed)
      #expect(feed.diagnostics.map(\.code) == [FeedRule.encodingMismatch.code])
    }
    #expect(feed(Array("Cafe".utf8), declared: "euc-jp", contentType: header).diagnostics.isEmpty)
  }

  @Test("text that is not UTF-8 keeps its label, and so does plain ASCII")
  func rightLabel() {
    #expect(feed([0xD2, 0xBB, 0xD0, 0xA9], declared: "gb2312").title == "一些")
    #expect(feed([0xC3, 0x61], declared: "iso-8859-1").title == "Ãa")
    #expect(feed(Array("Cafe".utf8), declared: "iso-8859-1").diagnostics.isEmpty)
    #expect(feed(Array("Cafe".utf8), declared: "us-ascii").diagnostics.isEmpty)
  }

  @Test("a byte order mark against the label wins and is reported")
  func markAgainstLabel() {
    let document = Array(
      "<?xml version='1.0' encoding='iso-8859-1'?><rss version='2.0'><channel><title>é</title>".utf8)
    let end = Array("</channel></rss>".utf8)
    let feed = FeedParser.parse([0xEF, 0xBB, 0xBF] + document + end)
    #expect(feed.title == "é")
    #expect(feed.diagnostics.map(\.code) == [FeedRule.encodingMismatch.code])
  }

  @Test("a JSON Feed in UTF-8 is read as such under any label")
  func labeledJSON() {
    let text = #"{"version":"https://jsonfeed.org/version/1.1","title":"Café","items":[]}"#
    for label in ["iso-8859-1", "utf-16", "shift_jis", "us-ascii"] {
      let feed = FeedParser.parse(text.utf8, contentType: "application/json; charset=\(label)")
      #expect(feed.title == "Café" && feed.wellFormed)
      #expect(feed.diagnostics.map(\.code) == [FeedRule.encodingMismatch.code])
    }
  }

  @Test("UTF-16 is read with a byte order mark in either order")
  func wide() {
    let text = "<rss version='2.0'><channel><title>é</title></channel></rss>"
    let units = Array(text.utf16)
    let little: [UInt8] =
      [0xFF, 0xFE] + units.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let big: [UInt8] =
      [0xFE, 0xFF] + units.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    #expect(FeedParser.parse(little).title == "é")
    #expect(FeedParser.parse(big).encoding == "utf-16be")
  }

  @Test("a few invalid bytes do not change UTF-8 into another encoding")
  func fewBadBytes() {
    let feed = feed(Array(String(repeating: "é", count: 7).utf8) + [0x20, 0x93, 0x71, 0x94])
    #expect(feed.encoding == "utf-8")
    #expect(feed.title?.hasPrefix("ééééééé ") == true)
  }
}
