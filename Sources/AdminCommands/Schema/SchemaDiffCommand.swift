internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct SchemaDiffCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown, .github, .sarif, .junit]
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two schemas by meaning.",
    discussion: """
      Each side is a file, git:REF:PATH, or 'container', 'container:development' or 'container:production'. Each \
      change says what development and production do with it. That depends on what production has: --production \
      names its schema. With --policy additive, a change that one of them refuses, or may refuse, or that lets more \
      people write or strangers read, ends the command with status 3, unless schema.allowedChanges in \
      celestra-admin.json names it with a reason; the report prints the entry to add. What only removes an error of \
      'schema lint' passes, and so does the preferred type of a NUMBER, which can be chosen once.

      Examples:
        celestra-admin schema diff git:origin/main:schema/celestra.ckdb schema/celestra.ckdb --policy additive
        celestra-admin schema diff container schema/celestra.ckdb --policy additive
      """)

  @Argument(help: "The old schema.", completion: .schemaFile) var from: String
  @Argument(help: "The new schema.", completion: .schemaFile) var to: String
  @Option("additive, or none (the default).", word: "policy")
  var policy: SchemaChangePolicy = .none
  @Option("The schema that production has.", value: "schema", completion: .schemaFile) var production: String?
  @Flag(help: "Exit with status 2 if there are differences.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaDiffCommand>

  func validate() throws {
    if [from, to, production].count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one schema can be standard input")
    }
  }

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    try context.envelope(for: Self.title, naming: from, to, production)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    async let readOld = SchemaArgument(from).loadBase(context)
    async let readNew = SchemaArgument(to).loadValid(context)
    let (base, new) = try await (readOld, readNew)
    guard let old = base else {
      var report = report([], to: new, policy: .none)
      report.isCompared = false
      return report
    }
    let deployed = [old, new].first { $0.environment == .production }
    var named: SchemaArgument.Loaded?
    if let production { named = try await SchemaArgument(production).load(context) }
    let settings = try context.validLintConfiguration()
    let changes = SchemaDiff.changes(
      from: old.schema, to: new.schema, production: (named ?? deployed)?.schema)
    let corrected =
      policy == .none
      ? CorrectedErrors() : CorrectedErrors(from: old.parsed, to: new.parsed, settings)
    var report = report(
      changes, to: new,
      policy: SchemaPolicy(
        policy, exceptions: exceptions(settings, old.schema, new.schema, context), corrected: corrected))
    report.maxAnnotations = context.maxAnnotations
    return report
  }

  /// The exceptions of the project without those about another schema of it, which no change here can need.
  private func exceptions(
    _ settings: LintConfiguration, _ old: Schema, _ new: Schema, _ context: CommandContext
  ) -> [AllowedChange] {
    let foreign = settings.allowedChanges.filter { !$0.isAbout(old) && !$0.isAbout(new) }
    let others = foreign.isEmpty ? [] : (context.otherSchemas(than: [from, to]) ?? []).map(\.schema)
    return settings.allowedChanges.filter { !foreign.contains($0) || !others.contains(where: $0.isAbout) }
  }

  private func report(
    _ changes: [SchemaChange], to new: SchemaArgument.Loaded, policy: SchemaPolicy
  ) -> SchemaDiffReport {
    var report = SchemaDiffReport(
      changes, to: new.parsed, names: (InputFile.displayName(from), InputFile.displayName(to)),
      policy: policy, countsDifferences: exitCode)
    report.tool.version = AdminTool.version
    return report
  }
}
