internal import ArgumentParser
internal import CommandLine

/// The command `man`.
struct ManCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "man", abstract: "Print the manual page.",
    discussion: """
      The page is generated from the help of all commands.

      Example: celestra-admin man > /usr/local/share/man/man1/celestra-admin.1
      """)

  func run() throws { print(try Self.page().text, terminator: "") }

  static func page() throws -> ManualPage {
    try ManualPage("celestra-admin", version: AdminTool.version, help: AdminTool._dumpHelp())
  }
}
