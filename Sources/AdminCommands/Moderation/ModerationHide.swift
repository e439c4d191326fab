internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People

/// The command `moderation hide`.
struct ModerationHide: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide", abstract: "Hide records, and decide the reports about them.",
    discussion: """
      Writes 1 into the field that hides the record, and a decision that 'restore' takes back. A record that is hidden \
      stays hidden: 'moderation sweep' hides it again after its author showed it.

      Example: celestra-admin moderation hide NAME --reason "insults"
      """)

  @Argument(help: "The names of the records.") var names: [String]
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationHide>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.hide(names), as: Self.title, arguments)
  }
}
