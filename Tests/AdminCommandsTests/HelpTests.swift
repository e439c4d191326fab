import ArgumentParser
import Foundation
import Testing

@testable import AdminCommands

/// The help of every command, as it was last looked at. After a wanted change, run the tests once with
/// CELESTRA_RECORD_SNAPSHOTS=1 and read the difference.
@Suite struct HelpTests {
  /// The words of every command, the tool's own name first.
  static let titles = commands().map { $0.path.joined(separator: " ") }
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Snapshots")

  @Test("the help is what it was", arguments: titles)
  func help(_ title: String) throws {
    let text = AdminTool.helpMessage(for: try command(title), columns: 100) + "\n"
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
