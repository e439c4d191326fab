import Testing

@testable import XMLReading

@Suite struct HTMLTextCleanerTests {
  private func prepare(_ text: String, upTo limit: Int = 1 << 20) -> String {
    String(decoding: HTMLTextCleaner.prepare(text, upTo: limit), as: UTF8.self)
  }

  private func decode(_ bytes: [UInt8], contentType: String? = nil, upTo limit: Int = 1 << 20) -> (
    text: String, encoding: String
  ) {
    let (text, encoding) = HTMLTextCleaner.decode(bytes, contentType: ContentType(contentType), upTo: limit)
    return (String(decoding: text, as: UTF8.self), encoding.name)
  }

  @Test("one byte more than the limit is kept")
  func limit() {
    for (count, expected) in [(0, 0), (3, 3), (4, 4), (5, 5), (6, 5), (7, 5)] {
      let text = String(repeating: "a", count: count)
      #expect(prepare(text, upTo: 4).utf8.count == expected)
      #expect(decode(Array(text.utf8), upTo: 4).text.utf8.count == expected)
      // The other way, of text that is not valid as it is: U+FFFD has three bytes.
      #expect(prepare("\0" + text, upTo: 7).utf8.count == 3 + expected)
    }
  }

  @Test(
    "a word has 8 KiB at most; it ends at what is no letter, digit or sign of ASCII, and keeps its hyphens",
    arguments: [
      (" ", true), ("\t", true), ("\u{1F}", true), ("\"", true), ("'", true), ("<", true), (">", true),
      ("\u{7F}", true),
      ("é", true), ("!", false), ("~", false), ("=", false), (";", false), ("?", false), ("&", false),
      ("(", false),
      ("#", false), ("a", false),
    ])
  func words(separator: String, ends: Bool) {
    #expect(HTMLTextCleaner.maxWord == 8192)
    let longest = String(repeating: "a", count: 8192)
    #expect(prepare(longest) == longest)
    #expect(prepare(longest + "b-c-") == longest + "--")
    #expect(prepare(longest + separator + "b") == (ends ? longest + separator + "b" : longest))
    let shorter = String(repeating: "a", count: 8191)
    #expect(prepare(shorter + separator + "b") == shorter + separator + (ends ? "b" : ""))
  }

  @Test("a NUL, and each run of bytes that is no UTF-8, becomes U+FFFD")
  func invalid() {
    #expect(prepare("a\0b\0") == "a\u{FFFD}b\u{FFFD}")
    #expect(decode(Array("éa".utf8) + [0xFF, 0x62]).text == "éa\u{FFFD}b")
    #expect(prepare("\u{FEFF}a\u{FEFF}") == "a\u{FEFF}")
  }

  @Test(
    "the ends of body and html are blank",
    arguments: [
      ("</body>", true), ("</html>", true), ("</BODY>", true), ("</Html\n>", true), ("</body \t>", true),
      ("</bodyx>", false), ("</body/>", false), ("<body>", false), ("</head>", false), ("</body", false),
      ("</body ", false),
      ("</body\(String(repeating: " ", count: 63))>", true),
      ("</body\(String(repeating: " ", count: 64))>", false),
    ])
  func ends(tag: String, isBlank: Bool) {
    for (before, after) in [("", ""), ("<p>a", "<p>b"), ("<", "")] {
      let shown = isBlank ? String(repeating: " ", count: tag.utf8.count) : tag
      // Nothing may follow a tag that is not complete.
      let after = tag.hasSuffix(">") ? after : ""
      #expect(
        prepare(before + tag + after) == before + (isBlank ? shown.replacing("\n", with: " ") : tag) + after)
    }
    #expect(prepare("</body></html>") == String(repeating: " ", count: 14))
  }

  @Test(
    "the meta element names the encoding of a page that no mark, header or bytes show",
    arguments: [
      ("<meta charset=koi8-r>", nil, "koi8-r"), ("<META CHARSET = 'KOI8-R' >", nil, "koi8-r"),
      ("<meta charset=\"koi8-r\"/>", nil, "koi8-r"), ("<meta charset=koi8-r/>", nil, "koi8-r"),
      ("<meta content='text/html; charset=koi8-r; x=y'>", nil, "koi8-r"),
      ("<meta name=x><meta charset=koi8-r>", nil, "koi8-r"),
      ("<meta name=x> charset=koi8-r", nil, "windows-1252"),
      ("<meta charset:koi8-r>", nil, "windows-1252"), ("<meta charset>", nil, "windows-1252"),
      ("<meta charset:x><meta charset=koi8-r>", nil, "koi8-r"), ("<meta charset=koi8-r", nil, "koi8-r"),
      ("<p charset=koi8-r>", nil, "windows-1252"), ("<meta charset=made-up>", nil, "windows-1252"),
      ("<meta charset=utf-16>", nil, "windows-1252"), ("<meta charset=utf-32>", nil, "windows-1252"),
      ("<meta charset=koi8-r>", "text/html; charset=iso-8859-5", "iso-8859-5"),
      ("<meta charset=koi8-r>", "text/html", "koi8-r"),
      ("\u{FEFF}<meta charset=koi8-r>", nil, "windows-1252"),
      ("<?xml encoding='iso-8859-5'?><meta charset=koi8-r>", nil, "iso-8859-5"),
    ] as [(String, String?, String)])
  func meta(page: String, contentType: String?, expected: String) {
    // A byte that is no UTF-8, by itself: windows-1252 unless something says else.
    let bytes = Array(page.utf8) + [0x20, 0xE9, 0x20, 0xE9, 0x20, 0xE9, 0x20, 0xE9]
    #expect(decode(bytes, contentType: contentType).encoding == expected)
  }

  @Test("the meta element is in the first 1024 bytes")
  func window() {
    let meta = "<meta charset=koi8-r>"
    for (blanks, expected) in [(1003, "koi8-r"), (1004, "koi8-r"), (1005, "koi8"), (1010, "windows-1252")] {
      let bytes = Array(repeating: UInt8(ascii: " "), count: blanks) + Array(meta.utf8) + [0xE9]
      #expect(decode(bytes).encoding.hasPrefix(expected), "\(blanks)")
    }
  }
}
