public import Diagnostics

/// What a running command works with: the settings that apply and the ways to the outside.
public struct CommandContext: Sendable {
  public let common: CommonOptions
  public let format: OutputFormat
  public let settings: Settings
  public let process: ProcessContext
  public let results: ResultStream

  public init(common: CommonOptions, format: OutputFormat, settings: Settings, process: ProcessContext) {
    self.common = common
    self.format = format
    self.settings = settings
    self.process = process
    results = ResultStream(path: common.outputFile, console: process.console)
  }

  /// Prints a line on standard error, unless `-q` is given.
  public func note(_ text: PrintableText) {
    if !common.quiet { process.console.writeError(text + "\n") }
  }
}
