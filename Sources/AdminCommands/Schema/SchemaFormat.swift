internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import SchemaLanguage

/// The command `schema format`.
struct SchemaFormat: AdminCommand {
  static let title = "schema format"
  static let usesContainer = false
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "format", abstract: "Format schema files in canonical form, as an export prints them.",
    discussion: """
      Comments stay with what they describe. A file with errors is left as it is. One file is printed; several take \
      --in-place or --check.

      Example: celestra-admin schema format --in-place schema/celestra.ckdb
      """)

  @Argument(
    help: "The schema files, or git:REF:PATH; - reads standard input.",
    completion: .file(extensions: ["ckdb"]))
  var files: [String]
  @Flag(help: "Only list the files that would change; exit with status 2 if any would.") var check =
    false
  @Flag(help: "Write the files instead of printing them.") var inPlace = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaFormat>

  func validate() throws {
    if check, inPlace { throw ValidationError("--check and --in-place cannot be used together") }
    if files.count > 1, !check, !inPlace {
      throw ValidationError("multiple files need --in-place or --check")
    }
    if inPlace { try SchemaFileFindings.requireFiles(files, for: "--in-place") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    var results: [FormattedSchema] = []
    for file in files { results.append(FormattedSchema(file, try await context.wellFormedSchema(in: file))) }
    let changed = results.filter(\.isChanged)
    if check {
      let names = PrintableText(lines: changed.map { InputFile.displayName($0.path) }, indent: "")
      return PlainReport(changed.isEmpty ? .done : .differences, text: names)
    }
    guard inPlace else {
      return PlainReport(text: PrintableText(document: results.map(\.text).joined()))
    }
    for result in changed { try result.write() }
    return PlainReport(
      text: PrintableText(lines: changed.map(\.path), indent: "formatted "), isConfirmation: true)
  }
}

/// A schema file with its formatted text.
private struct FormattedSchema {
  let path: String
  let text: String
  let isChanged: Bool

  init(_ path: String, _ parsed: ParsedSchema) {
    self.path = path
    text = SchemaFormatter.format(parsed)
    isChanged = Array(text.utf8) != parsed.source.bytes
  }

  func write() throws { try OutputFile.write(text, to: path) }
}
