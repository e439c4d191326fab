import Testing

@testable import XMLReading

@Suite struct XMLPrologTests {
  private func prolog(_ text: String, isComplete: Bool = true) -> XMLProlog? {
    Array(text.utf8).withUnsafeBufferPointer { XMLProlog($0, isComplete: isComplete) }
  }

  /// The prolog without its document type declaration.
  private func kept(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return prolog(text).map { String(decoding: $0.kept.flatMap { bytes[$0] }, as: UTF8.self) } ?? "incomplete"
  }

  @Test(
    "the prolog ends where the root element begins, and loses its document type declaration",
    arguments: [
      ("", 0, ""), ("<a>", 0, ""), ("<a", 0, ""), (" x", 2, " x"), (" <a>", 1, " "), ("<", 0, ""),
      ("<?xml?><a>", 7, "<?xml?>"), ("<??><a>", 4, "<??>"), ("<?><a>?>b", 9, "<?><a>?>b"),
      ("<!---->\n<a>", 8, "<!---->\n"), ("<!--<b>--> <a>", 11, "<!--<b>--> "),
      ("<!-->--> <a>", 9, "<!-->--> "), ("<!DOCTYPE a><a>", 12, ""), (" <!doctype a> <a>", 14, "  "),
      ("<?xml?>\n<!DOCTYPE a>\n<!--x--><a>", 29, "<?xml?>\n\n<!--x-->"), ("<!ELEMENT a><a>", 0, ""),
      ("<!ELEMENT", 0, ""), ("<!ELEMEN", 0, ""), ("<!DOCTYPE a", 0, ""), (" <!--x", 1, " "),
      ("x<!DOCTYPE a>", 13, "x"),
    ])
  func ends(text: String, length: Int, expected: String) {
    #expect(prolog(text)?.length == length)
    #expect(kept(text) == expected)
  }

  @Test("ranges that are kept and touch are one range")
  func joined() {
    #expect(prolog("<?x?>\n<!--y-->\n<a>")?.kept == [0..<15])
    #expect(prolog("<?x?><!DOCTYPE a>\n<a>")?.kept == [0..<5, 17..<18])
  }

  @Test(
    "while the start of the root element has not arrived, the prolog is unknown",
    arguments: [
      ("", false), ("x", false), ("<", false), ("<a", true), ("<?xml?>", false), ("<?xml?", false),
      ("<?xml?><", false), ("<?xml?><a", true), ("<!", false), ("<!ELEMEN", false), ("<!ELEMENT", true),
      ("<!DOCTYP", false), ("<!DOCTYPE", false), ("<!DOCTYPE a>", false), ("<!DOCTYPE a><a", true),
      ("<!--x--", false), ("<!--xx-->", false),
    ])
  func incomplete(text: String, isKnown: Bool) {
    #expect((prolog(text, isComplete: false) != nil) == isKnown)
    #expect(prolog(text) != nil)
  }

  @Test(
    "the declaration ends at the angle bracket outside quotes, brackets and comments",
    arguments: [
      "<!DOCTYPE a>", "<!DOCTYPE a '>'>", "<!DOCTYPE a \">\">", "<!DOCTYPE a '\">'>", "<!DOCTYPE a [>]>",
      "<!DOCTYPE a [[>]>]>", "<!DOCTYPE a ['[']>", "<!DOCTYPE a [<!-- ' [ > -->]>", "<!DOCTYPE a <!---->>",
      "<!DOCTYPE a ]>", "<!DOCTYPE a [<b>]>", "<!DOCTYPE a '<!--'>",
    ])
  func declarationEnd(declaration: String) {
    #expect(prolog(declaration + "x><b>")?.length == declaration.utf8.count + 2)
    #expect(prolog(String(declaration.dropLast()))?.fault == .unclosedDoctype)
  }

  @Test("a declaration has 256 KiB at most; when it is longer, its end is not awaited")
  func limit() {
    #expect(XMLProlog.limit == 262_144)
    func declaration(_ length: Int) -> String { "<!DOCTYPE a" + String(repeating: " ", count: length - 11) }
    let longest = declaration(262_143)
    #expect(prolog(longest + "><a>")?.fault == nil)
    #expect(prolog(longest + "><a>")?.length == 262_144)
    #expect(prolog(longest + " ><a>")?.fault == .longDoctype)
    #expect(prolog(longest + " ><a>")?.length == 0)
    #expect(prolog(longest + " ")?.fault == .unclosedDoctype)
    #expect(prolog(longest + "  ")?.fault == .longDoctype)
    #expect(prolog(longest + " ", isComplete: false) == nil)
    #expect(prolog(longest + "  ", isComplete: false)?.fault == .longDoctype)
    // Only a document type declaration is a fault: a comment without an end is left to the parser.
    let comment = prolog(" <!--" + longest, isComplete: false)
    #expect(comment?.length == 1 && comment?.fault == nil)
  }

