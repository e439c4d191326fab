import CustomDump
import Foundation
import Testing

@testable import Diagnostics

/// One report with everything that a report can have, in each format.
@Suite("A report in every format") struct ReportBodyTests {
  private struct Sample: Report {
    let json: JSONValue = [:]
    let title: StyledText? = "Plan for \("a|b", .code)"

    var body: ReportBody {
      ListItem(
        .bad, "feed \("One *two*", .strong)  \("https://one.example/feed", .dim)",
        details: ["HTTP 404 since yesterday"])
      var table = Table([.init("feed"), .init("why"), .init("readers", .right, missing: "not counted yet")])
      table.add("Daring Fireball", "the server answers with a page in place of the feed", "12")
      table.add("a|b", "", nil, details: ["Retire it."])
      table
      Section("Roles") { ListItem("GRANT READ TO \("_world", .code)") }
    }

    var conclusion: ReportBody { "1 feed is down" }
  }

  private func text(_ width: Int?) -> String {
    Sample().text(TerminalStyle(isColored: false, width: width)).description
  }

  @Test("text for a file has lines of any length, and columns below their heads")
  func file() {
    expectNoDifference(
      text(nil),
      """
      ✗ feed One *two*  https://one.example/feed
          HTTP 404 since yesterday
      feed             why                                                          readers
      Daring Fireball  the server answers with a page in place of the feed               12
      a|b                                                                   not counted yet
          Retire it.
      Roles
        GRANT READ TO _world

      1 feed is down

      """)
  }

  @Test("a terminal breaks lines between words, in cells too")
  func terminal() {
    expectNoDifference(
      text(60),
      """
      ✗ feed One *two*  https://one.example/feed
          HTTP 404 since yesterday
      feed             why                                 readers
      Daring Fireball  the server answers with a                12
                       page in place of the feed
      a|b                                          not counted yet
          Retire it.
      Roles
        GRANT READ TO _world

      1 feed is down

      """)
  }

  @Test("a terminal that is too narrow for the columns shows each row as named values")
  func narrow() {
    expectNoDifference(
      text(38),
      """
      ✗ feed One *two*
        https://one.example/feed
          HTTP 404 since yesterday
      Daring Fireball
        why: the server answers with a page
          in place of the feed
        readers: 12
      a|b
        readers: not counted yet
          Retire it.
      Roles
        GRANT READ TO _world

      1 feed is down

      """)
  }

  @Test("no line is wider than the terminal, at any width from 40 columns", arguments: 40...120)
  func widths(_ width: Int) {
    for line in text(width).split(separator: "\n") { #expect(line.terminalColumns <= width, "\(line)") }
    #expect(text(width).split(whereSeparator: \.isWhitespace).contains("https://one.example/feed"))
  }

  @Test("Markdown has the conclusion first, and input is never markup")
  func markdown() {
    expectNoDifference(
      Sample().rendered(as: .markdown, .plain).description,
      """
      ### Plan for `a|b`

      1 feed is down

      - `✗` feed **One \\*two\\***  `https://one.example/feed`
        - HTTP 404 since yesterday

      | feed | why | readers |
      | --- | --- | ---: |
      | Daring Fireball | the server answers with a page in place of the feed | 12 |
      | a\\|b | <br>Retire it. | not counted yet |

      #### Roles

      - GRANT READ TO `_world`


      """)
  }

  @Test("CSV has the columns of the table")
  func csv() {
    expectNoDifference(
      Sample().rendered(as: .csv, .plain).description,
      "feed,why,readers\r\nDaring Fireball,the server answers with a page in place of the feed,12\r\na|b,,\r\n"
    )
  }

  @Test("styles are colors of a terminal, and each part ends with its own")
  func colors() {
    let style = TerminalStyle(isColored: true)
    #expect(
      style.text("a \("b", .bad) \("c", .strong)").description == "a \u{1B}[31mb\u{1B}[0m \u{1B}[1mc\u{1B}[0m"
    )
    // A color ends with its line, and what colors a word takes no column.
    #expect(
      PlainReport { StyledText("one two", .bad) }.text(TerminalStyle(isColored: true, width: 5)).description
        == "\u{1B}[31mone\u{1B}[0m\n  \u{1B}[31mtwo\u{1B}[0m\n")
    #expect(style.text(StyledText("wide", .good)).description.terminalColumns == 4)
    #expect(["日本", "น้ำ", "e\u{301}🇩🇪", "☕", "👩‍👩‍👧"].map(\.terminalColumns) == [4, 2, 3, 2, 2])
  }

  @Test(
    "input controls no terminal, whatever its style",
    arguments: [StyledText.Style.plain, .strong, .bad, .code])
  func hostile(_ style: StyledText.Style) {
    let report = PlainReport { StyledText("\u{1B}[2J\u{202E}::error::x", style) }
    let text = report.text(.plain).description
    #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}") && !text.hasPrefix("::"))
  }

  @Test("the first elements of a list are shown, and the others are counted", arguments: [0, 1, 3, 4, 9])
  func first(_ count: Int) {
    let body = ReportBody.first(3, of: 0..<count) { "n\($0)" }
    let lines = body.text().description.split(separator: "\n")
    #expect(lines.count == min(count, 3) + (count > 3 ? 1 : 0))
    #expect((lines.last == "… and \(count - 3) more") == (count > 3))
    #expect(ReportBody.first(3, of: 0..<1, total: 3) { "n\($0)" }.text() == "n0\n… and 2 more\n")
  }

  @Test("a long section that may be folded is, and a comment stays within GitHub's limit")
  func longMarkdown() {
    func markdown(_ sections: Int, _ lines: Int) -> String {
      let body = ReportBody {
        for section in 0..<sections {
          Section("part \(section)", folds: true) { for line in 0..<lines { ListItem("line \(line)") } }
        }
      }
      return MarkdownRenderer(maxBytes: MarkdownRenderer.maxCommentBytes).render(body, title: nil).description
    }
    #expect(markdown(1, 20).hasPrefix("<details><summary><b>part 0</b></summary>\n\n- line 0\n"))
    #expect(markdown(1, 5).hasPrefix("#### part 0\n\n- line 0\n"))
    let long = markdown(1000, 20)
    #expect(long.utf8.count <= 56_000)
    let shown = long.components(separatedBy: "<details>").count - 1
    #expect(long.components(separatedBy: "</details>").count - 1 == shown)
    #expect(
      long.hasSuffix(
        "**\(1000 - shown) parts of this report left out, to keep it short.** The JSON result has all.\n"))
  }

  @Test(
    "a cell that a spreadsheet would run or split is made harmless; a number keeps its sign",
    arguments: [
      ("", ""), ("a", "a"), ("=", "'="), ("=1", "'=1"), ("+a", "'+a"), ("+1.5", "+1.5"), ("-a", "'-a"),
      ("-3", "-3"), ("@a", "'@a"), ("\ta", "'\ta"), ("\ra", "\"'\ra\""), ("'=1", "''=1"), ("'a", "'a"),
      ("=\u{301}1", "'=\u{301}1"), ("a=", "a="), ("a-", "a-"),
      ("a,b", "\"a,b\""), ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("\"", "\"\"\"\""), ("a b", "a b"),
    ])
  func cell(text: String, cell: String) {
    var table = Table([.init("t")])
    table.add(StyledText(text))
    let csv = PlainReport { table }.rendered(as: .csv, .plain).description
    #expect(csv == PrintableText(document: "t\r\n\(cell)\r\n").description)
  }
}
