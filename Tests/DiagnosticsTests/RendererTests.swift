import CustomDump
import Diagnostics
import Testing

@Suite struct RendererTests {
  private let source = SourceText(name: "dir/a,b.ckdb", "DEFINE SCHEMA\n  größe\tSTRNG,\nend\n")

  /// `STRNG` on line 2, after an umlaut of two bytes, a ß of two bytes and a tab.
  private var finding: Diagnostic {
    let start = 14 + 2 + 7 + 1
    return Diagnostic(
      "CK0101", .error, "'STRNG' is not a type", at: source.range(start..<start + 5),
      notes: [.init("types are listed here", at: source.range(0..<6))], help: "did you mean 'STRING'?",
      fix: .init(replacing: source.range(start..<start + 5), with: "STRING"))
  }

  @Test("text shows place, line, carets under the very characters, notes and help")
  func text() {
    expectNoDifference(
      TextRenderer().render([finding]),
      """
      dir/a,b.ckdb:2:9: error[CK0101]: 'STRNG' is not a type
       2 |   größe STRNG,
         |         ^^^^^
        note: dir/a,b.ckdb:1:1: types are listed here
       1 | DEFINE SCHEMA
         | ^^^^^^
        help: did you mean 'STRING'?

      """)
  }

  @Test("the JSON of a finding has the parts that it has, and the places of its notes")
  func json() {
    expectNoDifference(
      finding.json.text(),
      #"{"code":"CK0101","severity":"error","message":"'STRNG' is not a type","file":"dir/a,b.ckdb","line":2,"column":9,"endLine":2,"endColumn":14,"help":"did you mean 'STRING'?","related":[{"message":"types are listed here","file":"dir/a,b.ckdb","line":1,"column":1}]}"#
    )
    let bare = Diagnostic("X", .note, "m", notes: [.init("without a place")])
    expectNoDifference(bare.json.text(), #"{"code":"X","severity":"note","message":"m"}"#)
  }

  @Test("a very long line is shown around the place that matters")
  func longLine() {
    let source = SourceText(
      name: "x", String(repeating: "a", count: 5000) + "!" + String(repeating: "b", count: 5000))
    let text = TextRenderer().render([Diagnostic("X", .error, "here", at: source.range(5000..<5001))])
      .description
    let lines = text.split(separator: "\n").map(Array.init)
    #expect(lines.allSatisfy { $0.count < 200 })
    #expect(lines[1].firstIndex(of: "!") == lines[2].firstIndex(of: "^"))
  }

  @Test("control characters and overrides of direction in the input do not reach the terminal")
  func control() {
    let source = SourceText(name: "a\u{1B}[2J", "\u{1B}[31mx\u{202E}y\u{7}\n")
    let text = TextRenderer().render([
      Diagnostic("X", .error, "bad '\u{1B}'", at: source.range(5..<6), help: "\u{8}")
    ]).description
    let allowed = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202E}" }
    #expect(allowed && !text.contains("\u{7F}"))
    #expect(text.contains("\u{FFFD}[31mx\u{FFFD}y\u{FFFD}"))
  }

  @Test("a range that ends on a later line is underlined to the end of its first")
  func multipleLines() {
    let text = TextRenderer().render([Diagnostic("X", .note, "all", at: source.range(0..<20))]).description
    #expect(text.contains("| ^^^^^^^^^^^^^\n"))
  }

  @Test("findings come in reading order, each once")
  func order() {
    let first = Diagnostic("A", .note, "first", at: source.range(0..<1))
    let report = DiagnosticReport(tool: ("t", "1"), inputs: ["x"], diagnostics: [finding, first, finding])
    #expect(report.diagnostics.map(\.code) == ["A", "CK0101"])
  }

  @Test("GitHub's separators are escaped where they would be read as such")
  func github() {
    expectNoDifference(
      GitHubRenderer().render([finding]),
      "::error file=dir/a%2Cb.ckdb,line=2,endLine=2,col=9,endColumn=14,title=CK0101::"
        + "'STRNG' is not a type%0Adid you mean 'STRING'?\n")
  }

  @Test("GitHub gets no columns for a place of several lines: it does not take them")
  func githubLines() {
    let range = SourceText(name: "a", "one\ntwo\n").range(1..<6)
    expectNoDifference(
      GitHubRenderer().render([Diagnostic("X", .note, "m", at: range)]),
      "::notice file=a,line=1,endLine=2,title=X::m\n")
  }

