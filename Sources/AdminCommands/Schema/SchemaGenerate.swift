internal import AppCode
internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform

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
