internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

struct EmulatorExec: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec", abstract: "Run a command against a fresh emulator, and end with its status.",
    usage: "celestra-admin emulator exec [<options>] -- <command> ...",
    discussion: """
      The variables of the command's environment point it at the emulator, whatever a project file or .env says, and \
      it gets none of the caller's credentials. 'emulator serve --help' explains the faults.

      It ends with the command, whatever that leaves running. SIGINT and SIGTERM also end what the command started; in a \
      script at a terminal, only Ctrl-C does.

      Example: celestra-admin emulator exec --schema schema/celestra.ckdb -- celestra-admin seed apply seeds
      """)

  @OptionGroup var arguments: EmulatorArguments
  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.") var command:
    [String] = []
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<EmulatorExec>

  func validate() throws {
    if command.isEmpty { throw ValidationError("give the command to run after --") }
  }

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    try arguments.envelope(Self.title, containerID(context), in: context)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let emulator = try await RunningEmulator.start(
      arguments, context, container: try containerID(context), acceptsConfiguredTokens: false)
    var variables = emulator.environment(of: context.process.environment)
    variables[RunningEmulator.variableOfExec] = "1"
    let status: Result<Int32, any Error>
    do { status = .success(try await run(variables)) } catch { status = .failure(error) }
    try await emulator.stop()
    let ended = try status.get()
    return PlainReport(ExitStatus(rawValue: ended), json: ["status": Int(ended).json])
  }

  /// A container id that may be a real app's is only used if it is on the command line, because settings name the
  /// project's real container.
  private func containerID(_ context: CommandContext) throws -> String {
    let id = try arguments.containerID(context)
    let isAsked = common.container != nil || id.hasPrefix(EmulatorArguments.demoPrefix)
    return isAsked ? id : EmulatorArguments.demoContainer
  }

  /// The command is looked up on its own PATH, and uses the streams of this process.
  private func run(_ variables: [String: String]) async throws -> Int32 {
    let child = ChildProcess(
      program: "/usr/bin/env", arguments: command, environment: variables, streams: .inherited)
    do { return try await child.run().status } catch {
      throw CommandFailure("cannot run \(command[0]): \(CommandFailure(error).message)")
    }
  }
}
