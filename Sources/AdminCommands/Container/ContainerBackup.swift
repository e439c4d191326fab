internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

/// The command `container backup`.
struct ContainerBackup: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a local container to a new file while others use it.",
    discussion: """
      The copy is itself a container, with both environments as they were at one moment. The file is checked first, as \
      'container info --check' does; a damaged file is not copied.

      Example: celestra-admin container backup before-import.sqlite
      """)

  @Argument(help: "The file to write; it must not exist yet.", completion: .file()) var path: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerBackup>

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "the copy is a database")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.localContainer().store.backup(to: path)
    return PlainReport(json: ["path": .string(path)], text: "backed up to \(path)\n", isConfirmation: true)
  }
}
