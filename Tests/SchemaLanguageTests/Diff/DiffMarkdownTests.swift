import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Diff as Markdown") struct DiffMarkdownTests {
  private func changes(_ new: String) throws -> [SchemaChange] {
    try SchemaDiff.changes(from: Schema(), to: Schema(parsing: new))
  }

  @Test("what is long is folded, and the grants stay in sight")
  func folding() throws {
    let fields = (10..<40).map { "f\($0) STRING" }.joined(separator: ", ")
    let found = try changes(schema("\(fields), GRANT WRITE TO \"_world\""))
    let text = SchemaDiffMarkdown.render(found, title: "Plan", demand: "Needs care.").description
    #expect(
      text.hasPrefix(
        "### Plan\n\n1 change, 0 refused in development, 0 refused in production.\n\nNeeds care.\n"))
    #expect(text.contains("<details><summary>30 fields</summary>\n\n- `f10 STRING`\n"))
    #expect(text.hasSuffix("</details>\n\n- `GRANT WRITE TO \"_world\"`\n"))
  }

  @Test("many changes of one type are folded under their number and risks")
  func manyChanges() throws {
    let old = schema((10..<30).map { "f\($0) STRING SORTABLE" }.joined(separator: ", "))
    let new = schema((10..<30).map { "f\($0) STRING" }.joined(separator: ", "))
    let found = try SchemaDiff.changes(from: Schema(parsing: old), to: Schema(parsing: new))
    let text = SchemaDiffMarkdown.render(found).description
    #expect(text.contains("<details><summary><b>record type T</b>: 20 lines (index-loss)</summary>"))
  }

  @Test("what a comment cannot hold is counted and never cut in the middle")
  func limit() throws {
    let types = (1000..<3000).map { "RECORD TYPE T\($0) ( a STRING, GRANT WRITE TO \"_world\" );" }
    let text = SchemaDiffMarkdown.render(try changes("DEFINE SCHEMA " + types.joined())).description
    #expect(text.utf8.count < 60_000)
    let shown = text.split(separator: "\n").count { $0.hasPrefix("**record type T") }
    #expect(text.contains("**\(2000 - shown) record types with \(2000 - shown) changes left out.**"))
  }

  @Test("ten annotations at most, the gravest first, and the rest in the log")
  func annotations() throws {
    let source = SourceText(name: "a.ckdb", String(repeating: "x\n", count: 40))
    let found = (0..<30).map { line in
      Diagnostic(
        "CK0203", line == 25 ? .error : .note, "finding \(line)", at: source.range(line * 2..<line * 2 + 1))
    }
    let text = GitHubRenderer().render(found, limit: 10).description
    let commands = text.split(separator: "\n").filter {
      $0.hasPrefix("::error ") || $0.hasPrefix("::notice ")
    }
    expectNoDifference(commands.count, 10)
    #expect(commands.contains { $0.hasPrefix("::error file=a.ckdb,line=26") })
    #expect(commands[9].contains("21 more in the log of this step: 21 notes"))
    #expect(text.contains("a.ckdb:30:1: note[CK0203]: finding 29"))
    expectNoDifference(
      GitHubRenderer().render(Array(found.prefix(10)), limit: 10),
      GitHubRenderer().render(Array(found.prefix(10))))
  }
}
