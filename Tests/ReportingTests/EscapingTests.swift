import Diagnostics
import Testing

@testable import Reporting

/// What an author of a feed may call it, with what a browser must read from the page.
private let combining = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20DD}", "\u{1F3FB}"]

@Suite struct EscapingTests {
  /// As a `Character`, the special one and its mark are another one.
  @Test(arguments: ["\"", "'", "<", ">", "&"], combining)
  func specialCharacterWithMarkAfterIt(_ special: String, _ mark: String) {
    let hostile = special + mark + " autofocus onfocus=alert(1) x=" + special + mark
    let text: HTML = "<p>\(hostile)</p>"
    let attribute: HTML = "<p\(attribute: "title", hostile)>"
    let inText = text.description.dropFirst(3).dropLast(4)
    #expect(!inText.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) })
    #expect(text.decoded.contains(hostile))
    let value = attribute.description.unicodeScalars.dropFirst("<p title=\"".count).dropLast(2)
    #expect(!value.contains { "<>\"'=`".unicodeScalars.contains($0) })
    #expect(attribute.decoded.contains(hostile))
  }

  @Test(arguments: [
    "</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u{2028}", "\u{2029}", "\u{0}", "\u{FFFE}",
    "<\u{301}script>", "\u{202E}", "&lt;/script>",
  ])
  func jsonInScript(_ hostile: String) throws {
    let html: HTML = "<script type=\"application/json\">\(json: ["title": .string(hostile)])</script>"
    let content = html.description.dropFirst("<script type=\"application/json\">".count).dropLast(9)
    #expect(!content.unicodeScalars.contains { "<>&\u{2028}\u{2029}\u{0}".unicodeScalars.contains($0) })
    #expect(try JSONValue(parsing: Array(content.utf8))["title"]?.string == hostile)
  }

  @Test(arguments: ["\u{0}", "\u{1B}", "\u{85}", "\u{2028}", "\u{2029}", "\u{202E}", "\u{2066}", "\u{FFFE}"])
  func whatNoPageMayContain(_ scalar: String) {
    #expect(("<p>a\(scalar)b" as HTML).description == "<p>a\u{FFFD}b")
    #expect(("<p\(attribute: "title", "a\(scalar)b")>" as HTML).description == "<p title=\"a\u{FFFD}b\">")
  }

  @Test func lineEndsAreSpaces() { #expect(("\("a\r\nb\tc")" as HTML).description == "a  b c") }

  /// The page needs no cleaning before it is printed, which would change the bytes that its hashes name.
  @Test(arguments: ["::error::x", "\n::error::x", "##[error]x", "###[error]", "\u{1B}[31m", "\u{9B}31m"])
  func pageIsPrintable(_ hostile: String) {
    let html: HTML = "<p\(attribute: "title", hostile)>\(hostile)</p>\n"
    #expect(PrintableText(html).description == html.description)
  }

  @Test func longTexts() {
    let title = String(repeating: "<", count: 10_000)
    #expect(("\(title)" as HTML).bytes.count == 40_000)
    let marks = String(repeating: "\u{301}", count: 500)
    #expect(("\(marks)" as HTML).description == marks)
  }

  @Test(arguments: ["http://a.example/", "HTTPS://A.example/?q=1&r=2", "https://münchen.example/ü"])
  func links(_ url: String) {
    #expect(("<a\(link: url)>" as HTML).decoded == "<a href=\"\(url)\">")
  }

  @Test(arguments: [
    "javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "//host/", "",
    "http:/x", "http", " http://a.example/", "http://a.example/ b", "http://a\u{0}b", "vbscript:x",
    "blob:http://x",
    "http\u{301}://a.example/",
  ])
  func otherSchemesAreNoLinks(_ url: String) {
    #expect(("<a\(link: url)>" as HTML).description == "<a>")
  }

  @Test func quoteInLink() {
    #expect(("<a\(link: "http://a\"b")>" as HTML).description == "<a href=\"http://a&quot;b\">")
    let long = "http://a.example/" + String(repeating: "x", count: 8000)
    #expect(("<a\(link: long)>" as HTML).description == "<a href=\"\(long)\">")
  }

  @Test func names() {
    let html: HTML = "<i\(id: "a b#c_ä")><a\(linkToID: "a b#c_ä")>"
    #expect(html.description == "<i id=\"r-a_20b_23c_5f_c3_a4\"><a href=\"#r-a_20b_23c_5f_c3_a4\">")
  }

  @Test func absentAttribute() { #expect(("<p\(attribute: "title", nil)>" as HTML).description == "<p>") }

  @Test func joined() {
    #expect((["a", "\("<")"] as [HTML]).joined(separator: ", ").description == "a, &lt;")
  }
}

extension HTML {
  /// With the references decoded that the writer writes.
  fileprivate var decoded: String {
    var scalars = String.UnicodeScalarView()
    var rest = description.unicodeScalars[...]
    let names: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\""]
    while let scalar = rest.popFirst() {
      guard scalar == "&", let end = rest.firstIndex(of: ";") else {
        scalars.append(scalar)
        continue
      }
      let name = String(rest[..<end])
      let number = name.hasPrefix("#") ? UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) : nil
      scalars.append(number ?? names[name] ?? "?")
      rest = rest[rest.index(after: end)...]
    }
    return String(scalars)
  }
}
