internal import ArgumentParser
public import Diagnostics
internal import FoundationEssentials
internal import Synchronization

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
    let started = ContinuousClock.now
    let monitor = monitor
    var watch = Watch()
    let end = await perform(monitor, &watch)
    let outcome = RunOutcome(
      command: command.invocation, status: end.status, report: end.report, failureCode: end.failure?.code,
      ended: watch.now?() ?? process.now(), duration: ContinuousClock.now - started)
    // A signal ends the waiting for a service that does not answer; how the run ended is settled.
    _ = try? await Interruption.watching { [watch] in
      await monitor?.ended(outcome, job: watch.labels)
      return outcome.status
    }
    return end.status
  }

  /// What is known of the run, for those who watch it.
  private struct Watch: Sendable {
    /// The clock of the settings.
    var now: (@Sendable () -> Date)?
    /// Of the job; `nil` while its container is not known.
    var labels: [Metric.Label]?
  }

  /// How the run ended for the caller.
  private struct End: Sendable {
    var status: ExitStatus
    var report: (any Report)?
    var failure: CommandFailure?
  }

  private func perform(_ monitor: RunMonitor?, _ watch: inout Watch) async -> End {
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
        common: command.common, format: format, settings: settings, process: try settings.timed(process),
        monitor: monitor)
      watch.now = context.process.now
      envelope = try command.envelope(in: context)
      watch.labels = try labels(envelope, context)
      stream = context.results
      for warning in settings.warnings { context.note("\(warning)") }
      let shown = Mutex<(any Report)?>(nil)
      let status = try await Interruption.watching { [envelope] in
        let report = try await command.perform(in: context)
        // A reader that closed the pipe still gets the outcome from the exit status.
        do { try reporter.show(report, on: context.results, envelope: envelope) } catch is Console.ClosedPipe
        {}
        shown.withLock { $0 = report }
        return report.status
      }
      let report = shown.withLock(\.self)
      return End(status: status, report: report, failure: report?.failure)
    } catch is Console.ClosedPipe {
      return End(status: .done)
    } catch {
      let failure = CommandFailure(error)
      return End(status: reporter.show(failure, on: stream, envelope: envelope), failure: failure)
    }
  }

  /// `nil` for a run that nobody watches.
  private var monitor: RunMonitor? {
    guard let job = command as? any MonitoredCommand, !job.isRehearsal else { return nil }
    return RunMonitor(job.monitoring, version: Command.tool.root.configuration.version, process: process)
  }

  /// What every metric of the run says of the job.
  private func labels(_ envelope: Envelope, _ context: CommandContext) throws -> [Metric.Label] {
    let part = try (command as? any MonitoredCommand)?.part(in: context)
    let labels = [
      ("command", command.invocation), ("container", envelope.container),
      ("environment", envelope.environment), ("shard", part),
    ]
    return labels.compactMap { name, value in value.map { Metric.Label(name, $0) } }
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
