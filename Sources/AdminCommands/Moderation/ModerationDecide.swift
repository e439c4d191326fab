internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People

/// The command `moderation decide`.
struct ModerationDecide: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide", abstract: "Decide reports without changing the reported records.",
    discussion: """
      All open reports about one record are decided at once. Use upheld when the report was right and the record is \
      already gone or changed, and dismissed when it was wrong. 'hide', 'remove' and 'block' decide the reports themselves. \
      Upholding a report about a report closes both. With open, the reports that the last decision about a record closed \
      wait again; a hide or a block is taken back first.

      Example: celestra-admin moderation decide NAME --as dismissed
      """)

  @Argument(help: "The names of reports or reported records; with open also of blocks.") var names: [String]
  @Option(
    name: .customLong("as"), help: ArgumentHelp("Whether the reports were right.", valueName: "outcome"))
  var outcome: ModerationAction.Outcome
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationDecide>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.decide(names, as: outcome), as: Self.title, arguments)
  }
}

extension ModerationAction.Outcome: ExpressibleByArgument {}
