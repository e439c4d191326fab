internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

struct SchemaFormat: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "format", abstract: "Format schema files in canonical form, as an export prints them.",
    discussion: """
      Comments stay with what they describe, and CRLF line ends stay. A file with syntax errors is left as it is, and the others are formatted. One file is \
      printed; several files, or a folder, take --in-place, --check or --diff. --diff prints what would change as a \
      patch; with --check too, the command ends with status 2 if anything would. An export has its record types in the \
      order of their names; --keep-order leaves them where the file has them.

      Example: celestra-admin schema format --in-place schema/celestra.ckdb
      """)

  @Argument(help: .schemaFiles, completion: .schemaFile) var files: [String]
  @Flag(help: "Only list the files that would change; exit with status 2 if any would.") var check = false
  @Flag(help: "Print the changes as a patch instead of the files.") var diff = false
  @Flag(help: "Write the files instead of printing them.") var inPlace = false
  @Flag(help: "Leave the record types in the order of the file.") var keepOrder = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaFormat>

  func validate() throws {
    if check || diff || common.outputFile != nil, inPlace {
      throw ValidationError("--in-place cannot be used with --check, --diff or --output")
    }
    if inPlace { try SchemaFiles.requireFiles(files, for: "--in-place") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let files = try SchemaPaths.files(files)
    if files.count > 1, !check, !inPlace, !diff {
      throw CommandFailure.usage("multiple files need --in-place, --check or --diff")
    }
    var results: [FormattedSchema] = []
    var failures: [CommandFailure] = []
    for file in files {
      do {
        let schema = try await context.wellFormedSchema(in: file)
        results.append(FormattedSchema(file, schema, keepsOrder: keepOrder))
      } catch { failures.append(CommandFailure(error)) }
    }
    var failure = failures.first
    if failures.count > 1 {
      failure?.message = "\(failures.count) of \(counted(files.count, "file")) cannot be formatted"
      failure?.diagnostics = failures.flatMap(\.diagnostics)
    }
    if let failure, results.isEmpty { throw failure }
    var report = try report(results, context)
    report.failure = failure
    return report
  }

  private func report(_ results: [FormattedSchema], _ context: CommandContext) throws -> PlainReport {
    let changed = results.filter(\.isChanged)
    let status: ExitStatus = check && !changed.isEmpty ? .differences : .done
    if check { for result in changed { context.note("\(result.advice(keepsOrder: keepOrder))") } }
    if diff { return PlainReport(status) { ReportBody.document(changed.map(\.patch).joined()) } }
    if check {
      return PlainReport(status) { for result in changed { "\(InputFile.displayName(result.path))" } }
    }
    guard inPlace else { return PlainReport { ReportBody.document(results.map(\.text).joined()) } }
    for result in changed { try result.write() }
    return PlainReport(isConfirmation: true) { for result in changed { "formatted \(result.path)" } }
  }
}

private struct FormattedSchema {
  let path: String
  let text: String
  private let original: SourceText

  init(_ path: String, _ parsed: ParsedSchema, keepsOrder: Bool) {
    self.path = path
    text = SchemaFormatter.format(parsed, keepsOrder: keepsOrder)
    original = parsed.source
  }

  var isChanged: Bool { Array(text.utf8) != original.bytes }

  /// The change as a patch that `git apply` takes.
  var patch: String {
    UnifiedDiff(
      from: String(decoding: original.bytes, as: UTF8.self), to: text, name: InputFile.displayName(path)
    ).text
  }

  func advice(keepsOrder: Bool) -> String {
    return "\(InputFile.displayName(path)) is not in canonical form"
      + (SchemaPaths.isFile(path)
        ? "; to write it so: celestra-admin schema format --in-place\(keepsOrder ? " --keep-order" : "") \(path.shellWord)"
        : "")
  }

  func write() throws { try OutputFile.write(text, to: path, replacesInput: true) }
}
