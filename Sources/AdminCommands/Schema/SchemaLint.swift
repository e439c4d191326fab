internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaLint: AdminCommand {
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Check schema files against rules: indexes, grants, privacy, production.",
    discussion: """
      Documentation/Rules.md lists the rules, and Documentation/Schemas.md how a team chooses its own: severities \
      and private types in celestra-admin.json, comments such as '// celestra:ignore CK0203 reason' and \
      '// celestra:private'. With --queries, a JSON list of the queries an app makes is checked too. With --new-since, \
      only the findings that the other schema does not have are reported, and what a file in its place leaves out: an \
      index of a system field, which an import drops without a word, and a type that CloudKit manages, without which other \
      tools are refused.

      A schema is a file, git:REF:PATH, 'container', 'container:development' or 'container:production'. A schema does \
      not say which types belong to the private database: schema.database, schema.privateTypes and schema.publicTypes in \
      celestra-admin.json say it, or --database for all types of this run. Without an answer, one notice a file names \
      the types that look private. --select and --ignore take codes, or beginnings such as CK03; errors of CK01 stay.

      Examples:
        celestra-admin schema lint schema/app.ckdb --new-since git:origin/main:schema/app.ckdb --fail-on warning
        celestra-admin schema lint schema --select CK03
      """)

  @Argument(help: .schemaFiles, completion: .schemaFile) var files: [String]
  @Option(
    "Exit with status 3 for findings of at least this severity: error (the default), warning or note.",
    word: "severity")
  var failOn: Diagnostic.Severity = .error
  @Option("A JSON list of the app's queries. Default: schema.queries.", value: "file", completion: .file())
  var queries: String?
  @Option(
    "Report only findings that this schema does not have, and what it has that an import would drop.",
    value: "schema", completion: .file())
  var newSince: String?
  @Option("The database of all types, whatever the settings say: public or private.", word: "database")
  var database: StatedDatabase?
  @Option("Report only these rules. Can be repeated.", value: "code", completion: CompletionValues.rules)
  var select: [String] = []
  @Option("Do not report these rules. Can be repeated.", value: "code", completion: CompletionValues.rules)
  var ignore: [String] = []
  @Flag(help: "Apply safe fixes to the files, then report the rest.") var fix = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaLint>

  func validate() throws {
    if fix { try SchemaFiles.requireFiles(files, for: "--fix") }
  }

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    try context.envelope(for: Self.title, naming: newSince)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let settings = try context.lintConfiguration()
    // Other formats show the place of what is wrong in the settings.
    if context.format == .text { try context.requireValid(settings: settings.diagnostics) }
    let queries = self.queries ?? context.queries(settings.configuration)
    var options = try lintOptions(queries, context)
    options.configuration = settings.configuration
    options.older = try await older(queries, options.queries, context)
    var files = try await SchemaFiles(SchemaPaths.files(files), context)
    if fix { try files.fix(options, context) }
    var found = SchemaLinter.check(
      files.parsed, options, settings: settings.diagnostics, others: { files.others(context) })
    let missing = options.queries?.missingSchemas(besides: files.parsed) ?? []
    found.diagnostics += missing.map { $0.finding }
    var report = files.report(
      found, failOn: failOn, inputs: [queries].compactMap(\.self),
      failure: settings.diagnostics.hasErrors ? .invalidSettings() : nil, in: context)
    guard !settings.diagnostics.hasErrors else { return report }
    if found.diagnostics.hasErrors { report.unchecked += files.uncheckedRules }
    report.unchecked += missing.map { "the queries of \($0.name), which cannot be read" }
    if let newSince, queries != nil, try SchemaArgument(newSince).commit == nil {
      report.unchecked.append(
        "findings that only new queries have: git:REF:PATH knows the former queries, \(newSince) does not")
    }
    report.unchecked.append(
      (queries == nil ? "the app's queries ('schema lint --queries'), and " : "")
        + "whether the container takes the schema ('schema validate --remote')")
    return report
  }

  private func older(
    _ path: String?, _ queries: QueryManifest?, _ context: CommandContext
  ) async throws -> LintOptions.Older? {
    guard let newSince else { return nil }
    let argument = try SchemaArgument(newSince)
    guard let schema = try await argument.loadBase(context)?.parsed else { return nil }
    guard let path, let commit = argument.commit else { return (schema, queries) }
    let bytes = try await GitRepository(context.process).committed(path, at: commit)
    return (schema, bytes.map { QueryManifest(parsing: SourceText(name: path, bytes: $0)) })
  }

  private func lintOptions(_ queries: String?, _ context: CommandContext) throws -> LintOptions {
    var options = LintOptions(
      queries: try queries.map {
        try self.queries == nil
          ? QueryManifest(ofSettings: $0) : QueryManifest(parsing: InputFile.source($0))
      })
    options.database = database
    options.place = SchemaPaths.place
    options.selection = try RuleSelection(select: select, ignore: ignore)
    return options
  }
}

struct SchemaValidate: AdminCommand {
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Report every syntax and semantic error in schema files.",
    discussion: """
      A file that cannot be read is reported too; the other files are still checked. --remote asks about what \
      'schema apply' would send: the file, with the container's types that CloudKit manages if it leaves them out.

      Examples:
        celestra-admin schema validate schema/*.ckdb --format github
        celestra-admin schema validate schema/celestra.ckdb --remote
      """)

  @Argument(help: .schemaFiles, completion: .schemaFile) var files: [String]
  @Flag(help: "Also ask the container to validate each file.") var remote = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaValidate>

  func perform(in context: CommandContext) async throws -> any Report {
    let files = try await SchemaFiles(SchemaPaths.files(files), context)
    var found = LintResult(diagnostics: [])
    var service: (container: any SchemaManager, schema: Schema)?
    for parsed in files.parsed {
      let errors = SchemaValidator.diagnostics(parsed)
      found.diagnostics += errors
      guard remote, !errors.hasErrors else { continue }
      if service == nil {
        let container = try await context.schemaContainer()
        service = (container, try await container.currentSchema())
      }
      guard let (container, present) = service else { continue }
      // What 'schema apply' would send.
      let completed = parsed.schema.completedForImport(replacing: present).schema
      if let reason = try await container.validateSchema(completed.canonicalText) {
        found.diagnostics.append(SchemaInputRules.refusal(of: parsed, reason))
      }
    }
    var report = files.report(found, failOn: nil, in: context)
    report.unchecked.append(
      "indexes, grants, privacy and what production refuses ('schema lint')"
        + (remote ? "" : ", and whether the container takes the schema ('schema validate --remote')"))
    return report
  }
}
