internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

extension CommandContext {
  /// What the project file sets for lint, and what of it cannot be understood.
  func lintConfiguration() throws -> (configuration: LintConfiguration, diagnostics: [Diagnostic]) {
    guard let path = settings.projectFile else { return (LintConfiguration(), []) }
    // As seen from the working directory: findings are shown on the lines of a pull request.
    let folder = process.directory + "/"
    let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    return LintConfiguration.read(SourceText(name: name, bytes: try InputFile.readSettings(path)))
  }
}
