internal import Diagnostics
internal import SchemaLanguage

/// The findings in several schema files. One that cannot be read hides nothing about the others.
struct SchemaFiles {
  private(set) var diagnostics: [Diagnostic] = []
  /// Why a file could not be read: the first one's reason.
  private(set) var failure: CommandFailure?

  init(_ paths: [String], _ check: (ParsedSchema) async throws -> [Diagnostic]) async throws {
    for path in paths {
      let source: SourceText
      do { source = try InputFile.source(path) } catch let unreadable as CommandFailure {
        failure = failure ?? unreadable
        diagnostics.append(InputRules.unreadable(InputFile.displayName(path), unreadable.message))
        continue
      }
      diagnostics += try await check(SchemaParser.parse(source))
    }
  }

  /// - Parameters:
  ///   - others: findings and inputs beside the files.
  ///   - status: what the findings mean where every file could be read.
  func result(
    with others: (diagnostics: [Diagnostic], inputs: [String]) = ([], []), of paths: [String],
    status: ([Diagnostic]) -> ExitStatus
  ) -> FindingsReport {
    let all = others.diagnostics + diagnostics
    return FindingsReport(
      all, inputs: (paths + others.inputs).map(InputFile.displayName), rules: SchemaRules.all,
      status: status(all), summary: paths.count == 1 ? nil : "\(paths.count) files", failure: failure)
  }
}
