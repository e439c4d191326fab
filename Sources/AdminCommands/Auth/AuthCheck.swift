internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

/// The command `auth check`.
struct AuthCheck: AdminCommand {
  static let title = "auth check"
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that the credentials work, and say which one does not and why.",
    discussion: """
      CloudKit answers every signing mistake with the same refusal, so the key, its signature and the clock are checked \
      on this machine first. Then the service is asked. What the credential may do to each record type is found out by \
      reading; nothing is written.

      Example: celestra-admin auth check --container cloudkit:iCloud.com.example.App
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthCheck>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.credentialReport()
  }
}
