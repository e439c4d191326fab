internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

/// Schema files that are checked, each read and parsed once. An unreadable file does not hide the findings of the others.
struct SchemaFiles {
  private let paths: [String]
  private(set) var parsed: [ParsedSchema] = []
  private var unreadable: [Diagnostic] = []
  private var firstFailure: CommandFailure?

  init(_ paths: [String], _ context: CommandContext) async throws {
    self.paths = paths
    for path in paths {
      do {
        parsed.append(SchemaParser.parse(try await context.schemaSource(SchemaArgument(path: path))))
      } catch let failure as CommandFailure {
        // A single file that cannot be read is the error of the command; findings are for the readers of other formats.
        guard failure.status != .usage, paths.count > 1 || context.format != .text else { throw failure }
        firstFailure = firstFailure ?? failure
        unreadable.append(SchemaInputRules.unreadable(InputFile.displayName(path), failure.message))
      }
    }
  }

  /// The schemas of a project, by the folder of its file, besides those of some files. Throws an error if they cannot be read.
  static func others(than paths: [String], below project: String?) throws -> [ParsedSchema] {
    try SchemaPaths.others(than: paths, below: project).map { SchemaParser.parse(try InputFile.source($0)) }
  }

  /// The other schemas of the project; `nil` if one of them or of the files cannot be read, because its types are not
  /// known.
  func others(_ context: CommandContext) -> [ParsedSchema]? {
    unreadable.isEmpty ? context.otherSchemas(than: paths) : nil
  }

  /// Says for each file with errors which rules were not asked because of them.
  var uncheckedRules: [String] {
    parsed.filter { SchemaValidator.diagnostics($0).hasErrors }.map { file in
      let roles = file.hasEveryStatement ? "" : "roles, "
      return "\(roles)indexes, grants, privacy and queries of \(file.source.name), because of its errors"
    }
  }

  /// Writes the files with the safe fixes of their findings, and prints the number of corrections in each.
  mutating func fix(_ options: LintOptions, _ context: CommandContext) throws {
    for (index, file) in parsed.enumerated() {
      let fixed = SchemaFixer.fix(file.source, options)
      guard fixed.count > 0 else { continue }
      let path = file.source.name
      var corrected = SchemaParser.parse(SourceText(name: path, fixed.text))
      var text = fixed.text
      if file.isCanonical {
        text = SchemaFormatter.format(corrected, keepsOrder: true)
        corrected = SchemaParser.parse(SourceText(name: path, text))
      }
      try OutputFile.write(text, to: path, replacesInput: true)
      parsed[index] = corrected
      context.note("\(path): \(counted(fixed.count, "correction"))")
    }
  }

  /// Throws a usage error for inputs that cannot be rewritten in place, such as standard input.
  static func requireFiles(_ paths: [String], for option: String) throws {
    if paths.contains("-") {
      throw ValidationError("\(option) cannot write back to standard input; give the path of a file")
    }
    if let path = paths.first(where: { $0.hasPrefix(GitReference.prefix) }) {
      throw ValidationError(
        "\(option) cannot write to \(path), which is a revision in git: give the path of a file")
    }
  }

  /// - Parameters:
  ///   - found: the findings in the files that could be read.
  ///   - failOn: the least severity of the findings that end the command with status 3; `nil` if errors mean that it
  ///     failed.
  ///   - inputs: what was read in addition to the files.
  ///   - failure: why the check is incomplete, if all files could be read.
  func report(
    _ found: LintResult, failOn: Diagnostic.Severity?,
    inputs: [String] = [], failure: CommandFailure? = nil, in context: CommandContext
  ) -> FindingsReport {
    var failure = firstFailure ?? failure
    if paths.count > 1, !unreadable.isEmpty {
      failure?.message = "\(unreadable.count) of \(counted(paths.count, "file")) cannot be read"
    }
    var report = FindingsReport(
      found.diagnostics + unreadable, notices: found.notices.map(\.diagnostic),
      inputs: (paths + inputs).map(InputFile.displayName), failOn: failOn,
      maxAnnotations: context.maxAnnotations, summary: paths.count == 1 ? nil : "\(paths.count) files",
      failure: failure)
    report.details["databaseNotice"] = found.notices.json
    return report
  }
}

extension ParsedSchema {
  /// Whether the file has the layout of an export.
  fileprivate var isCanonical: Bool {
    !diagnostics.hasErrors && Array(SchemaFormatter.format(self, keepsOrder: true).utf8) == source.bytes
  }
}

extension LintConfiguration {
  /// - Parameter name: the file's name in findings.
  static func read(
    projectFile path: String, named name: String
  ) throws -> (LintConfiguration, [Diagnostic]) {
    read(SourceText(name: name, bytes: try RegularFile.read(path, upTo: InputFile.settingsLimit)))
  }
}

