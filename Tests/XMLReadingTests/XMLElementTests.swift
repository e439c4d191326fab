import Testing

@testable import XMLReading

@Suite struct XMLElementTests {
  /// Calls `body` with the tag of each element of a well-formed document.
  private func forEachTag(_ text: String, _ body: @escaping (XMLElement) -> Void) {
    let handler = TagHandler(body)
    let buffer = ElementTextBuffer(limit: 0)
    let reader = XMLReader(handler.handlers(buffer), limits: XMLLimits(), recovers: false)
    _ = Array(text.utf8).withUnsafeBufferPointer(reader.push)
    reader.finish()
    #expect(reader.status == .reading)
    withExtendedLifetime(handler) {}
  }

  /// What `body` says about the first tag of a document.
  private func first<Result>(_ text: String, _ body: @escaping (XMLElement) -> Result) -> Result? {
    var results: [Result] = []
    forEachTag(text) { results.append(body($0)) }
    return results.first
  }

  @Test("a tag has a name, perhaps with a prefix and a namespace, and a code for its name")
  func names() {
    let text = "<a:b xmlns:a='urn:a'><c xmlns='urn:c'/><d/></a:b>"
    var tags: [String] = []
    forEachTag(text) {
      tags.append("\($0.prefix ?? "-") \($0.localName) \($0.namespace ?? "-") \($0.code)")
    }
    #expect(tags == ["a b urn:a 1", "- c urn:c 1", "- d - 1"])
  }

  @Test("each namespace is given with the attribute that declares it")
  func namespaces() {
    func declared(_ tag: String) -> [String] {
      var list: [String] = []
      forEachTag(tag) { $0.forEachNamespace { list.append("\($0)=\($1)") } }
      return list
    }
    #expect(declared("<a/>") == [])
    #expect(declared("<a xmlns='urn:1'/>") == ["xmlns=urn:1"])
    #expect(
      declared("<a xmlns:b='urn:2' xmlns='urn:1' xmlns:c='urn:3'/>")
        == ["xmlns:b=urn:2", "xmlns=urn:1", "xmlns:c=urn:3"])
  }

  @Test("attributes come in document order, with prefixes, resolved and trimmed")
  func attributes() {
    func list(_ text: String) -> [String]? {
      first(text) { element in
        var list: [String] = []
        element.attributes.forEach { list.append("\($0)=\($1)") }
        return list
      }
    }
    #expect(list("<a/>") == [])
    #expect(list("<a b='1'/>") == ["b=1"])
    #expect(
      list("<a B=' x &amp; y ' xml:lang='en' c=''/>") == ["B=x & y", "xml:lang=en", "c="])
    #expect(first("<a/>") { $0.attributes.count } == 0)
    #expect(first("<a b='1' c='2'/>") { $0.attributes.count } == 2)
  }

  @Test(
    "a value is found by its name in any letter case and in any namespace but XML's; an empty one is absent")
  func values() {
    let tag =
      "<a xmlns:n='urn:n' Href=' x&amp;y ' n:href='second' xml:lang=' en ' xml:base='' empty=' ' n:rel='Next'/>"
    func value(_ name: StaticString) -> String? { first(tag) { $0.attributes.value(name) }.flatMap(\.self) }
    func xml(_ name: StaticString) -> String? { first(tag) { $0.attributes.xmlValue(name) }.flatMap(\.self) }
    #expect(value("href") == "x&y")
    #expect(value("rel") == "Next")
    #expect(value("hre") == nil && value("hrefs") == nil && value("empty") == nil && value("none") == nil)
    #expect(value("lang") == nil && value("base") == nil)
    #expect(xml("lang") == "en" && xml("base") == "" && xml("href") == nil && xml("rel") == nil)
  }

  @Test(
    "an attribute equals a text in any letter case, and only the whole of it",
    arguments: [
      ("<a rel='alternate'/>", true), ("<a REL=' Alternate '/>", true), ("<a rel='alternat'/>", false),
      ("<a rel='alternates'/>", false), ("<a rel='elternate'/>", false), ("<a rel=''/>", false),
      ("<a/>", false),
      ("<a xml:rel='alternate'/>", false), ("<a res='alternate'/>", false),
    ])
  func equality(tag: String, expected: Bool) {
    #expect(first(tag) { $0.attributes.equals("rel", "alternate") } == expected)
  }
}

/// Calls a closure for each tag.
private final class TagHandler {
  private let body: (XMLElement) -> Void

  init(_ body: @escaping (XMLElement) -> Void) { self.body = body }

  func handlers(_ buffer: borrowing ElementTextBuffer) -> XMLHandlers {
    XMLHandlers(
      context: Unmanaged.passUnretained(self).toOpaque(), text: buffer, code: { _, _ in 1 },
      start: { context, tag in
        if let context {
          Unmanaged<TagHandler>.fromOpaque(context).takeUnretainedValue().body(XMLElement(tag))
        }
        return XMLElementDecision.read.code
      },
      end: { _ in })
  }
}
