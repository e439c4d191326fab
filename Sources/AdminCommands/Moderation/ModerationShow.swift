internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People

/// The command `moderation show`.
struct ModerationShow: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a reported record with its context, reports and decisions.",
    discussion: """
      Shows the record's texts, the last records of its thread, the reports, whose authors are numbered, the decisions \
      with their ids, whether the author is new here, and how much the author wrote lately.

      Example: celestra-admin moderation show NAME
      """)

  @Argument(help: "The record's name.") var name: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationShow>

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.openContainer()
    let moderation = try await context.moderation(of: handle)
    return try await moderation.namingRole {
      try await ModerationCaseDetails(
        of: name, in: moderation, at: try await context.now(by: handle.container))
    }
  }
}
