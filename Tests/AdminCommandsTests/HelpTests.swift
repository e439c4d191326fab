import ArgumentParser
import Foundation
import Testing

@testable import AdminCommands

/// The help of every command, as it was last looked at. After a wanted change, run the tests once with
/// CELESTRA_RECORD_SNAPSHOTS=1 and read the difference.
@Suite struct HelpTests {
  struct Command: CustomTestStringConvertible, Sendable {
    let path: [String]
    let type: any ParsableCommand.Type

    var testDescription: String { path.joined(separator: " ") }
    var fileName: String { path.joined(separator: "-") + ".txt" }
  }

  static let commands = commands(under: AdminTool.self, ["celestra-admin"])
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Snapshots")

  @Test("the help is what it was", arguments: commands)
  func help(_ command: Command) throws {
    let text = AdminTool.helpMessage(for: command.type, columns: 100) + "\n"
    let file = HelpTests.folder.appending(path: command.fileName)
    if ProcessInfo.processInfo.environment["CELESTRA_RECORD_SNAPSHOTS"] != nil {
      try FileManager.default.createDirectory(at: HelpTests.folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test("every snapshot belongs to a command")
  func stale() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: HelpTests.folder.path)
    #expect(Set(files) == Set(HelpTests.commands.map(\.fileName)))
  }

  @Test("every command says in a sentence what it does", arguments: commands)
  func abstracts(_ command: Command) {
    let abstract = command.type.configuration.abstract
    #expect(abstract.hasSuffix(".") && abstract.count <= 110, "\(abstract)")
  }

  private static func commands(under type: any ParsableCommand.Type, _ path: [String]) -> [Command] {
    let children = type.configuration.subcommands.flatMap { child in
      commands(under: child, path + [child._commandName])
    }
    return [Command(path: path, type: type)] + children
  }
}
