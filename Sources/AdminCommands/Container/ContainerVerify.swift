internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct ContainerVerify: AdminCommand {
  static let title = "container verify"
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check references and consistency of a container's records.",
    discussion: """
      Finds references to records that are not there, feeds with the same URL, orphaned metadata and articles, \
      subscriptions with impossible names, and live sessions that are public although they are marked private. \
      Reads every record once and changes nothing.
      """)

  @Option(
    help: ArgumentHelp(
      "End with status 3 from this severity on: error, warning or note (the default).", valueName: "severity"),
    transform: Choice.parse)
  var failOn: Diagnostic.Severity = .note
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerVerify>

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.handle()
    let schema = try await context.schemaForJobs(handle)
    let result = try await CatalogVerifier(
      container: handle.container, schema: schema, now: context.now
    ).verify()
    let total = result.read.reduce(0) { $0 + $1.count }
    let fails = result.findings.contains { $0.severity >= failOn }
    return FindingsReport(
      result.findings, inputs: [try context.target.name], status: fails ? .findings : .done,
      summary: "\(counted(total, "record")) of \(counted(result.read.count, "type"))")
  }
}
