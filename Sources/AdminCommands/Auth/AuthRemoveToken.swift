internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command `auth remove-token`.
struct AuthRemoveToken: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-token", abstract: "Remove the saved management token.",
    discussion: """
      Example: celestra-admin auth remove-token
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthRemoveToken>

  func perform(in context: CommandContext) async throws -> any Report {
    try TokenStore(context.process).remove(.management)
    return PlainReport(json: ["removed": true], isConfirmation: true) { "removed" }
  }
}
