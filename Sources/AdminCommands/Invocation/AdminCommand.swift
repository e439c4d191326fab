internal import ArgumentParser
internal import CloudKitModel
internal import Diagnostics

/// A command that decides nothing: it binds options, calls a library, and returns a report.
protocol RunnableCommand: AsyncParsableCommand, Sendable {
  /// The words a user types after the tool's name: `seed plan`.
  static var title: String { get }
  /// The forms its result can take; the first is the default.
  static var formats: [OutputFormat] { get }
  var common: CommonOptions { get }
  /// The words that name this very run in results: the title, unless an argument says which command it is.
  var invocation: String { get }
  /// What its result is about: the container of the settings, unless it serves one of its own.
  func target(in session: Session) throws -> ContainerIdentity

  func perform(in session: Session) async throws -> any Report
}

/// A command with the options every command takes.
protocol AdminCommand: RunnableCommand {
  /// False for a command that works on files alone. Scripts may still name a container, which is ignored.
  static var usesContainer: Bool { get }
  var shared: SharedOptions<Self> { get }
}

extension AdminCommand {
  static var usesContainer: Bool { true }
  var common: CommonOptions { shared.values }
}

extension RunnableCommand {
  static var formats: [OutputFormat] { [.text, .json] }
  var invocation: String { Self.title }
  func target(in session: Session) throws -> ContainerIdentity { try session.target }

  func run() async throws {
    let status = await CommandRunner(command: self, world: World.current).run()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}

/// Runs one command: settings, signals, result, failure, exit status.
struct CommandRunner<Command: RunnableCommand> {
  let command: Command
  let world: World

  func run() async -> ExitStatus {
    // Whatever way the command ends, no half-drawn line stays behind.
    defer { world.console.status.wipe() }
    let format = command.common.format ?? formatOfOutput ?? Command.formats[0]
    let reporter = Reporter(common: command.common, format: format, world: world) {
      // The usage is made of the options' names alone.
      PrintableText(document: "Usage: \(HelpText.usage(of: Command.self))\n")
        + "  See 'celestra-admin \(Command.title) --help' for more information.\n"
    }
    var envelope = Envelope(command: Command.title, target: nil)
    var stream: ResultStream?
    do {
      guard Command.formats.contains(format) else { throw unsupported(format) }
      let settings = try Settings.load(common: command.common, world: world)
      let session = Session(
        common: command.common, format: format, settings: settings, world: try settings.timed(world))
      envelope = Envelope(command: Command.title, target: try command.target(in: session))
      stream = session.results
      for warning in settings.warnings { session.note("\(warning)") }
      return try await Interruption.watching { [envelope] in
        let report = try await command.perform(in: session)
        // A reader that closed the pipe still gets the outcome from the exit status.
        do { try reporter.show(report, on: session.results, envelope: envelope) } catch is Console.ClosedPipe
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
