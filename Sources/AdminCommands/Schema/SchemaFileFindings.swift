internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage
internal import SystemPackage

/// The findings in several schema files. An unreadable file does not hide the findings of the others.
struct SchemaFileFindings {
  private(set) var diagnostics: [Diagnostic] = []
  /// The open questions about private types, one a file.
  private var notices: [DatabaseNotice] = []
  /// The error of the first unreadable file, if any.
  private var firstFailure: CommandFailure?
  /// The number of files that cannot be read; a finding says why for each.
  private var unreadableCount = 0
  /// The record types of all files; `nil` if a syntax error may hide some.
  private var recordTypes: Set<String>? = []
  private let maxAnnotations: Int?

  init(
    _ paths: [String], _ context: CommandContext, _ check: (ParsedSchema) async throws -> LintResult
  ) async throws {
    maxAnnotations = context.maxAnnotations
    for path in paths {
      let source: SourceText
      do { source = try await context.schemaSource(SchemaArgument(path: path)) } catch let unreadable
        as CommandFailure
      {
        // A single file that cannot be read is the error of the command; findings are for the readers of other formats.
        guard unreadable.status != .usage, paths.count > 1 || context.format != .text else {
          throw unreadable
        }
        firstFailure = firstFailure ?? unreadable
        unreadableCount += 1
        recordTypes = nil
        diagnostics.append(SchemaInputRules.unreadable(InputFile.displayName(path), unreadable.message))
        continue
      }
      let parsed = SchemaParser.parse(source)
      if parsed.diagnostics.hasErrors { recordTypes = nil }
      recordTypes?.formUnion(parsed.recordTypes.map(\.name))
      let result = try await check(parsed)
      diagnostics += result.diagnostics
      if let notice = result.notice { notices.append(notice) }
    }
  }

  /// Findings for patterns in the settings that match no record type of the files.
  func unmatchedPatterns(_ options: LintOptions) -> [Diagnostic] {
    guard let recordTypes else { return [] }
    let others = options.older?.schema.schema.recordTypes ?? []
    return options.configuration.unmatchedPatterns(among: recordTypes.union(others.map(\.name)))
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

  /// Why the check is incomplete: the findings name the files and the reasons.
  private func failure(among paths: [String]) -> CommandFailure? {
    guard var failure = firstFailure, paths.count > 1 else { return firstFailure }
    failure.message = "\(unreadableCount) of \(counted(paths.count, "file")) cannot be read"
    return failure
  }

  /// - Parameters:
  /// - others: findings and inputs in addition to the files.
  /// - status: the exit status if all files could be read.
  func result(
    with others: (diagnostics: [Diagnostic], inputs: [String]) = ([], []), of paths: [String],
    status: ([Diagnostic]) -> ExitStatus
  ) -> FindingsReport {
    let all = others.diagnostics + diagnostics
    var report = FindingsReport(
      all, inputs: (paths + others.inputs).map(InputFile.displayName), rules: SchemaRules.all,
      status: status(all), summary: paths.count == 1 ? nil : "\(paths.count) files",
      failure: failure(among: paths))
    report.maxAnnotations = maxAnnotations
    report.notices = notices.map(\.diagnostic)
    report.details["databaseNotice"] = notices.json
    return report
  }
}

extension CommandContext {
  /// Applies the safe fixes of lint findings to the files, and prints the number of corrections in each.
  func fixSchemas(_ files: [String], _ options: LintOptions) throws {
    for file in files {
      let fixed = SchemaFixer.fix(try InputFile.source(file), options)
      guard fixed.count > 0 else { continue }
      try OutputFile.write(fixed.text, to: file)
      note("\(file): \(counted(fixed.count, "correction"))")
    }
  }

  /// The maximum number of annotations: GitHub's limit in a GitHub job, otherwise none.
  var maxAnnotations: Int? {
    process.environment["GITHUB_ACTIONS"] == "true" ? GitHubRenderer.maxAnnotations : nil
  }
}

extension CommandContext {
  /// The relations that the project file declares. Throws ``CommandFailure`` for one that the schema cannot have.
  func relations(in parsed: ParsedSchema) throws -> [DeclaredRelation] {
    let settings = try lintConfiguration()
    let found = settings.diagnostics + parsed.unknownRelations(settings.configuration.relations)
    guard !found.hasErrors else {
      throw CommandFailure(
        "the settings of the project are not valid", code: "bad-settings", diagnostics: found)
    }
    return settings.configuration.relations
  }

  /// The lint settings of the project file, and findings about invalid ones.
  func lintConfiguration() throws -> (configuration: LintConfiguration, diagnostics: [Diagnostic]) {
    guard let path = settings.projectFile else { return (LintConfiguration(), []) }
    return LintConfiguration.read(SourceText(name: shown(path), bytes: try InputFile.readSettings(path)))
  }

  /// The path of the queries that the project file names.
  func queries(_ configuration: LintConfiguration) -> String? {
    guard let file = configuration.queries, let project = settings.projectFile else { return nil }
    return shown(FilePath(project).removingLastComponent().pushing(FilePath(file)).string)
  }

  /// A path from the working directory, so that pull requests show findings in the file.
  private func shown(_ path: String) -> String {
    let folder = process.directory + "/"
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }
}
