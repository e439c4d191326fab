internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The command `cktool export-schema`.
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
