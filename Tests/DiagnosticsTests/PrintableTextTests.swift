import CustomDump
import Testing

@testable import Diagnostics

/// What must not reach a terminal, a log or a CI job as it is: tests name them by their place here.
private let hostileTexts = [
  "\u{1B}[2J", "\u{1B}]52;c;cm0=\u{7}", "a\n::error::b", "a\r\n::error::b", "::error::b", " \u{A0}::error::b",
  "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "\u{9B}2J", "\u{7F}", "\u{202E}b", "\u{2066}b", "\u{200E}b",
  "\u{200F}b",
  "\u{61C}b", "\u{206E}b", "##[error]b", "a ##[add-mask]b", "##[\u{301}error]",
]

extension String {
  /// What a terminal or GitHub's runner would obey; the first scalar of it, or the command.
  fileprivate var obeyed: String? {
    let isObeyed = { (scalar: Unicode.Scalar) in
      scalar != "\n"
        && (scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
          || scalar.value == 0x2028 || scalar.value == 0x2029 || (0x206A...0x206F).contains(scalar.value))
    }
    if let scalar = unicodeScalars.first(where: isObeyed) { return "U+\(String(scalar.value, radix: 16))" }
    for line in unicodeScalars.split(separator: "\n") {
      let text = line.drop(while: \.properties.isWhitespace)
      if text.starts(with: "::".unicodeScalars) { return String(String.UnicodeScalarView(text)) }
    }
    return utf8.firstRange(of: "##[".utf8) == nil ? nil : self
  }
}

@Suite struct PrintableTextTests {
  @Test("what is put into a text is one line that nothing obeys", arguments: hostileTexts.indices)
  func hostile(_ index: Int) {
    let text = hostileTexts[index]
    #expect(PrintableText(text).description.obeyed == nil)
    #expect(!PrintableText(text).description.contains("\n"))
    let line: PrintableText = "\(text)"
    #expect(line == PrintableText(text))
  }

