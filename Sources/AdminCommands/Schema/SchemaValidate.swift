internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

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
