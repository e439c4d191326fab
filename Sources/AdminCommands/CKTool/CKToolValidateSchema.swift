internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The command `cktool validate-schema`.
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
