internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import Reporting

/// The command `report`.
struct ReportCommand: AdminCommand {
  static let formats: [OutputFormat] = [.html, .markdown, .json]
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write a report about the catalog into one file that any browser opens.",
    discussion: """
      Asks no feed: it shows what the last checks and recounts recorded. First the verdict, then what changed since \
      an earlier report (--since), the feeds to look at first, readers and quality, and a table of all feeds. The \
      HTML file needs no other file and no network. The same container at the same time gives the same bytes.

      Examples:
        celestra-admin report --output report.html
        celestra-admin report --since last-week.html --output report.html
        celestra-admin report --format markdown >> "$GITHUB_STEP_SUMMARY"
      """)

  @Option(
    help: ArgumentHelp("An earlier HTML report, to show what changed since then.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var since: String?
  @Option(
    help: ArgumentHelp(
      "The schema file to compare the container's schema with. Default: the configured one.",
      valueName: "schema"),
    completion: .file(extensions: ["ckdb"]))
  var schema: String?
  @Option(
    help: ArgumentHelp("Feeds in the table, the worst first: a number from 10 up, or all.", valueName: "n"))
  var rows: RowLimit = .all
  @Option(
    help: ArgumentHelp(
      "The largest size of the file. Default: 4000000 for HTML, 1048576 for Markdown.", valueName: "n"))
  var maxBytes: Int?
  @Option(
    help: ArgumentHelp(
      "End with status 3 when a feed is degraded, down, or was never checked.", valueName: "status"))
  var failOn: CatalogHealthReport.FailLevel?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ReportCommand>

  func validate() throws {
    if let maxBytes, maxBytes < CatalogReport.leastMaxBytes {
      throw ValidationError("--max-bytes takes a number from \(CatalogReport.leastMaxBytes) up")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try context.refuseHTMLOnTerminal()
    let previous = try since.map { try PreviousReport(InputFile.read($0), name: InputFile.displayName($0)) }
    let drift = try await context.schemaDrift(from: schema)
    let health = try await context.catalogHealth()
    let target = try context.target
    let options = CatalogReport.Options(
      subject: "\(target.name) (\(target.environment.rawValue))", rows: rows.count, maxBytes: maxBytes)
    return CatalogReport(
      health, options: options, drift: drift, since: previous, failLevel: failOn)
  }
}
