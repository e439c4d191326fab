internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
package import FeedHealth
internal import Platform
internal import RecordChanges
internal import Reporting
internal import SchemaLanguage

struct StatusCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown, .html]
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what the container holds about its feeds, also as a page.",
    discussion: """
      Asks no feed: it shows what the last checks and recounts recorded. Counts for each category, then the feeds that \
      need attention, worst first, with their readers as of the last recount, since when, and what to do; then the feeds \
      never checked, how old all this is, and how old the mirrors that this machine made are. Where the schema has live \
      sessions, also those that are active after their end. Of an app without feeds, its record types, leases and last run.

      HTML and Markdown are pages: the verdict, what changed since an earlier page (--since), the feeds to look at first, \
      readers and quality, and a table of all feeds, the retired last. The HTML file needs no other file and no network. The same container \
      at the same time gives the same bytes. --since, --schema, --rows and --max-bytes are for pages.

      Examples:
        celestra-admin status --fail-on down
        celestra-admin status --output status.html
        celestra-admin status --since last-week.html --output status.html
        celestra-admin status --format markdown >> "$GITHUB_STEP_SUMMARY"
      """)

  @Option("End with status 3 when a feed is degraded, down, or was never checked.", value: "status")
  var failOn: CatalogHealthReport.FailLevel?
  @Option(
    "An earlier HTML page, to show what changed since then.", value: "file",
    completion: .file(extensions: ["html"]))
  var since: String?
  @Option(
    "The schema file to compare the container's schema with. Default: the configured one.", value: "schema",
    completion: .schemaFile)
  var schema: String?
  @Option(
    "Feeds in the table, the worst first: a number from 10 up, or all. Default: all.", value: "n",
    transform: rowLimit)
  var rows: Int?
  @Option("The largest size of the file. Default: 4000000 for HTML, 1048576 for Markdown.", value: "n")
  var maxBytes: Int?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<StatusCommand>

  private static func rowLimit(_ text: String) throws -> Int {
    if text == "all" { return .max }
    guard let count = Int(text), count >= 10 else {
      throw ValidationError("--rows takes a number from 10 up, or all")
    }
    return count
  }

  func validate() throws {
    if let maxBytes, maxBytes < CatalogReport.leastMaxBytes {
      throw ValidationError("--max-bytes takes a number from \(CatalogReport.leastMaxBytes) up")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let isPage = [.html, .markdown].contains(context.format)
    guard isPage || (since == nil && schema == nil && rows == nil && maxBytes == nil) else {
      throw CommandFailure.usage(
        "--since, --schema, --rows and --max-bytes are for pages",
        hint: "Add --output status.html, or --format markdown.")
    }
    let previous = try since.map { try ReportSnapshot(InputFile.read($0), name: InputFile.displayName($0)) }
    let drift = context.format == .text ? nil : try await context.schemaDrift(from: schema)
    let container = try await context.container()
    let isOfPart = context.mirror?.isIncomplete ?? false
    guard !isOfPart || failOn == nil else {
      throw CommandFailure(
        "the mirror is incomplete, so --fail-on cannot judge its feeds", code: "incomplete",
        hint: "Run 'container backup' again: it completes the first copy.")
    }
    var options = CatalogReport.Options(subject: try context.target.inWords, rows: rows, maxBytes: maxBytes)
    options.isOfPart = isOfPart
    options.completed = context.completed
    var mirrors: [StatusReport.Mirror] = []
    do { mirrors = try context.knownMirrors(of: container.identity) } catch let failure as FileFailure {
      context.note("note: mirrors are not shown: \(failure.message)")
    }
    let report = try await StatusReport(
      of: container, mapping: HealthOptions(context.settings).mapping, at: context.now(by: container),
      options: options, drift: drift, since: previous, failLevel: failOn, mirrors: mirrors, isForAnyApp: true)
    return report.needsOverview ? report.adding(try await context.overview(of: container)) : report
  }
}

extension CatalogHealthReport.FailLevel: ExpressibleByArgument {}

extension CommandContext {
  fileprivate func overview(of container: any Container) async throws -> StatusReport.Overview {
    let runs = try RunHistory.existing(in: stateDirectory)?.runs().read ?? []
    var overview = StatusReport.Overview()
    overview.recordTypes = try await schemaIfAvailable()?.recordTypes.map(\.name)
    overview.leases = try await container.leaseHolders()?.map { (purpose: $0.purpose, run: $0.run) }
    for reading in runs where overview.lastRun == nil {
      switch reading.run {
      case .success(let run) where run.target.isSameContainer(as: container.identity):
        overview.lastRun = (id: run.id, command: run.command, started: run.started)
      case .success: continue
      // It may be a later run in this container.
      case .failure(let error): note("note: \(error.description)")
      }
    }
    return overview
  }

  /// The differences between the container's schema and the declared one; `nil` when neither the option nor the
  /// configuration names a file, and when the container's schema cannot be read without a management token. What the
  /// option asks for is an error then.
  func schemaDrift(from option: String?) async throws -> SchemaDrift? {
    guard let path = try option ?? settings[.schema] else { return nil }
    var declared = try await validSchema(in: path).schema
    let present =
      try await option == nil ? schemaIfAvailable() : schemaContainer().currentSchema()
    if let mirror { declared.recordTypes.removeAll { mirror.leftOut.contains($0.name) } }
    return present.map { SchemaDrift(file: InputFile.displayName(path), from: $0, to: declared) }
  }
}
