internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People

/// The command `moderation unblock`.
struct ModerationUnblock: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock", abstract: "Take back a block, with all that it hid.",
    discussion: """
      Gives each record that the block hid the values that it had before, and deletes the BlockedUser record. Records that \
      were hidden by a decision of their own stay hidden. Who left when 'sessions close' ended a session must join again.

      Example: celestra-admin moderation unblock 20261128T090000-9f3a1c-1
      """)

  @Argument(help: "The id of the decision to block, as 'block' and 'show' print it.") var decision: String
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationUnblock>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.unblock(decision), as: Self.title, arguments)
  }
}
