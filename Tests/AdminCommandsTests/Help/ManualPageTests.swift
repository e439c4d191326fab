import Testing

@testable import AdminCommands

@Suite struct ManualPageTests {
  @Test("the page has every command, its own options, and nothing that troff would obey")
  func page() {
    let text = ManCommand.page
    #expect(text.contains(".SS \"celestra\\-admin seed apply [<options>] [<directory>]\""))
    #expect(text.contains("\n  \\-\\-prune "))
    #expect(!text.contains("\\-\\-log\\-format"))
    let macros = Set(text.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix(3) })
    #expect(macros.isSubset(of: [".TH", ".SH", ".SS", ".PP", ".in", ".nf", ".fi"]))
  }
}
