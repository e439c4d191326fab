import ArgumentParser
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

  @Test("a command's own options stand before the shared ones")
  func order() throws {
    let text = HelpText(AdminTool.tool).help(of: SeedApply.self)
    let own = try #require(text.firstRange(of: "  --prune"))
    let shared = try #require(text.firstRange(of: "SHARED OPTIONS:"))
    #expect(own.lowerBound < shared.lowerBound)
    #expect(!text.contains("\n\n\n"))
  }

  @Test("help lists the formats of the command alone, and a container only where one is used")
  func options() {
    let format = HelpText(AdminTool.tool).help(of: SchemaFormat.self)
    #expect(format.contains("Output format: text.") && !format.contains("sarif"))
    #expect(!format.contains("--container") && !format.contains("--environment") && !format.contains("--via"))
    #expect(HelpText(AdminTool.tool).help(of: SeedApply.self).contains("--container"))
    #expect(throws: Never.self) { try SchemaFormat.parse(["--container", "memory:", "a.ckdb"]) }
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
