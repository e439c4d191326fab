import Testing
import XMLReading

@Suite struct HTMLReaderTests {
  private func read(
    _ page: [UInt8], contentType: String? = nil, reader: HTMLReader = HTMLReader(),
    interest: @escaping (String) -> XMLElementDecision = { _ in .read }
  ) -> (events: [MarkupEvent], status: XMLStatus) {
    var events: [MarkupEvent] = []
    let status = reader.read(page, contentType: ContentType(contentType)) { event in
      events.append(event)
      if case .start(let name, _) = event { return interest(name) }
      return .read
    }
    return (events, status)
  }

  @Test(
    "text is read as it is, whatever encoding it declares",
    arguments: [
      "<p>Grüße <b>日本</b>&amp;", "<meta charset=windows-1252><p>Größe", "\u{FEFF}<p>é", "<p>a\0b",
      "<p>" + String(repeating: "x", count: 20_000) + "<p>y</body><p>z",
    ])
  func text(page: String) {
    var events: [MarkupEvent] = []
    let status = HTMLReader().read(text: page) { event in
      events.append(event)
      return .read
    }
    let asBytes = read(Array(page.utf8), contentType: "text/html; charset=utf-8")
    #expect(events == asBytes.events && status == asBytes.status)
    #expect(
      events.contains {
        if case .text(let text) = $0 { text.contains("�") == page.contains("\0") } else { false }
      })
  }

  private func tags(_ page: String, named wanted: String) -> [[MarkupAttribute]] {
    read(Array(page.utf8)).events.compactMap { event in
      if case .start(let name, let attributes) = event, name == wanted { attributes } else { nil }
    }
  }

  private func hrefs(_ page: String) -> [String] {
    read(Array(page.utf8)).events.compactMap { event in
      guard case .start("link", let attributes) = event else { return nil }
      return attributes.first { $0.name == "href" }?.value
    }
  }

  @Test("names are in lower case, references resolved, and values trimmed")
  func attributes() {
    #expect(
      tags(
        "<LINK REL=\"Alternate\tFeed\" Href=' /a?b=1&amp;c=2 ' hidden title='5 > 4 &eacute;'>", named: "link")
        == [
          [
            MarkupAttribute("rel", "Alternate\tFeed"), MarkupAttribute("href", "/a?b=1&c=2"),
            MarkupAttribute("hidden", ""), MarkupAttribute("title", "5 > 4 é"),
          ]
        ])
    #expect(hrefs("<link href=/plain.xml><link href=\"a\nb\">") == ["/plain.xml", "a\nb"])
  }

  @Test("every start has its end, and text comes in one piece")
  func balance() {
    let events = read(Array("<p>a &amp; b<p><a href=x>RSS <b>2</b></a><br>tail".utf8)).events
    var open: [String] = []
    for event in events {
      switch event {
      case .start(let name, _): open.append(name)
      case .end(let name): #expect(open.popLast() == name)
      case .text: break
      }
    }
    #expect(open.isEmpty)
    #expect(events.contains(.text("a & b")) && events.contains(.text("tail")))
  }

  @Test("comments, scripts, styles and text fields hold no links; noscript does")
  func unread() {
    for region in [
      "<!-- X -->", "<script>'X'</script>", "<style>X</style>", "<template>X</template>",
      "<textarea>X</textarea>", "<svg><title>X</title></svg>", "<!--[if IE]>X<![endif]-->",
    ] {
      let page = region.replacing("X", with: "<link href=old>") + "<link href=new>"
      #expect(hrefs(page) == ["new"], "\(region)")
    }
    #expect(hrefs("<noscript><link href=a></noscript>") == ["a"])
  }

  @Test("a page of many top-level elements, or with text after its end, is read to the end")
  func looseStructure() {
    #expect(hrefs("<div></div><section></section></body></html><link href=late>") == ["late"])
  }

  @Test("the receiver can skip an element or end the reading")
  func interests() {
    let page = Array("<div><link href=a></div><link href=b><p><link href=c>".utf8)
    let skipped = read(page) { $0 == "div" ? .skip : .read }
    #expect(!skipped.events.contains(.start(name: "link", attributes: [MarkupAttribute("href", "a")])))
    #expect(skipped.events.contains(.start(name: "link", attributes: [MarkupAttribute("href", "b")])))
    let stopped = read(page) { $0 == "p" ? .stop : .read }
    #expect(stopped.status == .stopped)
    #expect(!stopped.events.contains(.start(name: "link", attributes: [MarkupAttribute("href", "c")])))
  }

  @Test("the encoding comes from the mark, the header, the meta element, or the bytes")
  func encodings() {
    func title(_ bytes: [UInt8], _ contentType: String? = nil) -> String {
      let events = read(bytes, contentType: contentType).events
      return events.compactMap { if case .text(let text) = $0 { text } else { nil } }.joined()
    }
    let latin = Array("<title>caf".utf8) + [0xE9] + Array("</title>".utf8)
    #expect(title(Array("<title>café</title>".utf8)) == "café")
    #expect(title(latin) == "café")
    #expect(title(latin, "text/html; charset=iso-8859-1") == "café")
    let russian: [UInt8] = [0xF7, 0xE9, 0xF4]
    for meta in ["<meta charset=koi8-r>", "<META http-equiv=x content='text/html; charset=koi8-r'>"] {
      #expect(title(Array("\(meta)<title>".utf8) + russian + Array("</title>".utf8)) == "ВИТ", "\(meta)")
    }
    let wide = "<title>é</title>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(title([0xFF, 0xFE] + wide) == "é")
    #expect(title(wide) == "é")
    #expect(title(Array("<meta charset=utf-16><title>é</title>".utf8)) == "é")
  }

  @Test("an invalid byte or a NUL spoils one character, not the rest of the page")
  func invalidBytes() {
    let page = Array("<p>né".utf8) + [0xFF] + Array("é</p><p>\u{0}ü</p><link href=é>".utf8)
    let events = read(page).events
    #expect(events.contains(.text("né\u{FFFD}é")))
    #expect(events.contains(.start(name: "link", attributes: [MarkupAttribute("href", "é")])))
  }

  @Test("an image written into the page does not hide the links after it")
  func longWords() {
    let image = "<img src=\"data:image/png;base64,\(String(repeating: "A", count: 300_000))\">"
    #expect(hrefs(image + "<link href=after>") == ["after"])
    for region in ["<!--X-->", "<script>X</script>", "<p title='X'>X</p>"] {
      let page = region.replacing("X", with: String(repeating: "A", count: 300_000))
      #expect(hrefs(page + "<link href=after>") == ["after"], "\(region)")
    }
    let address = String(repeating: "a", count: 8 << 10)
    #expect(hrefs("<link href=\(address)>").first?.count == (8 << 10) - 5)
  }

  @Test("size, depth, tags, attributes and names have limits, and what came before them was read")
  func limits() {
    let page = "<link href=a>" + String(repeating: " <p>", count: 100)
    let long = read(Array(page.utf8), reader: HTMLReader(maxBytes: 200))
    #expect(long.events.contains(.start(name: "link", attributes: [MarkupAttribute("href", "a")])))
    #expect(long.events.count { $0 == .start(name: "p", attributes: []) } < 50)
    let deep = read(Array(("<link href=a>" + String(repeating: "<div>", count: 20_000)).utf8))
    #expect(deep.status == .tooDeep)
    let endless = read(Array(("<link href=a><p x=\"" + String(repeating: "a b ", count: 50_000)).utf8))
    #expect(endless.status == .tagTooLong)
    #expect(endless.events.contains(.start(name: "link", attributes: [MarkupAttribute("href", "a")])))
    let names = (0..<30_000).map { "<x\($0)></x\($0)>" }.joined()
    #expect(read(Array(names.utf8)).status == .tooManyNames)
    let tag = "<p " + (0..<9_000).map { "a\($0)" }.joined(separator: " ") + "></p>"
    let clock = ContinuousClock()
    let time = clock.measure {
      #expect(read(Array(String(repeating: tag, count: 60).utf8)).status == .tooManyAttributes)
    }
    #expect(time < .seconds(10))
  }

  @Test("ten thousand links, entities without end and an unclosed comment are read in time of their size")
  func hostilePages() {
    #expect(hrefs(String(repeating: "<link href=x>", count: 10_000)).count == 10_000)
    #expect(read(Array(String(repeating: "&", count: 200_000).utf8)).status == .reading)
    #expect(read(Array(String(repeating: "<", count: 200_000).utf8)).status == .reading)
    #expect(read(Array(("<!--" + String(repeating: "x ", count: 500_000)).utf8)).status == .reading)
    #expect(read([]).events.isEmpty)
  }
}