  @Test(
    "brackets and colons that no runner obeys stay",
    arguments: ["#a[b]", "a#[c]", "[##", "a ::b", ":", "a:b::c"])
  func harmless(_ text: String) { #expect(PrintableText(text).description == text) }

  @Test(
    "each character that controls something is replaced by itself",
    arguments: [
      ("a\tb", "a b", "a\tb"), ("a\nb", "a b", "a\nb"), ("a\rb", "a\u{FFFD}b", "a\u{FFFD}b"),
      ("a\r\nb", "a\u{FFFD} b", "a\r\nb"), ("a\r\r\nb", "a\u{FFFD}\u{FFFD} b", "a\u{FFFD}\r\nb"),
      ("\u{1F}", "\u{FFFD}", "\u{FFFD}"), (" ", " ", " "),
      ("\u{7E}\u{7F}", "\u{7E}\u{FFFD}", "\u{7E}\u{FFFD}"),
      ("\u{80}", "\u{FFFD}", "\u{FFFD}"), ("\u{9F}\u{A0}", "\u{FFFD}\u{A0}", "\u{FFFD}\u{A0}"),
      ("\u{61B}\u{61C}\u{61D}", "\u{61B}\u{FFFD}\u{61D}", "\u{61B}\u{FFFD}\u{61D}"),
      ("\u{202A}", "\u{FFFD}", "\u{FFFD}"), ("\u{206A}", "\u{FFFD}", "\u{FFFD}"),
      ("::", "\u{FFFD}:", "\u{FFFD}:"), (" ::a", " \u{FFFD}:a", " \u{FFFD}:a"),
      ("a\n::", "a ::", "a\n\u{FFFD}:"),
      ("a\n ::b", "a  ::b", "a\n \u{FFFD}:b"), ("##[", "##\u{FFFD}", "##\u{FFFD}"), ("#[", "#[", "#["),
      ("[", "[", "["),
      ("a##[b", "a##\u{FFFD}b", "a##\u{FFFD}b"), (":::", "\u{FFFD}::", "\u{FFFD}::"),
    ])
  func characters(_ text: String, _ line: String, _ document: String) {
    #expect(PrintableText(text).description == line)
    #expect(PrintableText(document: text).description == document)
  }

  @Test("a document keeps its line ends and nothing else that is obeyed", arguments: hostileTexts.indices)
  func document(_ index: Int) {
    let text = hostileTexts[index]
    let document = PrintableText(document: "{\r\n\t\(text)\n}\n")
    #expect(document.description.replacing("\r\n", with: "\n").replacing("\t", with: " ").obeyed == nil)
    #expect(document.description.hasPrefix("{\r\n\t"))
    #expect(document.description.hasSuffix("\n}\n"))
  }

  @Test("messages, notes and help of findings are one line each", arguments: hostileTexts.indices)
  func diagnostic(_ index: Int) {
    let text = hostileTexts[index]
    let name = SourceText(name: text, text)
    let range = name.range(0..<1)
    let finding = Diagnostic("X", .error, text, at: range, notes: [.init(text, at: range)], help: text)
    for part in [finding.message, finding.notes[0].message, finding.help ?? "\n"] {
      #expect(part.obeyed == nil && !part.contains("\n"))
    }
    let shown = TextRenderer().render([finding]).description
    #expect(shown.obeyed == nil)
    // A line a message, and two for each piece of source.
    #expect(shown.split(separator: "\n").count == 7)
    let report = DiagnosticReport(tool: ("t", "1"), inputs: [text], diagnostics: [finding])
    #expect(JUnitRenderer().render(report).obeyed == nil)
    let command = GitHubRenderer().render([finding]).description
    #expect(command.split(separator: "\n").count == 1)
    #expect(command.hasPrefix("::error file="))
    #expect(command.dropFirst(2).description.obeyed == nil)
  }

  @Test("a literal is ours: its line ends stay")
  func literal() {
    let text: PrintableText = "one\n  \("t\nwo")\n"
    #expect(text.description == "one\n  t wo\n")
    #expect((text + text).description == "one\n  t wo\none\n  t wo\n")
  }

  @Test("joiners, marks and scripts written from right to left stay as they are")
  func kept() {
    for text in ["👩‍👧", "می‌خواهم", "שלום", "e\u{301}", "a:b", "http://a/::b", "# [x]", "“…”"] {
      #expect(PrintableText(text).description == text)
      #expect(PrintableText(document: text).description == text)
    }
  }

  @Test(
    "as many characters are shown as there are, so that columns stay columns", arguments: hostileTexts.indices
  )
  func width(_ index: Int) {
    let text = hostileTexts[index]
    #expect(text.printableLine.unicodeScalars.count == text.unicodeScalars.count)
  }
}

@Suite("Secrets in URLs") struct AddressSecretsTests {
  @Test(
    "they are left out of a text",
    arguments: [
      ("see https://user:word@example.com/x.", "see https://[redacted]@example.com/x."),
      ("'http://a@b', 'http://c:d@e'", "'http://[redacted]@b', 'http://[redacted]@e'"),
      ("https://user:two words@example.com", "https://[redacted]@example.com"),
      ("https://u:p@q@example.com", "https://[redacted]@example.com"),
      ("https://example.com/@user", "https://example.com/@user"),
      ("mail@example.com", "mail@example.com"), ("//", "//"), ("", ""), ("//a@b", "//[redacted]@b"),
      ("x//a@b", "x//[redacted]@b"), ("//@b", "//[redacted]@b"), ("///a@b", "///[redacted]@b"),
      ("a@//", "a@//"), ("// owner: ann@x", "// owner: ann@x"), ("http://a.b or c@d", "http://a.b or c@d"),
      ("//a@b//c@d", "//[redacted]@b//[redacted]@d"), ("/a@b", "/a@b"), ("//a?b@c", "//a?b@c"),
      ("//a#b@c", "//a#b@c"),
      ("https://a.b/f?x=1&Token=a=b&y=2#z", "https://a.b/f?x=1&Token=[redacted]&y=2#z"),
      ("'…/f?a=1&amp;api_key=K', x", "'…/f?a=1&amp;api_key=[redacted]', x"),
      ("?tokens=1 ?token= key=1", "?tokens=1 ?token= key=1"),
      ("/f?token=a,b, because", "/f?token=[redacted], because"),
      (
        "https://u:p@a.b/f?sid=1 https://c.d?key=2",
        "https://[redacted]@a.b/f?sid=[redacted] https://c.d?key=[redacted]"
      ),
    ])
  func leftOut(_ text: String, _ wanted: String) {
    #expect(text.withoutSecrets == wanted && text.printableLine == wanted.printableLine)
    #expect(text.maskingSecrets.unicodeScalars.count == text.unicodeScalars.count)
  }

  @Test("they are in no finding, and in no line under one")
  func finding() {
    let source = SourceText(name: "a.json", #"{"url": "https://user:word@example.com/"}"#)
    let found = Diagnostic(
      "XX1", .error, "https://user:word@example.com/ is refused", at: source.range(8..<40),
      help: "not https://user:word@example.com/")
    let text = TextRenderer().render([found]).description
    #expect(text.contains("https://*********@example.com/"))
    #expect(!text.contains("word"))
  }

  @Test("a confidential text is not shown, its places are")
  func confidential() {
    let source = SourceText(name: "a.json", bytes: Array(#"{"token": secret}"#.utf8), isConfidential: true)
    let text = TextRenderer().render([Diagnostic("XX1", .error, "wrong", at: source.range(10..<16))])
      .description
    #expect(text == "a.json:1:11: error[XX1]: wrong\n")
  }
}
