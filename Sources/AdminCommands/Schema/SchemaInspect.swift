internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct SchemaInspect: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.json]
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Print the parsed model of a schema file, as declared.",
    discussion: """
      Prints roles, record types, fields with type, options and line, and grants, as JSON. System fields are listed \
      only where the file declares them.

      Example: celestra-admin schema inspect schema/celestra.ckdb
      """)

  @Argument(help: .schemaFile, completion: .schemaFile) var file: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaInspect>

  func perform(in context: CommandContext) async throws -> any Report {
    SchemaParser.parse(try await context.schemaSource(SchemaArgument(path: file))).model
  }
}
