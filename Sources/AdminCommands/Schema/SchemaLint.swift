internal import ArgumentParser
internal import Diagnostics
internal import SchemaLanguage

struct SchemaLint: AdminCommand {
  static let title = "schema lint"
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Check schema files against rules: indexes, grants, privacy, production.",
    discussion: """
      Documentation/Rules.md explains every rule. A comment such as '// celestra:ignore CK0203 reason' on the line \
      or above it silences a rule there; it needs a reason. With --queries, a JSON list of the queries an app makes \
      is checked too, and each missing index reported with the line to add. With --baseline, so is what importing a \
      file in place of that schema would drop without a word: an index of a system field, a type that CloudKit manages.

      Example: celestra-admin schema lint schema/celestra.ckdb --queries schema/queries.json --fail-on warning
      """)

  @Argument(help: "The schema files; - reads standard input.", completion: .file(extensions: ["ckdb"]))
  var files: [String]
  @Option(
    help: ArgumentHelp(
      "End with status 3 from this severity on: error (the default), warning or note.", valueName: "severity"),
    transform: Choice.parse)
  var failOn: Diagnostic.Severity = .error
  @Option(help: ArgumentHelp("The queries an app makes, as JSON.", valueName: "file"), completion: .file())
  var queries: String?
  @Option(
    help: ArgumentHelp(
      "The schema in place: a file, or 'container', 'container:development', 'container:production'.",
      valueName: "schema"))
  var baseline: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaLint>

  func perform(in session: Session) async throws -> any Report {
    let manifest = try queries.map { QueryManifest(parsing: try InputFile.source($0)) }
    var inPlace: Schema?
    if let baseline { inPlace = try await SchemaSide(baseline).load(session).schema }
    let checked = try await SchemaFiles(files) { [inPlace] in
      SchemaLinter.diagnostics($0, queries: manifest, baseline: inPlace)
    }
    let others = (manifest?.diagnostics ?? [], [queries].compactMap(\.self))
    return checked.result(with: others, of: files) { found in
      found.contains { $0.severity >= failOn } ? .findings : .done
    }
  }
}
