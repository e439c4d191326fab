import ArgumentParser
import Diagnostics
import Foundation
import Testing

@testable import AdminCommands
@testable import CommandLine

/// The help of every command, as it was last looked at. After a wanted change, run the tests once with
/// CELESTRA_RECORD_SNAPSHOTS=1 and read the difference.
@Suite struct HelpTests {
  /// The words of every command, the tool's own name first.
  static let titles = commands().map { $0.path.joined(separator: " ") }
  /// Those of the commands that run something.
  static let leaves = commands().filter { $0.type.configuration.subcommands.isEmpty }.map {
    $0.path.joined(separator: " ")
  }
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(
      path: "Snapshots")

  @Test("the help is what it was", arguments: titles)
  func help(_ title: String) throws {
    let text = HelpText(AdminTool.tool).help(of: try command(title), columns: 100) + "\n"
    let file = HelpTests.folder.appending(path: HelpTests.fileName(title))
    if ProcessInfo.processInfo.environment["CELESTRA_RECORD_SNAPSHOTS"] != nil {
      try FileManager.default.createDirectory(at: HelpTests.folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test("every snapshot belongs to a command")
  func stale() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: HelpTests.folder.path)
    #expect(Set(files) == Set(HelpTests.titles.map(HelpTests.fileName)))
  }

  @Test("every command says in a sentence what it does", arguments: titles)
  func abstracts(_ title: String) throws {
    let abstract = try command(title).configuration.abstract
    #expect(abstract.hasSuffix(".") && abstract.count <= 110, "\(abstract)")
  }

  @Test("every command that runs something shows an example", arguments: titles)
  func examples(_ title: String) throws {
    let type = try command(title)
    guard type.configuration.subcommands.isEmpty else { return }
    #expect(HelpText(AdminTool.tool).help(of: type).contains(/Examples?:/))
  }

  @Test(
    "-h fits 40 lines: what it does, examples, the options of the guides, and where the others are",
    arguments: leaves)
  func short(_ title: String) throws {
    let help = HelpText(AdminTool.tool)
    let long = help.help(of: try command(title), columns: 80)
    let text = help.short(long)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 40, "\(text)")
    #expect(text.contains("OVERVIEW: ") && text.contains(/Examples?:/) && text.contains("USAGE: "), "\(text)")
    #expect(text.hasSuffix("\n\nAll options: \(title) --help"), "\(text)")
  }

  @Test("each risk that can be accepted is explained")
  func risks() {
    #expect(MutationOptions.namedRisks.allSatisfy { RiskOptions.meanings[$0] != nil })
  }

  @Test("the shared options are explained once, and a command names its formats and them in two lines")
  func shared() throws {
    let help = HelpText(AdminTool.tool)
    #expect(
      help.help(of: SchemaFormat.self).hasSuffix(
        "Formats: text.\nShared options: 'celestra-admin help options'."))
    #expect(!help.help(of: SeedApply.self).contains("--container <spec>"))
    #expect(try #require(help.topic(["help", "options"])).contains("--container <spec>"))
    #expect(throws: Never.self) { try SchemaFormat.parse(["--container", "memory:", "a.ckdb"]) }
  }

  @Test("the first screen names commands that exist, and 'help all' lists every one")
  func first() throws {
    let help = HelpText(AdminTool.tool)
    let first = try #require(help.topic([]))
    #expect(first.split(separator: "\n").count <= 20 && help.topic(["--help"]) == first)
    #expect(first.split(separator: "\n").allSatisfy { $0.count <= 80 })
    for line in first.split(separator: "\n") where line.hasPrefix("  ") {
      let words = line.split(separator: "  ", omittingEmptySubsequences: true)[0]
      // Of `recount all` the second word is an argument.
      let path = "celestra-admin \(words)".replacing(" all", with: "")
      #expect(HelpTests.titles.contains(path), "\(line)")
    }
    let all = try #require(help.topic(["help", "all"]))
    for title in HelpTests.leaves { #expect(all.contains("\n  \(title.dropFirst(15)) "), "\(title)") }
    #expect(all.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  /// Apple's options of cktool's verbs are mandatory.
  @Test("usage lines fit a terminal", arguments: titles.filter { !$0.contains("cktool") })
  func usage(_ title: String) throws {
    let usage = HelpText(AdminTool.tool).usage(of: try command(title))
    #expect(usage.count <= 110, "\(usage)")
  }

  static func text(of title: String) throws -> String {
    HelpText(AdminTool.tool).help(of: try HelpTests().command(title))
  }

  private func command(_ title: String) throws -> any ParsableCommand.Type {
    try #require(HelpTests.commands().first { $0.path.joined(separator: " ") == title }?.type)
  }

  private static func fileName(_ title: String) -> String {
    title.split(separator: " ").joined(separator: "-") + ".txt"
  }

  private static func commands(
    under type: any ParsableCommand.Type = AdminTool.self, _ path: [String] = ["celestra-admin"]
  ) -> [(path: [String], type: any ParsableCommand.Type)] {
    type.configuration.subcommands.reduce(into: [(path, type)]) { found, child in
      found += commands(under: child, path + [child._commandName])
    }
  }
}
