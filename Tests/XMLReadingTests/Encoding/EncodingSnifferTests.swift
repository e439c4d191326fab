import Testing

@testable import XMLReading

@Suite struct EncodingSnifferTests {
  private func choose(_ head: [UInt8], _ contentType: String? = nil) -> EncodingSniffer.Choice {
    head.withUnsafeBufferPointer { EncodingSniffer(contentType: ContentType(contentType)).choose($0) }
  }

  private func choose(_ text: String, _ contentType: String? = nil) -> EncodingSniffer.Choice {
    choose(Array(text.utf8), contentType)
  }

  @Test(
    "a byte order mark decides",
    arguments: [
      ([0xEF, 0xBB, 0xBF], "utf-8", 3), ([0xFF, 0xFE], "utf-16le", 2), ([0xFE, 0xFF], "utf-16be", 2),
      ([0xFF, 0xFE, 0, 0], "utf-32le", 4), ([0, 0, 0xFE, 0xFF], "utf-32be", 4),
      ([0xFF, 0xFE, 0x61, 0], "utf-16le", 2), ([0xFF, 0xFE, 0, 0x61], "utf-16le", 2),
      ([0xFF, 0xFE, 0], "utf-16le", 2),
      ([0xEF, 0xBB], "utf-8", 0), ([0, 0, 0xFE], "utf-8", 0), ([], "utf-8", 0),
    ] as [([UInt8], String, Int)])
  func marks(mark: [UInt8], encoding: String, length: Int) {
    for contentType in [nil, "text/html; charset=koi8-r"] where length > 0 || contentType == nil {
      let choice = choose(mark, contentType)
      #expect(choice.encoding.name == encoding)
      #expect(choice.markLength == length)
      #expect(choice.declared?.name == (contentType == nil ? nil : "koi8-r"))
    }
  }

  @Test("the zeros among the first four bytes show a wide encoding", arguments: 0..<16)
  func shapes(pattern: Int) {
    let head = (0..<4).map { pattern >> $0 & 1 == 1 ? 0x61 as UInt8 : 0 }
    let expected =
      switch head {
      case [0, 0, 0, 0x61]: "utf-32be"
      case [0x61, 0, 0, 0]: "utf-32le"
      case [0, 0x61, 0, 0x61]: "utf-16be"
      case [0x61, 0, 0x61, 0]: "utf-16le"
      default: "utf-8"
      }
    #expect(choose(head).encoding.name == expected)
    #expect(choose(head + [0x61]).encoding.name == expected)
    #expect(choose(Array(head.prefix(3))).encoding.name == "utf-8")
    #expect(choose(head).markLength == 0)
  }

  @Test(
    "the header comes before the declaration, and the declaration before UTF-8",
    arguments: [
      ("<a>", nil, "utf-8", nil, nil),
      ("<?xml encoding='koi8-r'?>", nil, "koi8-r", "koi8-r", nil),
      ("<?xml version=\"1.0\" encoding = \"Latin1\" ?>", nil, "iso-8859-1", "iso-8859-1", nil),
      (" \n<?xml encoding='koi8-r'?>", nil, "koi8-r", "koi8-r", nil),
      ("<?xml encoding='koi8-r'?>", "text/html; charset=gbk", "gb18030", "gb18030", nil),
      ("<?xml encoding='koi8-r'?>", "text/html; charset=made-up", "koi8-r", "koi8-r", nil),
      ("<?xml encoding='made-up'?>", nil, "utf-8", "made-up", "made-up"),
      ("<?xml encoding='utf-16'?>", nil, "utf-8", "utf-16be", nil),
      ("<?xml encoding='utf-32'?>", nil, "utf-8", "utf-32be", nil),
      ("<?xml encoding='utf-8'?>", nil, "utf-8", "utf-8", nil),
      ("<?xml encoding=koi8-r?>", nil, "utf-8", nil, nil),
      ("<?xml encoding?>", nil, "utf-8", nil, nil),
      ("<?xml?> encoding='koi8-r' ?>", nil, "utf-8", nil, nil),
      ("<?xml encoding='koi8-r' >", nil, "utf-8", nil, nil),
      ("<a encoding='koi8-r' ?>", nil, "utf-8", nil, nil),
      ("<a>", "text/xml", "us-ascii", nil, nil), ("<a>é", "text/xml", "utf-8", nil, nil),
      ("<?xml encoding='koi8-r'?>", "text/xml", "us-ascii", "koi8-r", nil),
      ("<a>", "text/rss+xml", "us-ascii", nil, nil), ("<a>", "application/rss+xml", "utf-8", nil, nil),
      ("<a>", "text/html", "utf-8", nil, nil), ("<a>", "text/xml; charset=utf-8", "utf-8", "utf-8", nil),
    ] as [(String, String?, String, String?, String?)])
  func order(head: String, contentType: String?, encoding: String, declared: String?, unknown: String?) {
    let choice = choose(head, contentType)
    #expect(choice.encoding.name == encoding)
    #expect(choice.declared?.name == declared)
    #expect(choice.unknownLabel == unknown)
    #expect(choice.markLength == 0 && !choice.contradictsMark)
  }

