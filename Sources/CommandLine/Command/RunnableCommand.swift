package import ArgumentParser
package import Diagnostics

/// A command: binds its arguments, calls a library and returns a report.
package protocol RunnableCommand: AsyncParsableCommand, Sendable {
  /// The formats of the command's result; the first is the default.
  static var formats: [OutputFormat] { get }
  /// Those of this run: an argument may leave some out.
  var formatsOfRun: [OutputFormat] { get }
  var common: SharedOptionValues { get }
  /// The command's name in results: its title, unless an argument selects the command.
  var invocation: String { get }
  static var tool: CommandLineTool { get }
  func envelope(in context: CommandContext) throws -> JSONEnvelope

  /// The files that options name for results, except `--output` and `--metrics`.
  var resultFiles: [String] { get }
  /// What comes before the work of any command, such as noting the files that no result may replace, whether the command
  /// reads them or not (``RunFiles``).
  func prepare(in context: CommandContext) throws

  /// False for a command that needs no setting: it works in a folder whose settings cannot be read.
  static var readsSettings: Bool { get }

  /// True for a command that runs until it is asked to stop: a signal that it obeys in good order is its ordinary end.
  static var isService: Bool { get }

  func perform(in context: CommandContext) async throws -> any Report
}

package protocol AdminCommand: RunnableCommand, CommandFormats {
  var shared: SharedOptions<Self> { get }
}

extension AdminCommand {
  package static var usesContainer: Bool { true }
  package var common: SharedOptionValues { shared.values }
}

extension RunnableCommand {
  /// The words a user types after the tool's name: `seed plan`.
  package static var title: String { tool.path(to: Self.self).joined(separator: " ") }
  package static var readsSettings: Bool { true }
  package static var isService: Bool { false }
  package static var formats: [OutputFormat] { [.text, .json] }
  package var formatsOfRun: [OutputFormat] { Self.formats }
  package var invocation: String { Self.title }
  package var resultFiles: [String] { [] }

  package var allResultFiles: [String] {
    let job = self as? any MonitoredCommand
    let metrics = job.flatMap { $0.isDryRun ? nil : $0.monitoring.metrics }
    return [common.outputFile, metrics].compactMap(\.self) + resultFiles
  }

  package func run() async throws {
    let status = await CommandRunner(command: self, process: ProcessContext.current).run()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}
