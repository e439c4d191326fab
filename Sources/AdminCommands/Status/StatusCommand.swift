public import ArgumentParser
internal import CommandLine
internal import Diagnostics
public import FeedHealth
internal import Reporting

/// The command `status`.
struct StatusCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown, .html]
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what the container holds about the health of its feeds.",
    discussion: """
      Asks no feed: it shows what the last checks recorded. Counts for each category, then the feeds that need \
      attention, worst first, with their readers as of the last recount, since when, and what to do; then the feeds \
      never checked, and how old all this is. Where the schema has live sessions, also those that are active after \
      their end.

      Example: celestra-admin status --fail-on down
      """)

  @Option(
    help: ArgumentHelp(
      "End with status 3 when a feed is degraded, down, or was never checked.", valueName: "status"))
  var failOn: CatalogHealthReport.FailLevel?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<StatusCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.container(writing: false)
    return try await StatusReport(
      context.catalogHealthReader(of: container), of: container, at: context.now, failLevel: failOn)
  }
}

extension CatalogHealthReport.FailLevel: ExpressibleByArgument {}