  @Test(
    "the declaration says whether the document is HTML and what lies outside of it",
    arguments: [
      ("<!DOCTYPE html>", true, false, false), ("<!doctypeHTML>", true, false, false),
      ("<!DOCTYPE  \n html>", true, false, false), ("<!DOCTYPE htm>", false, false, false),
      ("<!DOCTYPE a SYSTEM 'b.dtd'>", false, true, false),
      ("<!DOCTYPE a PUBLIC 'x' 'b.dtd'>", false, false, false),
      ("<!DOCTYPE a PUBLIC 'SYSTEM' 'b.dtd'>", false, false, false),
      ("<!DOCTYPE a [SYSTEM]>", false, false, false),
      ("<!DOCTYPE rss PUBLIC '-//Netscape Communications//DTD RSS 0.91//EN' 'x'>", false, false, true),
      ("<!DOCTYPE rss PUBLIC 'x' 'http://my.netscape.com/publish/formats/rss-0.91.dtd'>", false, false, true),
      ("<!DOCTYPE rss SYSTEM '/rss-0.91.dtd'>", false, true, true),
      ("<!DOCTYPE rss SYSTEM 'DTD RSS 0.91'>", false, true, false),
    ])
  func declaration(text: String, isHTML: Bool, hasExternal: Bool, declaresLatin1: Bool) {
    let prolog = prolog(text + "<a>")
    #expect(prolog?.isHTML == isHTML)
    #expect(prolog?.hasExternal == hasExternal)
    #expect(prolog?.declaresLatin1 == declaresLatin1)
    #expect(prolog?.hasNestedEntities == false)
  }

  /// How the declaration of an entity is understood.
  enum Meaning: Equatable {
    case text(String), external, nested, nothing

    var text: String? { if case .text(let text) = self { text } else { nil } }
  }

  @Test(
    "entities are plain text, or files and addresses that are not opened, or nested and not expanded",
    arguments: [
      ("x 'y'", .text("y")), ("x \"y\"", .text("y")), ("x\n\t'a \"b\" c'", .text("a \"b\" c")),
      ("x ''", .text("")),
      ("x '&#169;'", .text("©")), ("x '&#38;#169;'", .text("©")), ("x '&#38;lt;'", .text("<")),
      ("x '&amp;'", .nested), ("x 'a&#169;'", .nested), ("x '&#169;a'", .nested),
      ("x '&#169;&#170;'", .nested),
      ("x '&y;'", .nested), ("x '%y;'", .nested), ("x '<b'", .nested), ("x 'a&b'", .nested),
      ("x '\(String(repeating: "y", count: 256))'", .text(String(repeating: "y", count: 256))),
      ("x '\(String(repeating: "y", count: 257))'", .nested),
      ("x '\(String(repeating: "é", count: 129))'", .nested),
      ("x SYSTEM 'y'", .external), ("x PUBLIC 'y' 'z'", .external), ("x", .nothing), ("% x 'y'", .nothing),
      ("% x SYSTEM 'y'", .nothing), ("y 'z'", .nothing),
    ] as [(String, Meaning)])
  func entity(text: String, expected: Meaning) {
    let prolog = prolog("<!DOCTYPE a [<!ENTITY \(text)>]><a>")
    let value = prolog?.entities["x"].map {
      String(decoding: UnsafeBufferPointer(start: $0.text, count: $0.count), as: UTF8.self)
    }
    #expect(value == expected.text)
    #expect(prolog?.hasNestedEntities == (expected == .nested))
    #expect(prolog?.hasExternal == (expected == .external))
    #expect(prolog?.externalEntities == (expected == .external ? ["x"] : []))
  }

  @Test("the first declaration of an entity counts, and 1000 entities are read")
  func manyEntities() {
    func declaration(_ names: some Sequence<Int>) -> String {
      "<!DOCTYPE a [" + names.map { "<!ENTITY e\($0) '\($0)'>" }.joined() + "]><a>"
    }
    #expect(prolog("<!DOCTYPE a [<!ENTITY x '1'><!ENTITY x '22'>]><a>")?.entities["x"]?.count == 1)
    let exact = prolog(declaration(1...1000))
    #expect(exact?.entities.count == 1000 && exact?.entities["e1000"] != nil)
    let more = prolog(declaration(1...1001))
    #expect(more?.entities.count == 1000 && more?.entities["e1001"] == nil)
  }
}
