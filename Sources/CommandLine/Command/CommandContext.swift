public import Diagnostics
internal import Synchronization

/// The context of a running command: its options and settings, the process, and the result stream.
public struct CommandContext: Sendable {
  public let common: SharedOptionValues
  public let format: OutputFormat
  public let settings: Settings
  public let process: ProcessContext
  public let results: ResultStream
  /// Reports the run to monitoring services; `nil` if none is configured.
  public let monitor: JobRunMonitor?
  private let warnings = GivenWarnings()

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

  /// Prints a warning on standard error, unless `-q` is given. A repeated warning is printed once.
  public func warn(_ text: String) {
    if warnings.insert(text) { note("warning: \(text)") }
  }
}

/// The warnings that a command has given.
private final class GivenWarnings: Sendable {
  private let texts = Mutex<Set<String>>([])

  /// Returns whether the warning is new.
  func insert(_ text: String) -> Bool { texts.withLock { $0.insert(text).inserted } }
}