  @Test("the declaration is looked for in the first 1024 bytes")
  func window() {
    #expect(EncodingSniffer.window == 1024)
    let declaration = "<?xml encoding='koi8-r'?>"
    for (blanks, isFound) in [(999, true), (1000, false)] {
      let head = String(repeating: " ", count: blanks) + declaration + "<a>"
      #expect(choose(head).encoding.name == (isFound ? "koi8-r" : "utf-8"), "\(blanks)")
      let long = "<?xml " + String(repeating: " ", count: blanks) + declaration.dropFirst(6) + "<a>"
      #expect(choose(long).encoding.name == (isFound ? "koi8-r" : "utf-8"), "\(blanks)")
    }
  }

  @Test(
    "a mark of another family of encodings contradicts the declaration",
    arguments: [
      ([0xFF, 0xFE], "utf-16", false), ([0xFF, 0xFE], "utf-8", true), ([0xFF, 0xFE], "koi8-r", true),
      ([0xEF, 0xBB, 0xBF], "utf-8", false), ([0xEF, 0xBB, 0xBF], "us-ascii", false),
      ([0xEF, 0xBB, 0xBF], "koi8-r", true), ([0xEF, 0xBB, 0xBF], nil, false), ([], "koi8-r", false),
    ] as [([UInt8], String?, Bool)])
  func contradiction(mark: [UInt8], declared: String?, expected: Bool) {
    let declaration = declared.map { "<?xml encoding='\($0)'?>" } ?? "<a>"
    let isWide = mark == [0xFF, 0xFE]
    let text: [UInt8] = declaration.utf8.flatMap { isWide ? [$0, 0] : [$0] }
    #expect(choose(mark + text).contradictsMark == expected)
  }

  @Test("an EBCDIC document is in the code page it names, or in code page 037")
  func ebcdic() {
    /// `<?xml encoding="` and `"?>`.
    let head: [UInt8] = [
      0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x40, 0x85, 0x95, 0x83, 0x96, 0x84, 0x89, 0x95, 0x87, 0x7E, 0x7F,
    ]
    let tail: [UInt8] = [0x7F, 0x6F, 0x6E]
    let named = choose(head + [0x83, 0x97, 0xF5, 0xF0, 0xF0] + tail)
    #expect(named.encoding.name == "cp500" && named.declared?.name == "cp500")
    // `cp99999` is no code page.
    #expect(choose(head + [0x83, 0x97, 0xF9, 0xF9, 0xF9, 0xF9, 0xF9] + tail).encoding.name == "ibm037")
    #expect(choose(head).encoding.name == "ibm037")
    #expect(choose(Array(head.prefix(4))).encoding.name == "ibm037")
    #expect(choose(Array(head.prefix(3))).encoding.name == "utf-8")
  }

  @Test(
    "the header has a media type and perhaps a charset",
    arguments: [
      ("text/HTML", "text/html", nil), (" text/html ; charset=koi8-r", "text/html", "koi8-r"),
      ("text/html;CharSet=\"UTF-8\"", "text/html", "utf-8"),
      ("text/html; q=1; charset=gbk; charset=big5", "text/html", "gb18030"),
      ("text/html; charset=", "text/html", nil), ("text/html; charset", "text/html", nil),
      ("text/html; xcharset=gbk", "text/html", nil), ("; charset=gbk", "", "gb18030"),
      ("charset=gbk", "charset=gbk", nil),
      ("text/html; charset=a=b", "text/html", "a=b"),
    ] as [(String, String, String?)])
  func contentType(header: String, mediaType: String, charset: String?) {
    let type = ContentType(header)
    #expect(type?.mediaType == mediaType)
    #expect(type?.charset?.name == charset)
  }

  @Test("an empty header is none; XML that is text is text/xml or text/*+xml")
  func contentTypes() {
    for header in [nil, "", "  "] {
      let isAbsent = ContentType(header) == nil
      #expect(isAbsent)
    }
    for (type, expected) in [
      ("text/xml", true), ("text/xml-external-parsed-entity", true), ("text/rss+xml", true),
      ("application/rss+xml", false), ("text/html", false), ("application/xml", false),
    ] {
      #expect(ContentType(type)?.isTextXML == expected, "\(type)")
    }
  }
}
