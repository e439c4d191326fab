internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics

/// The command `seed drift`.
struct SeedDrift: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "drift", abstract: "Show what 'seed pull' would change. Nothing is written.",
    discussion: """
      For a nightly job that reports edits made in the container, and changes that were not applied. Says when each \
      record was changed, and whether this key did it or another user; never who.

      Example: celestra-admin seed drift --exit-code
      """)

  @OptionGroup var options: SeedPullOptions
  @Flag(help: "End with status 2 when files and container differ.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedDrift>

  func perform(in context: CommandContext) async throws -> any Report {
    let found = try await options.run(in: context)
    return SeedPullReport(
      found.pull, found.workspace, isDrift: true, signalsDifferences: exitCode, authors: found.authors)
  }
}
