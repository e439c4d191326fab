internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct CKToolExportSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "export-schema", abstract: "Print the container's schema, as the service writes it.",
    discussion: """
      Example:
        celestra-admin cktool export-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --output-file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "Write to this file instead of standard output.", completion: .file()) var outputFile: String?

  var place: CKToolSettings { container.place(environment.environment, output: outputFile) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try await context.schemaContainer().exportSchema()
    return PlainReport(json: .string(text)) { ReportBody.document(text) }
  }
}

struct CKToolImportSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "import-schema",
    abstract: "Replace the container's schema; what the file leaves out is deleted.",
    discussion: """
      Unlike Apple's tool it asks before it deletes a type or a field, because nothing restores what they hold: a script \
      needs --yes --accept-risk data-loss for that.

      Example:
        celestra-admin cktool import-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "The schema file.", completion: .file()) var file: String
  @Flag(help: "Validate the schema before importing it.") var validate = false
  @OptionGroup var confirmation: CKToolConfirmation

  var place: CKToolSettings { container.place(environment.environment) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try InputFile.text(file)
    let schema = try await context.schemaContainer(writing: true, canBeNew: true)
    if validate, let reason = try await schema.validateSchema(text) {
      return CKToolValidationReport(invalid: reason)
    }
    let plan = SchemaPlan(
      target: try context.target, current: try await schema.currentSchema(),
      wanted: try Schema(parsing: text, name: InputFile.displayName(file)))
    if plan.risks.contains(DeletionLoss.risk) {
      try await context.confirm(
        "Import \(counted(plan.changes.count, "change")) into \(plan.target.name).",
        details: plan.changes.body(), deleting: .permanent, options: confirmation)
    }
    try await schema.importSchema(text)
    return PlainReport()
  }
}

struct CKToolValidateSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate-schema", abstract: "Check whether a schema file can be imported.",
    discussion: """
      Example:
        celestra-admin cktool validate-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "The schema file.", completion: .file()) var file: String

  var place: CKToolSettings { container.place(environment.environment) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try InputFile.text(file)
    return CKToolValidationReport(invalid: try await context.schemaContainer().validateSchema(text))
  }
}

/// The service's answer, in the text of Apple's tool
/// (Documentation/reference/schema-language.md#cktool-commands).
struct CKToolValidationReport: Report {
  private let reason: String?

  /// - Parameter reason: why the schema is invalid; `nil` if it is valid.
  init(invalid reason: String?) { self.reason = reason }

  var status: ExitStatus { reason == nil ? .done : .failed }

  var json: JSONValue {
    guard let reason else { return ["isValid": true] }
    return ["isValid": false, "errorMessage": .string(reason)]
  }

  var body: ReportBody { reason.map { "❌ Schema validation failed: \($0)" } ?? "✅ Schema is valid." }
}
