internal import ArgumentParser

/// The command `version`.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version.", discussion: "Example: celestra-admin version")

  func run() { print(AdminTool.version) }
}
