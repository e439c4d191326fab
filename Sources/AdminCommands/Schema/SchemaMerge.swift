internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct SchemaMergeCommand: AdminCommand {
  static let title = "schema merge"
  static let usesContainer = false
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Print a schema with what another adds or changes, in canonical form.",
    discussion: """
      Nothing is taken away: what the second file leaves out stays as it is in the first.

      Example: celestra-admin schema merge exported.ckdb additions.ckdb --output merged.ckdb
      """)

  @Argument(help: "The whole schema.", completion: .file(extensions: ["ckdb"])) var base: String
  @Argument(help: "What to add or change.", completion: .file(extensions: ["ckdb"])) var delta: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaMergeCommand>

  func perform(in session: Session) async throws -> any Report {
    let merged = try await session.validSchema(in: base).schema.merging(
      try await session.validSchema(in: delta).schema)
    return CommandResult(
      json: .string(merged.canonicalText), text: PrintableText(document: merged.canonicalText))
  }
}
