internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaExport: AdminCommand {
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the container's schema in canonical form.",
    discussion: "Example: celestra-admin schema export --environment production --output production.ckdb")

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaExport>

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try await context.schemaContainer().currentSchema().canonicalText
    return PlainReport(json: text.json) { ReportBody.document(text) }
  }
}
