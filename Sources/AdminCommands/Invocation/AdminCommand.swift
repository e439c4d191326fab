internal import ArgumentParser
internal import CloudKitModel
internal import Diagnostics

/// A command that decides nothing: it binds options, calls a library, and hands back a ``CommandResult``.
protocol AdminCommand: AsyncParsableCommand, Sendable {
  /// The words a user types after the tool's name: `seed plan`.
  static var title: String { get }
  /// The forms its result can take; the first is the default.
  static var formats: [OutputFormat] { get }
  var common: CommonOptions { get }
  /// The words that name this very run in results: the title, unless an argument says which command it is.
  var invocation: String { get }

  func perform(in session: Session) async throws -> CommandResult
}

extension AdminCommand {
  static var formats: [OutputFormat] { [.text, .json] }
  var invocation: String { Self.title }

  func run() async throws {
    let status = await CommandRunner(command: self, world: World.current).run()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}

/// Runs one command: settings, signals, result, failure, exit status.
struct CommandRunner<Command: AdminCommand> {
  let command: Command
  let world: World

  func run() async -> ExitStatus {
    let format = command.common.format ?? Command.formats[0]
    let reporter = Reporter(common: command.common, format: format, world: world)
    do {
      guard Command.formats.contains(format) else { throw unsupported(format) }
      let settings = try await Settings.load(common: command.common, world: world)
      let session = Session(
        common: command.common, format: format, settings: settings, world: try settings.timed(world))
      return try await Interruption.watching {
        let result = try await command.perform(in: session)
        try reporter.show(result, envelope: try session.envelope(for: command.invocation))
        return result.status
      }
    } catch is Console.ClosedPipe {
      return .done
    } catch {
      return reporter.show(CommandFailure(error), command: command.invocation)
    }
  }

  private func unsupported(_ format: OutputFormat) -> CommandFailure {
    let known = Command.formats.map(\.rawValue).joined(separator: ", ")
    return .usage("'\(Command.title)' cannot write \(format.rawValue); it takes \(known)")
  }
}
