internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The command `cktool import-schema`.
struct CKToolImportSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "import-schema",
    abstract: "Replace the container's schema; what the file leaves out is deleted.",
    discussion: """
      Example:
        celestra-admin cktool import-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "The schema file.") var file: String
  @Flag(help: "Validate the schema before importing it.") var validate = false

  var place: CKToolSettings { container.place(environment.environment) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try InputFile.text(file)
    let schema = try await context.schemaContainer(writing: true, canBeNew: true)
    if validate, let reason = try await schema.validateSchema(text) {
      return CKToolValidationReport(invalid: reason)
    }
    try await schema.importSchema(text)
    return PlainReport()
  }
}
