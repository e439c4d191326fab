public import Diagnostics

/// Runs one command: settings, signals, result, failure, exit status.
public struct CommandRunner<Command: RunnableCommand>: Sendable {
  let command: Command
  let process: ProcessContext

  public init(command: Command, process: ProcessContext) {
    self.command = command
    var process = process
    if command.common.logFormat == .json { process.console = process.console.loggingJSON(now: process.now) }
    self.process = process
  }

  public func run() async -> ExitStatus {
    // However the command ends, no half-drawn line stays behind.
    defer { process.console.status.wipe() }
    let format = command.common.format ?? formatOfOutput ?? Command.formats[0]
    let reporter = Reporter(common: command.common, format: format, process: process) {
      // The usage is made of the options' names alone.
      PrintableText(document: "Usage: \(HelpText(Command.tool).usage(of: Command.self))\n")
        + "  See 'celestra-admin \(Command.title) --help' for more information.\n"
    }
    var envelope = Envelope(command: Command.title)
    var stream: ResultStream?
    do {
      guard Command.formats.contains(format) else { throw unsupported(format) }
      let settings = try Settings.load(of: Command.tool, common: command.common, process: process)
      let context = CommandContext(
        common: command.common, format: format, settings: settings, process: try settings.timed(process))
      envelope = try command.envelope(in: context)
      stream = context.results
      for warning in settings.warnings { context.note("\(warning)") }
      return try await Interruption.watching { [envelope] in
        let report = try await command.perform(in: context)
        // A reader that closed the pipe still gets the outcome from the exit status.
        do { try reporter.show(report, on: context.results, envelope: envelope) } catch is Console.ClosedPipe
        {}
        return report.status
      }
    } catch is Console.ClosedPipe {
      return .done
    } catch {
      return reporter.show(CommandFailure(error), on: stream, envelope: envelope)
    }
  }

  /// A result written to `plan.json` is JSON, unless a format is asked for by name.
  private var formatOfOutput: OutputFormat? {
    let meant = command.common.output.flatMap(OutputFormat.init(fileName:))
    return meant.flatMap { Command.formats.contains($0) ? $0 : nil }
  }

  private func unsupported(_ format: OutputFormat) -> CommandFailure {
    let known = Command.formats.map(\.rawValue).joined(separator: ", ")
    return .usage("'\(Command.title)' cannot write \(format.rawValue); it takes \(known)")
  }
}
