internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct SchemaValidate: AdminCommand {
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Report every syntax and semantic error in schema files.",
    discussion: """
      A file that cannot be read is reported too; the other files are still checked.

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
    for parsed in files.parsed {
      let errors = SchemaValidator.diagnostics(parsed)
      found.diagnostics += errors
      if remote, !errors.hasErrors { found.diagnostics += try await remoteFindings(parsed, context) }
    }
    var report = files.report(found, found.diagnostics.hasErrors ? .failed : .done, in: context)
    report.unchecked.append(
      "indexes, grants, privacy and what production refuses ('schema lint')"
        + (remote ? "" : ", and whether the container takes the schema ('schema validate --remote')"))
    return report
  }

  private func remoteFindings(_ parsed: ParsedSchema, _ context: CommandContext) async throws -> [Diagnostic]
  {
    let text = parsed.source.text(in: 0..<parsed.source.bytes.count)
    guard let reason = try await context.schemaContainer().validateSchema(text) else { return [] }
    return [SchemaInputRules.refusal(of: parsed, reason)]
  }
}
