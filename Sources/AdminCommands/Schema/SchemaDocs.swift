internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct SchemaDocs: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.markdown, .mermaid]
  static let configuration = CommandConfiguration(
    commandName: "docs",
    abstract: "Print a page about a schema: types, fields, grants in words, and a diagram.",
    discussion: """
      What fields and types mean is taken from the comments of the file. What a field refers to is taken from \
      schema.relations in celestra-admin.json, from a comment '// -> Type', and from its type and name. With --check the command writes nothing: it ends with status 2 when the file of \
      --output is not the page that it would write.

      Example: celestra-admin schema docs schema/app.ckdb --output SCHEMA.md
      """)

  @Argument(help: .schemaFile, completion: .schemaFile) var file: String
  @Flag(help: "Compare with the file of --output instead of writing it.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaDocs>

  /// With `--check`, the file of `--output` is only read, and the formats are those of the page.
  var common: SharedOptionValues {
    guard check else { return shared.values }
    return copy(of: shared.values.withoutOutput) { $0.format = nil }
  }
  var formatsOfRun: [OutputFormat] { check ? [.text] : Self.formats }

  func validate() throws {
    if check, shared.output == nil {
      throw ValidationError("--check needs --output FILE, the page to compare with")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let parsed = try await context.validSchema(in: file)
    let guide = SchemaGuide(
      parsed, title: "Schema \(SchemaGuide.name(of: InputFile.displayName(file)))",
      options: try context.options(forFile: parsed))
    guard check, let page = shared.output else { return guide }
    let format: OutputFormat = shared.format ?? OutputFormat(fileName: page) ?? .markdown
    let isSame = try InputFile.read(page) == Array(guide.rendered(as: format, .plain).description.utf8)
    return PlainReport(isSame ? .done : .differences, isConfirmation: isSame) {
      isSame
        ? "\(page) is up to date"
        : "\(page) is not the page that \(file) makes now: the schema or the page was edited since. To write it again: "
          + "celestra-admin schema docs \(file.shellWord) --output \(page.shellWord)"
    }
  }
}

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
