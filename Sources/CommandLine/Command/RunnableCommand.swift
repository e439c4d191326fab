public import ArgumentParser
public import Diagnostics

/// A command that decides nothing: it binds options, calls a library, and returns a report.
public protocol RunnableCommand: AsyncParsableCommand, Sendable {
  /// The words a user types after the tool's name: `seed plan`.
  static var title: String { get }
  /// The formats of its result; the first is the default.
  static var formats: [OutputFormat] { get }
  var common: CommonOptions { get }
  /// The words that name the command in results: the title, unless an argument names the command.
  var invocation: String { get }
  /// The tool that the command is part of.
  static var tool: Tool { get }
  /// The JSON document around its result, which names the container that the result is about.
  func envelope(in context: CommandContext) throws -> Envelope

  func perform(in context: CommandContext) async throws -> any Report
}

/// A command with the options every command takes.
public protocol AdminCommand: RunnableCommand {
  /// False for a command that works on files alone. Scripts may still name a container, which is ignored.
  static var usesContainer: Bool { get }
  var shared: SharedOptions<Self> { get }
}

extension AdminCommand {
  public static var usesContainer: Bool { true }
  public var common: CommonOptions { shared.values }
}

extension RunnableCommand {
  public static var formats: [OutputFormat] { [.text, .json] }
  public var invocation: String { Self.title }

  public func run() async throws {
    let status = await CommandRunner(command: self, process: ProcessContext.current).run()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}
