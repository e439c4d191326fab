internal import AppCode
internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

struct SchemaGenerate: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Write Swift or TypeScript types for the record types of a schema.",
    discussion: """
      Each record type becomes a file: its fields, an update that sets, clears or leaves each of them, and its fields in \
      queries, where a filter without its index does not compile. The code has no dependencies. Generated files that the \
      schema no longer has are removed, and other files are never touched. With --check nothing is written: the command \
      ends with status 2 and names the files that differ.

      Example: celestra-admin schema generate schema/app.ckdb --language swift --output Sources/AppSchema
      """)

  @Argument(help: .schemaFile, completion: .schemaFile) var file: String
  @Option("swift or typescript.", word: "language")
  var language: GeneratedLanguage
  @Option("The access level of Swift declarations: public, package or internal (the default).", word: "level")
  var access: GeneratedAccess = .internal
  @Flag(help: "Compare the folder of --output instead of writing it.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaGenerate>

  /// `--output` is a folder, which the command writes itself.
  var common: SharedOptionValues { shared.values.withoutOutput }

  func validate() throws {
    if shared.output == nil || shared.output == "-" {
      throw ValidationError("schema generate needs --output FOLDER")
    }
    if access != .internal, language != .swift { throw ValidationError("--access is for Swift") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let parsed = try await context.validSchema(in: file)
    let generated = GeneratedFolder(
      parsed, language: language, access: access, options: try context.options(forFile: parsed))
    let path = shared.output ?? ""
    let differences = generated.differences(to: try Self.contents(of: path))
    if !check { try Self.write(generated, differences, to: path) }
    return differences.report(
      folder: path, fileCount: generated.files.count, isCheck: check,
      command:
        "celestra-admin schema generate \(file.shellWord) --language \(language.rawValue) --output \(path.shellWord)"
        + (access == .internal ? "" : " --access \(access.rawValue)"))
  }

  /// The files of the folder by name; empty if it does not exist.
  private static func contents(of path: String) throws -> [String: [UInt8]] {
    switch try FileKind(path) {
    case .missing: return [:]
    case .folder: break
    default: throw CommandFailure("\(path) is not a folder", code: "not-a-folder")
    }
    var files: [String: [UInt8]] = [:]
    for name in try FileKind.names(inFolder: path, named: path) where try FileKind("\(path)/\(name)") == .file
    {
      files[name] = try InputFile.read("\(path)/\(name)")
    }
    return files
  }

  /// Writes what differs, and removes generated files that the schema no longer has. Throws ``CommandFailure`` without
  /// writing anything if a file of the same name was not generated.
  private static func write(
    _ generated: GeneratedFolder, _ differences: GeneratedFolder.Differences, to path: String
  ) throws {
    if let name = differences.foreign.first {
      throw CommandFailure(
        "\(path)/\(name) was not generated, so it is not replaced; nothing was written", code: "foreign-file",
        hint: "Move the file, or choose another folder.")
    }
    try FolderTree.make(path)
    for name in differences.missing + differences.changed {
      guard let text = generated.files[name] else { continue }
      try OutputFile.write(text, to: "\(path)/\(name)", replacesInput: true)
    }
    for name in differences.leftOver { try PrivateFile.removeIfPresent("\(path)/\(name)") }
  }
}

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
