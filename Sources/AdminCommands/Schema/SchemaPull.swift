internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

struct SchemaPull: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Bring the container's schema into a file, and keep the file's comments.",
    discussion: """
      The file gets the declarations that an export prints. Its comments stay with what they describe, so privacy \
      marks, relations and reasons for ignored findings survive. What the container does not have is removed from the \
      file, and the comments on it are reported. A file that does not exist is created, with its folder.

      Example: celestra-admin schema pull schema/app.ckdb --environment production --dry-run
      """)

  @Argument(help: "The schema file.", completion: .schemaFile) var file: String
  @Flag(help: "Also replace a file that has uncommitted changes.") var allowDirty = false
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPull>

  func validate() throws { try SchemaFiles.requireFiles([file], for: "schema pull") }

  func perform(in context: CommandContext) async throws -> any Report {
    let environment = try context.environment
    let container = try await context.schemaContainer().parsedSchema(
      name: "container:\(environment.rawValue)")
    let exists = try FileKind(file) != .missing
    let current =
      exists
      ? try await context.wellFormedSchema(in: file)
      : SchemaParser.parse(SourceText(name: file, "DEFINE SCHEMA\n"))
    let pull = PulledSchema(container, into: current)
    if !dryRun, pull.isChanged {
      if exists, !allowDirty { try await requireCommitted(current.source.bytes, context) }
      if !exists, file.contains("/") { try FolderTree.make(FileKind.folder(of: file)) }
      try OutputFile.write(pull.text, to: file, replacesInput: true)
    }
    return pull.report(file: file, isNew: !exists, isWritten: !dryRun)
  }

  /// Throws ``CommandFailure`` if neither git nor `schema init` could restore the file. Outside a work tree no file is
  /// protected.
  private func requireCommitted(_ bytes: [UInt8], _ context: CommandContext) async throws {
    if SchemaTemplate.texts.contains(GitRepository.withUnixLineEnds(bytes)) { return }
    let path = context.process.absolutePath(file)
    let folder = FileKind.folder(of: path)
    guard let repository = try await GitRepository.ifAny(context.process, in: folder) else { return }
    let unix = GitRepository.withUnixLineEnds
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let committed = try await repository.committed(name)
    if let committed, unix(committed) == unix(bytes) { return }
    throw CommandFailure(
      "\(file) \(committed == nil ? "is in no commit" : "has uncommitted changes"); nothing was written",
      code: "dirty-files",
      hint: committed == nil
        ? "Commit it first, with 'git add \(file.shellWord)' and 'git commit', or add --allow-dirty."
        : "Commit them first, or add --allow-dirty.")
  }
}

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
