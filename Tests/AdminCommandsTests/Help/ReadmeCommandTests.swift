import Foundation
import Testing

/// README's table of commands.
@Suite struct ReadmeCommandTests {
  /// The commands that the table names: `seed plan` for the second verb of `seed validate, plan`.
  private let named: Set<String>

  init() throws {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "## Commands\n").dropFirst().first)
    let rows = section.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
    named = Set(
      rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([^`]+)`/).flatMap { Self.commands($0.1) } })
  }

  /// `config show --origin` is one command, `seed validate, plan` are two, and `cktool …` are all of a group.
  private static func commands(_ text: Substring) -> [String] {
    let words = text.split(separator: " ").map(String.init).filter { !$0.hasPrefix("--") }
    let verbs = words.dropFirst().joined(separator: " ").components(separatedBy: ", ")
    return verbs.map { "\(words[0]) \($0)" }
  }

  /// What the table can say of a command: the command, or its group and `…`.
  private static func forms(_ title: String) -> Set<String> {
    let words = title.split(separator: " ").dropFirst().map(String.init)
    return words.count == 1 ? ["\(words[0]) "] : [words.joined(separator: " "), "\(words[0]) …"]
  }

  @Test("the table has every command", arguments: HelpTests.leaves)
  func complete(_ title: String) {
    let isNamed =
      !named.isDisjoint(with: Self.forms(title))
      // A command with an argument: `explain CODE`, `recount subscribers`.
      || named.contains {
        $0.hasPrefix("\(title.split(separator: " ")[1]) ") && title.split(separator: " ").count == 2
      }
    #expect(isNamed, "README.md's table of commands has no \(title)")
  }

  @Test("the table has no command that does not exist")
  func stale() {
    let leaves = HelpTests.leaves.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    for name in named {
      let group = String(name.split(separator: " ")[0])
      let exists =
        name.hasSuffix(" …")
        ? leaves.contains { $0.hasPrefix("\(group) ") } : leaves.contains(name) || leaves.contains(group)
      #expect(exists, "README.md's table of commands has \(name)")
    }
    #expect(named.count > 60)
  }
}
