internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People

/// The command `moderation block`.
struct ModerationBlock: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Block the author of a record.",
    discussion: """
      Hides everything that the author made in all declared types, ends the author's sessions, decides the reports about \
      these records, and writes a BlockedUser record, by which the author's app finds out. The name of the record stands for \
      the person; a report stands for its author. What cannot be hidden is listed with the command that removes it. \
      'moderation sweep' hides what the author writes afterwards, and \
      completes a block that was interrupted; 'unblock' takes all of it back.

      Example: celestra-admin moderation block NAME --reason "spam"
      """)

  @Argument(help: "The name of a record of the author.") var name: String
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationBlock>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.block(name), as: Self.title, arguments)
  }
}
