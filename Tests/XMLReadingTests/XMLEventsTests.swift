import Testing
import XMLReading

@Suite struct XMLEventsTests {
  private func events(
    of bytes: [UInt8], limits: XMLLimits = XMLLimits(),
    interest: @escaping (String) -> XMLElementDecision = { _ in .read }
  ) -> (events: [MarkupEvent], outcome: XMLEvents.Outcome) {
    var events: [MarkupEvent] = []
    let outcome = XMLEvents(limits: limits).read(bytes) {
      events = []
      return { event, _ in
        events.append(event)
        if case .start(let name, _) = event { return interest(name) }
        return .read
      }
    }
    return (events, outcome)
  }

  private func events(of text: String) -> (events: [MarkupEvent], outcome: XMLEvents.Outcome) {
    events(of: Array(text.utf8))
  }

  @Test("elements, attributes and texts come in document order, with references resolved")
  func order() {
    let (events, outcome) = events(
      of: "<?xml version='1.0'?><a:b xmlns:a='urn:a' x='1 &amp; 2' a:y=' z '>t&lt;<c/>u</a:b>")
    #expect(
      events == [
        .start(name: "b", attributes: [MarkupAttribute("x", "1 & 2"), MarkupAttribute("a:y", "z")]),
        .text("t<"), .start(name: "c", attributes: []), .end(name: "c"), .text("u"), .end(name: "b"),
      ])
    #expect(outcome.status == .reading && outcome.error == nil)
  }

  @Test("a skipped element is left out with everything inside it")
  func skipped() {
    let (events, _) = events(of: Array("<a><s>x<t/></s><b/></a>".utf8)) { $0 == "s" ? .skip : .read }
    let names = events.compactMap { if case .start(let name, _) = $0 { name } else { nil } }
    #expect(names == ["a", "s", "b"])
    #expect(!events.contains(.text("x")))
    #expect(events.filter { if case .end = $0 { true } else { false } }.count == 2)
  }

  @Test("reading stops where the receiver says so")
  func stopped() {
    let (events, outcome) = events(of: Array("<a><b/><c/></a>".utf8)) { $0 == "b" ? .stop : .read }
    #expect(events.count == 2 && outcome.status == .stopped)
  }

  @Test("an ill-formed document is read again, after its errors are corrected and recorded")
  func illFormed() {
    let (events, outcome) = events(of: "<opml><outline text='A & B' x=1><outline text=\"C\"/></opml>")
    #expect(outcome.error?.line == 1 && outcome.error?.message.isEmpty == false)
    #expect(
      events.contains(
        .start(name: "outline", attributes: [MarkupAttribute("text", "A & B"), MarkupAttribute("x", "1")])))
    #expect(events.contains(.start(name: "outline", attributes: [MarkupAttribute("text", "C")])))
  }

  @Test("a document is read in its declared encoding, or in the one its bytes are valid in")
  func encodings() {
    let head = Array("<?xml version='1.0' encoding='iso-8859-1'?><a>caf".utf8)
    #expect(events(of: head + [0xE9] + Array("</a>".utf8)).events.contains(.text("café")))
    #expect(events(of: Array("<a>caf".utf8) + [0xE9] + Array("</a>".utf8)).events.contains(.text("café")))
    #expect(events(of: [0xEF, 0xBB, 0xBF] + Array("<a>é</a>".utf8)).events.contains(.text("é")))
  }

  @Test("no declaration reaches a file, and entities expand to a limited amount of text")
  func entities() {
    let external = events(of: "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>1&x;2</a>")
    #expect(!"\(external.events)".contains("root"))
    let own = events(of: "<!DOCTYPE a [<!ENTITY x 'own &#38;#169;&amp;lt;'>]><a>&x; &eacute;</a>")
    #expect(own.events.contains(.text("own ©&lt; é")))
    let uses = String(repeating: "&x;", count: 4000)
    let much = events(
      of: "<!DOCTYPE a [<!ENTITY x '\(String(repeating: "y", count: 200))'>]><a>\(uses)</a>")
    #expect(much.outcome.status == .stopped)
    #expect(events(of: "<a>&made-up;</a>").outcome.undefinedEntity == "made-up")
  }

  @Test("depth, tags and declarations have limits")
  func limits() {
    var limits = XMLLimits()
    limits.depth = 3
    #expect(events(of: Array("<a><b><c/></b></a>".utf8), limits: limits).outcome.status == .reading)
    #expect(events(of: Array("<a><b><c><d/></c></b></a>".utf8), limits: limits).outcome.status == .tooDeep)
    limits.tag = 100
    let tag = "<a x='\(String(repeating: "x", count: 100))'/>"
    #expect(events(of: Array(tag.utf8), limits: limits).outcome.status == .tagTooLong)
    let doctype = "<!DOCTYPE a [\(String(repeating: " ", count: XMLProlog.limit))]><a/>"
    #expect(events(of: doctype).outcome.status == .doctypeTooLong)
  }

  /// The names of the tags that start, each with its line.
  private func lines(of text: String) -> [String] {
    var lines: [String] = []
    _ = XMLEvents().read(Array(text.utf8)) {
      lines = []
      return { event, place in
        if case .start(let name, _) = event { lines.append("\(name) \(place.line)") }
        return .read
      }
    }
    return lines
  }

  @Test(
    "a tag is on the line on which it ends, also after a declaration that the parser does not see",
    arguments: [
      ("<a><b/></a>", ["a 1", "b 1"]), ("<a>\n<b/></a>", ["a 1", "b 2"]), ("\n\n<a/>", ["a 3"]),
      ("<?xml version='1.0'?>\n<a>\n<b/></a>", ["a 2", "b 3"]),
      (
        "<?xml version='1.0'?>\n<!DOCTYPE a [\n<!ENTITY x 'y'>\n]>\n<!--\n-->\n<a>\n<b/></a>", ["a 7", "b 8"]
      ),
      ("<!DOCTYPE a\n>\n<a>\n<b/></a>", ["a 3", "b 4"]),
    ])
  func placed(text: String, expected: [String]) {
    #expect(lines(of: text) == expected)
    // Without its end tag the document is ill-formed, and is read after a correction.
    #expect(lines(of: text.replacing("</a>", with: "")) == expected)
  }

  @Test("a text has 1 MiB at most")
  func longText() {
    let longest = String(repeating: "x", count: 1_048_576)
    for text in [longest, longest + "y"] {
      #expect(events(of: "<a>\(text)</a>").events.contains(.text(longest)))
    }
    let two = events(of: "<a>\(longest)y<b/>z</a>").events
    #expect(two.contains(.text(longest)) && two.contains(.text("z")))
  }

  @Test("entities expand to 256 KiB of text")
  func expansion() {
    func outcome(_ uses: Int) -> XMLEvents.Outcome {
      let entity = String(repeating: "y", count: 256)
      return events(
        of: "<!DOCTYPE a [<!ENTITY x '\(entity)'>]><a>\(String(repeating: "&x;", count: uses))</a>"
      ).outcome
    }
    #expect(outcome(1024).status == .reading)
    #expect(outcome(1025).status == .stopped)
  }

  @Test("each limit ends the reading, one beyond it")
  func eachLimit() {
    func status(_ text: String, _ change: (inout XMLLimits) -> Void) -> XMLStatus {
      var limits = XMLLimits()
      change(&limits)
      return events(of: Array(text.utf8), limits: limits).outcome.status
    }
    #expect(status("<a b='1' c='2'/>") { $0.attributes = 2 } == .reading)
    #expect(status("<a b='1' c='2'><d e='3'/></a>") { $0.attributes = 2 } == .tooManyAttributes)
    #expect(status("<a xmlns='urn:1' xmlns:b='urn:2'/>") { $0.namespaces = 2 } == .reading)
    #expect(
      status("<a xmlns='urn:1' xmlns:b='urn:2' xmlns:c='urn:3'/>") { $0.namespaces = 2 } == .tooManyNamespaces
    )
    let names = "<a>" + (0..<50).map { "<b\($0)/>" }.joined() + "</a>"
    #expect(status(names) { $0.names = 10 } == .tooManyNames)
    #expect(status(names) { $0.names = 1000 } == .reading)
  }
}
