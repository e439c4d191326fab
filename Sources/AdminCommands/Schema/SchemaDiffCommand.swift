internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Platform
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

struct SchemaMergeCommand: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge a second schema into the first, and print the result in canonical form.",
    discussion: """
      What the second file leaves out stays as it is in the first, options of a field and comments included; a \
      role of both gets the privileges that the second grants it. A field that changes its type and a grant \
      that is more than an addition are reported; with --policy additive they end the command with status 3, \
      and nothing is printed. --output may name the first file.

      --ancestor names the schema that both files come from. Then what either of them removed is removed; what \
      both changed differently is listed, and the command ends with status 3 and prints nothing.

      Example: celestra-admin schema merge exported.ckdb additions.ckdb --policy additive --output merged.ckdb
      """)

  @Argument(
    help: "The schema to change: a file, or git:REF:PATH; - reads standard input.", completion: .schemaFile)
  var base: String
  @Argument(
    help: "What to add or change: a file, or git:REF:PATH; - reads standard input.", completion: .schemaFile)
  var delta: String
  @Option("additive, or none (the default).", word: "policy")
  var policy: SchemaChangePolicy = .none
  @Option("The schema that both come from.", value: "schema", completion: .schemaFile) var ancestor: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaMergeCommand>

  func validate() throws {
    if [base, delta, ancestor].count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one schema can be standard input")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    // The result may replace this file.
    let base = try await RunFiles.$current.withValue(nil) { try await context.validSchema(in: self.base) }
    var ancestor: ParsedSchema?
    if let path = self.ancestor { ancestor = try await context.wellFormedSchema(in: path) }
    // What is only added may name roles of the first file.
    let roles = ancestor == nil ? base.schema.roles : []
    let merge = MergedSchema(
      base, try await context.validSchema(in: delta, knowing: roles), ancestor: ancestor)
    guard merge.conflicts.isEmpty else { throw conflict(merge.conflicts) }
    let allowed = try context.validLintConfiguration().allowedChanges
    let found = merge.diagnostics(SchemaPolicy(policy, exceptions: allowed))
    guard !found.hasErrors else {
      throw CommandFailure(
        "\(InputFile.displayName(delta)) removes or changes declarations; with --policy additive it may only add them",
        code: "not-additive", status: .findings,
        diagnostics: found)
    }
    return merge.report
  }

  private func conflict(_ conflicts: [String]) -> CommandFailure {
    let isCommitted = base.hasPrefix(GitReference.prefix)
    let saved = String(base.dropFirst(GitReference.prefix.count)).shellWord
    let save = "save the first with 'git show \(saved) > ours.ckdb', "
    return CommandFailure(
      "both files change \(counted(conflicts.count, "declaration")) differently", details: conflicts,
      code: "merge-conflict",
      hint:
        "Decide each in one of the files: \(isCommitted ? save : "")write what the other or the ancestor has, and merge again.",
      status: .findings)
  }
}
