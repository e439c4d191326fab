internal import ArgumentParser
internal import Diagnostics
internal import PositionedJSON
internal import SchemaLanguage

struct SchemaDiffCommand: AdminCommand {
  static let title = "schema diff"
  static let formats: [OutputFormat] = [.text, .json, .markdown, .github]
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two schemas by meaning.",
    discussion: """
      Each side is a file, or 'container', 'container:development' or 'container:production'. Each change says \
      what development and production do with it. With --policy additive, a change that production refuses, or may \
      refuse, ends the command with status 3.

      Example: celestra-admin schema diff main.ckdb schema/celestra.ckdb --policy additive
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The schema as it was.") var from: String
  @Argument(help: "The schema as it will be.") var to: String
  @Option(
    help: ArgumentHelp("additive, or none (the default).", valueName: "policy"), transform: Choice.parse)
  var policy: ChangePolicy = .none
  @Flag(help: "End with status 2 when there are differences.") var exitCode = false

  func perform(in session: Session) async throws -> CommandResult {
    let sides = (try SchemaSide(from), try SchemaSide(to))
    async let readOld = sides.0.load(session)
    async let readNew = sides.1.load(session)
    let (old, new) = try await (readOld, readNew)
    let isProduction = (try sides.0.isProduction(session), try sides.1.isProduction(session))
    let changes = SchemaDiff.changes(
      from: old.schema, to: new.schema,
      production: isProduction.0 ? old.schema : isProduction.1 ? new.schema : nil)
    let findings = { SchemaDiffDiagnostics.diagnostics(for: changes, in: new.parsed, policy: policy) }
    // Its JSON may be long, and is made only when asked for.
    return CommandResult(
      status(changes), json: session.format == .json ? SchemaDiffJSON.render(changes) : [:],
      diagnostics: policy == .none ? [] : findings()
    ) { format, style in
      switch format {
      case .github: GitHubRenderer().render(findings())
      case .markdown: SchemaDiffMarkdown.render(changes)
      default: SchemaDiffText.render(changes, color: style.isColored)
      }
    }
  }

  private func status(_ changes: [SchemaChange]) -> ExitStatus {
    if !policy.violations(in: changes).isEmpty { return .findings }
    return exitCode && !changes.isEmpty ? .differences : .done
  }
}
