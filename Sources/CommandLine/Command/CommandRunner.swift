internal import ArgumentParser
package import Diagnostics
package import FoundationEssentials
package import Platform
internal import Synchronization

/// Runs one command: loads settings, handles signals, prints the result or the failure, and returns the exit
/// status.
package struct CommandRunner<Command: RunnableCommand>: Sendable {
  let command: Command
  let process: ProcessContext

  package init(command: Command, process: ProcessContext) {
    self.command = command
    var process = process
    if command.common.logFormat == .json { process.console = process.console.loggingJSON(now: process.now) }
    self.process = process
  }

  package func run() async -> ExitStatus {
    let files = RunFiles()
    defer { files.close() }
    return await RunFiles.$current.withValue(files) { await runWithFiles() }
  }

  private func runWithFiles() async -> ExitStatus {
    // Remove the status line, however the command ends.
    defer { process.console.status.wipe() }
    let monitor = monitor
    let run = await perform(monitor)
    guard let monitor else { return run.status }
    let live = LiveStatus(command.common, process)
    defer { live.end() }
    // A signal cancels only the wait for a monitoring service; the outcome of the run is final.
    _ = try? await InterruptSignals.watching {
      await monitor.ended(run, waits: live.waits)
      return run.status
    }
    return run.status
  }

  private func perform(_ monitor: JobRunMonitor?) async -> JobRunOutcome {
    let started = ContinuousClock.now
    var run = JobRunOutcome(
      command: command.invocation, title: Command.title, status: .done, ended: process.now(), duration: .zero)
    let format = command.common.format ?? formatOfOutput ?? command.formatsOfRun[0]
    let hints = CommandHints(Command.tool, command.common)
    let reporter = ResultPrinter(common: command.common, format: format, process: process, hints: hints) {
      // Safe: the usage line contains only names of options.
      PrintableText(document: "Usage: \(HelpText(Command.tool).usage(of: Command.self))\n")
        + "  See 'celestra-admin \(Command.title) --help' for more information.\n"
    }
    var envelope = JSONEnvelope(command: Command.title)
    var opened: CommandContext?
    do {
      guard command.formatsOfRun.contains(format) else { throw unsupported(format) }
      for file in command.allResultFiles { try RunFiles.expectResult(file) }
      let settings =
        try Command.readsSettings
        ? Settings.load(of: Command.tool, common: command.common, process: process) : Settings.none
      let context = CommandContext(
        common: command.common, format: format, settings: settings, process: try settings.timed(process),
        hints: hints, monitor: monitor)
      opened = context
      envelope = try command.envelope(in: context)
      try command.prepare(in: context)
      run.labels = try labels(envelope, context)
      for note in settings.notes { context.note("\(note)") }
      for warning in settings.warnings { context.warn(warning) }
      let shown = Mutex<(any Report)?>(nil)
      run.status = try await InterruptSignals.watching(stopIsSuccess: Command.isService) { [envelope] in
        let report = try await carryOut(in: context)
        var envelope = envelope
        envelope.mirror = context.mirror
        // If the reader has closed the pipe, the exit status still gives the outcome.
        do { try reporter.show(report, on: context.results, envelope: envelope) } catch is Console.ClosedPipe
        {}
        shown.withLock { $0 = report }
        return report.status
      }
      run.report = shown.withLock(\.self)
      run.failureCode = run.report?.failure?.code
    } catch is Console.ClosedPipe {
      // The reader wants no more.
    } catch {
      let failure = CommandFailure(error).mappingTexts(hints.completed)
      envelope.mirror = opened?.mirror
      run.failureCode = failure.code
      run.status = reporter.show(failure, on: opened?.results, envelope: envelope)
    }
    // By the clock of the run, which a setting may freeze.
    run.ended = (opened?.process ?? process).now()
    run.duration = ContinuousClock.now - started
    return run
  }

  private func carryOut(in context: CommandContext) async throws -> any Report {
    defer {
      context.live.end()
      context.noteClockDifference()
    }
    return try await command.perform(in: context)
  }

  private var monitor: JobRunMonitor? {
    guard let job = command as? any MonitoredCommand, !job.isDryRun else { return nil }
    return JobRunMonitor(job.monitoring, version: Command.tool.root.configuration.version, process: process)
  }

  private func labels(_ envelope: JSONEnvelope, _ context: CommandContext) throws -> [Metric.Label] {
    let part = try (command as? any MonitoredCommand)?.part(in: context)
    let labels = [
      ("command", command.invocation), ("container", envelope.container),
      ("environment", envelope.environment), ("shard", part),
    ]
    return labels.compactMap { name, value in value.map { Metric.Label(name, $0) } }
  }

  /// The format for the file name of `--output`, such as JSON for `plan.json`. `--format` takes precedence.
  private var formatOfOutput: OutputFormat? {
    let meant = command.common.output.flatMap(OutputFormat.init(fileName:))
    return meant.flatMap { command.formatsOfRun.contains($0) ? $0 : nil }
  }

  private func unsupported(_ format: OutputFormat) -> CommandFailure {
    let known = command.formatsOfRun.map(\.rawValue).joined(separator: ", ")
    return .usage("'\(command.invocation)' cannot write \(format.rawValue); it takes \(known)")
  }
}

extension FileFailure: CommandFailureConvertible {
  package var failure: CommandFailure {
    let code =
      switch action {
      case .read: "unreadable-file"
      case .write: "unwritable-file"
      case .use: "unusable-file"
      case .wait: "locked"
      case .refuse: "usage"
      }
    let status: ExitStatus = action == .wait ? .locked : action == .refuse ? .usage : .failed
    return CommandFailure(message, code: code, hint: hint, status: status)
  }
}

extension CocoaError: CommandFailureConvertible {
  /// The system's own error message, without Foundation's description around it.
  package var failure: CommandFailure {
    guard let underlying = underlying as? POSIXError else { return CommandFailure(String(describing: self)) }
    return CommandFailure(SystemError(code: underlying.code.rawValue).description)
  }
}
