internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

extension CommandContext {
  /// The lint settings of the project file, and findings about invalid ones.
  func lintConfiguration() throws -> (configuration: LintConfiguration, diagnostics: [Diagnostic]) {
    guard let path = settings.projectFile else { return (LintConfiguration(), []) }
    // Use paths relative to the working directory, so that pull requests show findings in the file.
    let folder = process.directory + "/"
    let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    return LintConfiguration.read(SourceText(name: name, bytes: try InputFile.readSettings(path)))
  }
}
