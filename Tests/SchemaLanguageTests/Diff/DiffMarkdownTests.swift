import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Diff as Markdown") struct DiffMarkdownTests {
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
    #expect(commands[0].hasPrefix("::error file=a.ckdb,line=26"))
    #expect(commands[9].hasSuffix("title=21 more findings::in the log of this step: 21 notes"))
    #expect(text.contains("a.ckdb:30:1: note[CK0203]: finding 29"))
    expectNoDifference(
      GitHubRenderer().render(Array(found.prefix(10)), limit: 10),
      GitHubRenderer().render(Array(found.prefix(10))))
  }
}
