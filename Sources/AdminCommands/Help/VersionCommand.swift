internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command `version`.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, and where this binary comes from.",
    discussion: """
      The first line is the version alone, as --version prints it. The lines after it are the commit and the tag of the \
      sources, the kind of build, and the platform, for reports of problems.

      Example: celestra-admin version
      """)

  func run() throws { try ProcessContext.current.console.output.write(Self.text(.current)) }

  static func text(_ origin: BuildOrigin) -> PrintableText {
    PrintableText(
      lines: [
        AdminTool.version, "commit: \(origin.commit ?? "not recorded by this build")",
        "build: \(origin.tag.map { "release \($0)" } ?? "no release")\(origin.isOptimized ? "" : ", not optimized")",
        "platform: \(origin.platform)",
      ], indent: "")
  }
}
