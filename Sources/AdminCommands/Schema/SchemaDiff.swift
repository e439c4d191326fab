internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
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

  @Argument(help: "The schema as it was.", completion: .file(extensions: ["ckdb"])) var from: String
  @Argument(help: "The schema as it will be.", completion: .file(extensions: ["ckdb"])) var to: String
  @Option(
    help: ArgumentHelp("additive, or none (the default).", valueName: "policy"), transform: Choice.parse)
  var policy: ChangePolicy = .none
  @Flag(help: "End with status 2 when there are differences.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaDiffCommand>

  func validate() throws {
    if from == "-", to == "-" { throw ValidationError("only one side can be standard input") }
  }

  func perform(in session: Session) async throws -> any Report {
    async let readOld = SchemaInput(from).loadBase(session)
    async let readNew = SchemaInput(to).load(session)
    let (base, new) = try await (readOld, readNew)
    guard let old = base else {
      return CommandResult(isConfirmation: true, json: ["compared": false], text: "nothing was compared\n")
    }
    let production = [old, new].first { $0.environment == .production }?.schema
    let changes = SchemaDiff.changes(from: old.schema, to: new.schema, production: production)
    let policy = policy
    let findings = { @Sendable in
      SchemaDiffDiagnostics.diagnostics(for: changes, in: new.parsed, policy: policy)
    }
    // Its JSON may be long, and is made only when asked for.
    var result = CommandResult(
      status(changes), isConfirmation: changes.isEmpty,
      json: session.format == .json ? SchemaDiffJSON.render(changes) : [:],
      diagnostics: policy == .none ? [] : findings()
    ) { format, style in
      switch format {
      case .github: GitHubRenderer().render(findings())
      case .markdown: PrintableText(SchemaDiffMarkdown.render(changes))
      default: SchemaDiffText.render(changes, color: style.isColored)
      }
    }
    result.rendersDiagnostics = true
    return result
  }

  private func status(_ changes: [SchemaChange]) -> ExitStatus {
    if !policy.violations(in: changes).isEmpty { return .findings }
    return exitCode && !changes.isEmpty ? .differences : .done
  }
}
