import CommandLine
import Testing

@testable import AdminCommands

@Suite struct ManualPageTests {
  @Test("the page has every command, its own options, and nothing that troff would obey")
  func page() throws {
    let text = try ManCommand.page().text
    #expect(text.contains(".SS \"celestra\\-admin seed apply <directory>\""))
    #expect(text.contains("\\fB\\-\\-prune\\fR"))
    #expect(!text.contains("\\-\\-log\\-format"))
    let macros = Set(text.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix(3) })
    #expect(macros.isSubset(of: [".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"]))
  }
}
