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