extension QueryManifest {
  init(ofSettings path: String) throws {
    do { self.init(parsing: try InputFile.source(path)) } catch {
      var failure = CommandFailure(error)
      failure.message = "the setting schema.queries: \(failure.message)"
      throw failure
    }
  }

  /// The schema files that queries name and that are missing, folders, or out of reach, each with its finding: no schema is
  /// checked against these queries.
  ///
  /// - Parameter checked: the checked schemas. One in no file has the queries of each file with one of its types.
  func missingSchemas(besides checked: [ParsedSchema] = []) -> [(name: String, finding: Diagnostic)] {
    let loose = checked.filter { SchemaPaths.place($0.source.name) == nil }.flatMap(\.recordTypes).map(\.name)
    var known = Set(queries.filter { loose.contains($0.recordType) }.compactMap(\.schemaPath))
    return queries.compactMap { query in
      guard let name = query.schema, let path = query.schemaPath, known.insert(path).inserted else {
        return nil
      }
      var problem = "there is no schema file '\(name)' beside the queries"
      do {
        guard [.missing, .folder].contains(try FileKind(path)) else { return nil }
      } catch { problem = CommandFailure(error).message }
      let finding = Diagnostic(
        SchemaCode.unreadableQueries, query.subject + problem,
        at: query.source.range(of: query.node["schema"] ?? query.node),
        help: "correct \"schema\", the path from the folder of the queries, or check out that file")
      return (name, finding)
    }
  }
}

extension CommandFailure {
  /// - Parameter findings: those that the report does not have.
  static func invalidSettings(_ findings: [Diagnostic] = []) -> CommandFailure {
    CommandFailure(
      "the settings of the project are not valid", code: "bad-settings", diagnostics: findings)
  }
}

extension CommandContext {
  /// The maximum number of annotations: GitHub's limit in a GitHub job, otherwise none.
  var maxAnnotations: Int? {
    process.environment["GITHUB_ACTIONS"] == "true" ? GitHubRenderer.maxAnnotations : nil
  }

  func requireValid(settings found: [Diagnostic]) throws {
    guard !found.hasErrors else { throw CommandFailure.invalidSettings(found) }
  }

  /// The other schemas of the project; `nil` if they cannot be read, which a note says.
  func otherSchemas(than paths: [String]) -> [ParsedSchema]? {
    let project = settings.projectFile.map(FileKind.folder(of:))
    do { return try SchemaFiles.others(than: paths, below: project) } catch {
      note("note: the other schemas of the project are not known: \(CommandFailure(error).message)")
      return nil
    }
  }

  /// The relations that the project file declares. Throws ``CommandFailure`` for one whose field or target is in none of the
  /// schemas, which may be those of containers, and in no other schema of the project.
  ///
  /// - Parameter files: the files of the schemas.
  func relations(in schemas: [ParsedSchema], of files: [String] = []) throws -> [DeclaredRelation] {
    let configuration = try validLintConfiguration()
    if !configuration.unknownRelations(in: schemas).isEmpty {
      try requireValid(
        settings: configuration.unknownRelations(in: schemas + (otherSchemas(than: files) ?? [])))
    }
    return configuration.relations
  }

  /// The settings and queries for the schema of a file, with the same check. Prints warnings about relations that comments
  /// state.
  func options(forFile parsed: ParsedSchema) throws -> LintOptions {
    _ = try relations(in: [parsed], of: [parsed.source.name])
    show(warnings: parsed.unknownStatedRelations)
    return try projectOptions()
  }

  /// Prints findings that need a person, also with `-q`.
  func show(warnings: [Diagnostic]) {
    process.console.writeError(TextRenderer(errorStyle).render(warnings))
  }

  /// The lint settings of the project file, and findings about invalid ones. Of unknown ones each command warns
  /// when it reads the settings.
  func lintConfiguration() throws -> (configuration: LintConfiguration, diagnostics: [Diagnostic]) {
    guard let path = settings.projectFile else { return (LintConfiguration(), []) }
    let (configuration, found) = try LintConfiguration.read(projectFile: path, named: shown(path))
    return (configuration, found.filter { $0.severity == .error })
  }

  func validLintConfiguration() throws -> LintConfiguration {
    let (configuration, found) = try lintConfiguration()
    try requireValid(settings: found)
    return configuration
  }

  /// The settings and the app's queries, which together say what is in the private database.
  func projectOptions() throws -> LintOptions {
    let configuration = try validLintConfiguration()
    var options = LintOptions(queries: try queries(configuration).map(QueryManifest.init(ofSettings:)))
    options.configuration = configuration
    options.place = SchemaPaths.place
    return options
  }

  func queries(_ configuration: LintConfiguration) -> String? {
    guard let file = configuration.queries, let project = settings.projectFile else { return nil }
    return shown(InputFile.path(file, beside: project))
  }

  /// A path from the working directory, so that pull requests show findings in the file.
  private func shown(_ path: String) -> String {
    let folder = process.directory + "/"
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }
}
