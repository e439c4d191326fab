internal import ArgumentParser
internal import CloudKitEmulator
internal import CommandLine
internal import Diagnostics
internal import WebConsole

struct EmulatorServe: AdminCommand {
  static let isService = true
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve a local container as CloudKit Web Services, until interrupted.",
    discussion: """
      Ends with 0 on SIGINT and SIGTERM, after the requests in flight are answered, and removes the ready file, the \
      environment file and a throw-away key. With -v it says of every refusal why. \
      --environment chooses what it serves.

      \(FaultRule.help)

      Documentation/Fidelity.md lists what --behavior can choose. The API token, web-auth token, management token \
      and team of the configuration are the ones it accepts. Without a team it accepts any. Without a management token \
      it makes one and writes it to the ready file, which only its owner can read. The console's address, which has a \
      secret path, stands there as consoleURL.

      It answers requests for 127.0.0.1, [::1] and localhost, and browser pages of the same hosts. --allowed-host and \
      --allowed-origin add others.

      Example: celestra-admin emulator serve --schema schema/celestra.ckdb --port 8080 --ready-file ready.json
      """)

  @OptionGroup var arguments: EmulatorArguments
  @Flag(help: "Also serve the console: pages about its records, requests and faults, on a port of their own.")
  var console = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<EmulatorServe>

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    try arguments.envelope(Self.title, arguments.containerID(context), in: context)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let emulator = try await RunningEmulator.start(
      arguments, context, container: try arguments.containerID(context), acceptsConfiguredTokens: true,
      hasConsole: console)
    context.note("\(emulator.configuration.container) at \(emulator.server.url)")
    if let path = emulator.key.privateKeyPath { context.note("key \(emulator.key.id) in \(path)") }
    if let path = arguments.envFile {
      // Without a folder the shell would look for it on the PATH.
      context.note("Environment: set -a; . \(path.contains("/") ? path : "./\(path)"); set +a")
    }
    if emulator.hidesManagementToken, let path = arguments.envFile ?? arguments.readyFile {
      context.note(
        "note: \(path) has no management token, because the configured one may be real; if it is of an emulator that ended, unset \(SettingKey.managementToken.variable), or give --token-file"
      )
    }
    if let console = emulator.console { context.note("console at \(console.url)") }
    // The stream has no elements; the loop ends when a signal cancels the run.
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try await emulator.stop()
    return PlainReport(json: emulator.json)
  }
}

struct EmulatorExec: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec", abstract: "Run a command against a fresh emulator, and end with its status.",
    usage: "celestra-admin emulator exec [<options>] -- <command> ...",
    discussion: """
      The variables of the command's environment point it at the emulator, whatever a project file or .env says, and \
      it gets none of the caller's credentials. 'emulator serve --help' explains the faults.

      It ends with the command, whatever that leaves running. SIGINT and SIGTERM also end what the command started; in a \
      script or pipe at a terminal, only Ctrl-C does.

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
