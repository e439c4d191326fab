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
