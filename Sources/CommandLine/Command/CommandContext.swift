public import Diagnostics

/// The context of a running command: its options and settings, the process, and the result stream.
public struct CommandContext: Sendable {
  public let common: SharedOptionValues
  public let format: OutputFormat
  public let settings: Settings
  public let process: ProcessContext
  public let results: ResultStream
  /// Reports the run to monitoring services; `nil` if none is configured.
  public let monitor: JobRunMonitor?

  public init(
    common: SharedOptionValues, format: OutputFormat, settings: Settings, process: ProcessContext,
    monitor: JobRunMonitor? = nil
  ) {
    self.monitor = monitor
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
