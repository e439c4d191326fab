internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// `cktool version`, which is `--version` as well.
struct CKToolVersion: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of this tool.",
    discussion: """
      Example:
        celestra-admin cktool version
      """)

  func run() throws { try ProcessContext.current.console.output.write("\(AdminTool.version)\n") }
}

/// `cktool help`, which is `--help` as well.
struct CKToolHelp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Show what cktool, or one of its verbs, takes.",
    discussion: """
      Example:
        celestra-admin cktool help export-schema
      """)

  @Argument(help: "The verb.") var verb: String?

  func run() throws {
    let verbs = CKToolCommand.configuration.subcommands
    guard let verb else { throw CleanExit.helpRequest(CKToolCommand.self) }
    guard let found = verbs.first(where: { $0.configuration.commandName == verb }) else {
      throw ValidationError("cktool has no subcommand '\(verb)'")
    }
    throw CleanExit.helpRequest(found)
  }
}
