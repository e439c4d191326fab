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

  @Test("a very long line is shown around the place that matters", arguments: ["a", "字", "e\u{301}"])
  func longLine(_ letter: String) {
    let letters = String(repeating: letter, count: 5000)
    let source = SourceText(name: "x", letters + "!" + letters)
    let place = letters.utf8.count
    let text = TextRenderer().render([Diagnostic("X", .error, "here", at: source.range(place..<place + 1))])
    let lines = text.description.split(separator: "\n")
    #expect(lines.allSatisfy { $0.terminalColumns < 200 })
    #expect(lines[1].prefix { $0 != "!" }.terminalColumns == lines[2].prefix { $0 != "^" }.terminalColumns)
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

  @Test(
    "JUnit counts findings that fail the command as failures, and clean inputs and others as passed, in valid XML"
  )
  func junit() {
    let bad = Diagnostic("X<1>", .error, "a & \"b\"\u{1}", at: SourceText(name: "b", "x").range(0..<1))
    let note = Diagnostic.Note("here too", at: SourceText(name: "noted", "x").range(0..<1))
    let text = JUnitRenderer().render(
      DiagnosticReport(
        tool: ("t", "1"), inputs: ["clean", "noted", "b"],
        diagnostics: [bad, Diagnostic("Y", .warning, "c", at: bad.range, notes: [note])]))
    #expect(text.contains("<testsuites name=\"t\" tests=\"3\" failures=\"1\">"))
    #expect(text.contains("<system-out>b:1:1: warning: c&#10;noted:1:1: here too</system-out>"))
    #expect(text.contains("<testcase name=\"no findings\" classname=\"clean\"/>"))
    #expect(text.contains("<testcase name=\"X&lt;1&gt;:1:1\" classname=\"b\">"))
    #expect(text.contains("message=\"a &amp; &quot;b&quot;\u{FFFD}\""))
  }

  @Test("the most severe findings are GitHub's annotations, and the rest is counted in the last one")
  func githubLimit() {
    let findings = [
      Diagnostic("A", .note, "1"), Diagnostic("B", .warning, "2"), Diagnostic("C", .error, "3"),
      Diagnostic("D", .note, "4"),
    ]
    let all =
      "::error title=C::3\n::warning title=B::2\n::notice title=A::1\n::notice title=D::4\n"
    for limit in [nil, 5, 4] {
      expectNoDifference(GitHubRenderer().render(findings, limit: limit).description, all)
    }
    expectNoDifference(
      GitHubRenderer().render(findings, limit: 3).description,
      "::error title=C::3\n::warning title=B::2\n::notice title=2 more findings::in the log of this step: 2 notes\n"
        + "::group::2 more\nnote[A]: 1\nnote[D]: 4\n::endgroup::\n")
    expectNoDifference(
      GitHubRenderer().render(findings, limit: 1).description,
      "::error title=4 more findings::in the log of this step: 1 error, 1 warning, 2 notes\n"
        + "::group::4 more\nnote[A]: 1\nwarning[B]: 2\nerror[C]: 3\nnote[D]: 4\n::endgroup::\n")
    #expect(GitHubRenderer.maxAnnotations == 10)
  }
}
