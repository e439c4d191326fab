internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People

/// The command `moderation restore`.
struct ModerationRestore: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Show records again that a moderator hid.",
    discussion: """
      Gives the field that hides the record the value that it had before the decision. The reports stay decided. A record of \
      a blocked author is shown, too, while the author stays blocked.

      Example: celestra-admin moderation restore NAME
      """)

  @Argument(help: "The names of the records.") var names: [String]
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationRestore>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.restore(names), as: Self.title, arguments)
  }
}