  @Test("an escaper finds each special character, even before a combining mark")
  func joined() {
    for (before, after) in [("", "\u{301}"), ("\u{600}", ""), ("", "\u{200D}")] {
      for (character, xml, github) in [
        ("&", "&amp;", "&"), ("<", "&lt;", "<"), (">", "&gt;", ">"), ("\"", "&quot;", "\""),
        ("%", "%", "%25"),
      ] {
        let finding = Diagnostic("X", .error, "a" + before + character + after)
        let report = DiagnosticReport(tool: ("t", "1"), inputs: [], diagnostics: [finding])
        #expect(JUnitRenderer().render(report).utf8.firstRange(of: "a\(before)\(xml)\(after)\"".utf8) != nil)
        #expect(
          GitHubRenderer().render([finding]).description == "::error title=X::a\(before)\(github)\(after)\n")
      }
      for (character, escaped) in [(":", "%3A"), (",", "%2C"), ("%", "%25")] {
        let source = SourceText(name: before + character + after, "x")
        let command = GitHubRenderer().render([Diagnostic("X", .error, "m", at: source.range(0..<1))])
        #expect(command.description.hasPrefix("::error file=\(before)\(escaped)\(after),line=1"))
      }
    }
  }

  @Test("a JUnit input with a finding has no passed case, be it without a place or in a file of a folder")
  func junitOfPlaceless() {
    for finding in [Diagnostic("CV0101", .error, "dangling"), finding] {
      let report = DiagnosticReport(
        tool: ("tool", "1"), inputs: ["dir"], diagnostics: [finding], rules: [])
      let text = JUnitRenderer().render(report)
      #expect(!text.contains("no findings"))
      #expect(text.contains(#"tests="1" failures="1""#))
    }
  }

  @Test("JUnit counts findings as failures and clean inputs as passed, and escapes what XML cannot hold")
  func junit() {
    let bad = Diagnostic("X<1>", .error, "a & \"b\"\u{1}", at: SourceText(name: "b", "x").range(0..<1))
    let text = JUnitRenderer().render(
      DiagnosticReport(tool: ("t", "1"), inputs: ["clean", "b"], diagnostics: [bad]))
    #expect(text.contains("<testsuites name=\"t\" tests=\"2\" failures=\"1\">"))
    #expect(text.contains("<testcase name=\"no findings\" classname=\"clean\"/>"))
    #expect(text.contains("<testcase name=\"X&lt;1&gt;:1:1\" classname=\"b\">"))
    #expect(text.contains("message=\"a &amp; &quot;b&quot;\u{FFFD}\""))
  }

  @Test(
    "of a line longer than 160 characters, the part around the place is shown",
    arguments: [
      // The length of the line, the place, its length; then the first character shown, their number, the carets.
      (160, 0, 1, 0, 160, 0, 1), (160, 159, 1, 0, 160, 159, 1), (161, 0, 1, 0, 160, 0, 1),
      (161, 0, 161, 0, 160, 0, 160),
      (161, 160, 1, 1, 160, 159, 1), (161, 80, 1, 0, 160, 80, 1), (161, 81, 1, 1, 160, 80, 1),
      (500, 250, 3, 170, 160, 80, 3),
      (500, 79, 1, 0, 160, 79, 1), (500, 499, 1, 340, 160, 159, 1), (500, 250, 250, 170, 160, 80, 80),
      (500, 500, 0, 340, 160, 160, 1), (3, 1, 0, 0, 3, 1, 1),
    ])
  func windows(length: Int, place: Int, marked: Int, first: Int, shown: Int, indent: Int, carets: Int) throws
  {
    // Each character has three bytes.
    let scalars = (0..<length).compactMap { Unicode.Scalar(0x4E00 + $0) }
    let source = SourceText(name: "x", String(String.UnicodeScalarView(scalars)) + "\n")
    let finding = Diagnostic("X", .error, "m", at: source.range(place * 3..<(place + marked) * 3))
    let lines = TextRenderer().render([finding]).description.split(separator: "\n").map { $0.dropFirst(5) }
    let expected = String.UnicodeScalarView(scalars.dropFirst(first).prefix(shown))
    try #require(lines.count == 3)
    #expect(lines[1] == Substring(String(expected)))
    #expect(
      lines[2] == Substring(String(repeating: " ", count: indent) + String(repeating: "^", count: carets)))
  }

  @Test("a place at a line's end has one caret after the text, and an empty text has no line")
  func lineEnds() {
    func carets(_ text: String, _ range: Range<Int>) -> String {
      let source = SourceText(name: "x", text)
      return TextRenderer().render([Diagnostic("X", .note, "m", at: source.range(range))]).description
    }
    expectNoDifference(carets("abc\n", 3..<4), "x:1:4: note[X]: m\n 1 | abc\n   |    ^\n")
    expectNoDifference(carets("abc\r\n", 4..<5), "x:1:5: note[X]: m\n 1 | abc\n   |     ^\n")
    expectNoDifference(carets("abc\r\n", 1..<5), "x:1:2: note[X]: m\n 1 | abc\n   |  ^^\n")
    expectNoDifference(carets("a\nb", 3..<3), "x:2:2: note[X]: m\n 2 | b\n   |  ^\n")
    expectNoDifference(carets("", 0..<0), "x:1:1: note[X]: m\n")
    let lines = String(repeating: "\n", count: 9)
    expectNoDifference(carets(lines + "b", 9..<10), "x:10:1: note[X]: m\n 10 | b\n    | ^\n")
  }

  @Test("colors mark the severity, the carets, the margin and the words before notes and help")
  func colored() {
    let source = SourceText(name: "x", "ab")
    func text(_ severity: Diagnostic.Severity) -> String {
      let finding = Diagnostic("X", severity, "m", at: source.range(0..<1), notes: [.init("n")], help: "h")
      return TextRenderer(colored: true).render([finding]).description.replacing("\u{1B}[", with: "<")
    }
    for (severity, color) in [(Diagnostic.Severity.error, 31), (.warning, 33), (.note, 36)] {
      expectNoDifference(
        text(severity),
        "x:1:1: <\(color)m\(severity.rawValue)[X]<0m: m\n <2m1 |<0m ab\n <2m  |<0m <\(color)m^<0m\n"
          + "  <36mnote<0m: n\n  <32mhelp<0m: h\n")
    }
  }

  @Test("the most severe findings are GitHub's annotations, and the rest is counted in the last one")
  func githubLimit() {
    let findings = [
      Diagnostic("A", .note, "1"), Diagnostic("B", .warning, "2"), Diagnostic("C", .error, "3"),
      Diagnostic("D", .note, "4"),
    ]
    let all =
      "::notice title=A::1\n::warning title=B::2\n::error title=C::3\n::notice title=D::4\n"
    for limit in [nil, 5, 4] {
      expectNoDifference(GitHubRenderer().render(findings, limit: limit).description, all)
    }
    expectNoDifference(
      GitHubRenderer().render(findings, limit: 3).description,
      "::warning title=B::2\n::error title=C::3\n::notice title=A::2 more in the log of this step: 2 notes\n"
        + "::group::2 more\nnote[A]: 1\nnote[D]: 4\n::endgroup::\n")
    expectNoDifference(
      GitHubRenderer().render(findings, limit: 1).description,
      "::error title=C::4 more in the log of this step: 1 error, 1 warning, 2 notes\n"
        + "::group::4 more\nnote[A]: 1\nwarning[B]: 2\nerror[C]: 3\nnote[D]: 4\n::endgroup::\n")
    #expect(GitHubRenderer.maxAnnotations == 10)
  }

  @Test("a finding without a place belongs to the only input, or else to a general suite")
  func generalSuite() {
    for (inputs, suites) in [([], ["general"]), (["a"], ["a"]), (["a", "b"], ["a", "b", "general"])]
      as [([String], [String])]
    {
      let report = DiagnosticReport(
        tool: ("t", "1"), inputs: inputs, diagnostics: [Diagnostic("X", .error, "m")])
      let names = JUnitRenderer().render(report).split(separator: "\n").filter { $0.contains("<testsuite ") }
        .map { String($0.split(separator: "\"")[1]) }
      #expect(names == suites)
    }
  }

  @Test("a folder whose file has a finding has no suite, with or without a slash at its end")
  func folders() {
    let finding = Diagnostic("X", .error, "m", at: SourceText(name: "seeds/a", "x").range(0..<1))
    for (input, isLeftOut) in [("seeds", true), ("seeds/", true), ("seed", false), ("seeds/a", false)] {
      let report = DiagnosticReport(tool: ("t", "1"), inputs: [input, "other"], diagnostics: [finding])
      #expect(
        JUnitRenderer().render(report).contains("<testsuite name=\"\(input)\"") != isLeftOut, "\(input)")
    }
  }

  @Test("a JUnit document counts its cases, failures and skipped cases, and escapes what others obey")
  func junitDocument() {
    let failure = JUnitDocument.Failure(
      type: "error", message: "a\n##[b#[c", body: "\u{202E} \u{1F}\u{FFFE}\u{FFFF}")
    let document = JUnitDocument(
      name: "t",
      suites: [
        .init(
          name: "s",
          cases: [.init(name: "1"), .init(name: "2", failure: failure), .init(name: "3", skipped: "<why>")]),
        .init(name: "e", cases: []),
      ])
    expectNoDifference(
      document.text,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="t" tests="3" failures="1">
        <testsuite name="s" tests="3" failures="1" errors="0" skipped="1">
          <testcase name="1" classname="s"/>
          <testcase name="2" classname="s">
            <failure type="error" message="a&#10;##&#91;b#[c">&#8238; \u{FFFD}\u{FFFD}\u{FFFD}</failure>
          </testcase>
          <testcase name="3" classname="s">
            <skipped message="&lt;why&gt;"/>
          </testcase>
        </testsuite>
        <testsuite name="e" tests="0" failures="0" errors="0" skipped="0">
        </testsuite>
      </testsuites>

      """)
  }
}
