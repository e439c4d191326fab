internal import ArgumentParser
internal import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

struct SchemaValidate: AdminCommand {
  static let title = "schema validate"
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Report what is wrong in schema files, all of it at once.",
    discussion: """
      Example: celestra-admin schema validate schema/*.ckdb --format github
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The schema files; - reads standard input.") var files: [String]
  @Flag(help: "Also ask the container whether it could import each file.") var remote = false

  func perform(in session: Session) async throws -> CommandResult {
    var diagnostics: [Diagnostic] = []
    for file in files {
      let parsed = SchemaParser.parse(try InputFile.source(file))
      let found = SchemaValidator.diagnostics(parsed)
      diagnostics += found
      if remote, !found.hasErrors { diagnostics += try await remoteFindings(parsed, session) }
    }
    return .findings(
      diagnostics, inputs: files.map(InputFile.displayName), rules: SchemaRules.all,
      status: diagnostics.hasErrors ? .failed : .done,
      summary: files.count == 1 ? nil : "\(files.count) files")
  }

  private func remoteFindings(_ parsed: ParsedSchema, _ session: Session) async throws -> [Diagnostic] {
    let text = parsed.source.text(in: 0..<parsed.source.bytes.count)
    guard let reason = try await session.schemaContainer().validateSchema(text) else { return [] }
    return [
      Diagnostic(
        "CK0199", .error, "the container refuses the schema: \(reason)", at: parsed.source.range(0..<0))
    ]
  }
}
