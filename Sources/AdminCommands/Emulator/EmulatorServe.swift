internal import ArgumentParser
internal import CloudKitEmulator
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct EmulatorServe: AdminCommand {
  static let title = "emulator serve"
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve until interrupted.",
    discussion: """
      Requests in flight are finished before it ends. With -v it says of every refusal why.

      A --fault is one of status (with status=NUMBER, and body= or retryAfter=SECONDS), misdirected, reset-before, \
      reset-after, half, slow (pause=MS), stuck-marker and clock-skew (seconds=N), followed by any of \
      endpoint=records/modify, after=N, every=N and count=N.

      Documentation/Fidelity.md lists what --behaviour can choose. The API token, web-auth token, management token \
      and team of the configuration are the ones it accepts. Without a management token it makes one and writes it to \
      the ready file, which only its owner can read.

      It answers requests for 127.0.0.1, [::1] and localhost, and browser pages of the same hosts. --allowed-host and \
      --allowed-origin add others.

      Example: celestra-admin emulator serve --schema schema/celestra.ckdb --port 8080 --ready-file ready.json
      """)

  @OptionGroup var arguments: EmulatorArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<EmulatorServe>

  func envelope(in context: CommandContext) throws -> Envelope {
    Envelope(
      command: Self.title, target: try arguments.target(try arguments.containerID(context), in: context))
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let emulator = try await RunningEmulator.start(
      arguments, context, container: try arguments.containerID(context), tokens: EmulatorTokens(context))
    context.note("\(emulator.configuration.container) at \(emulator.server.url)")
    if let path = emulator.key.privateKeyPath { context.note("key \(emulator.key.id) in \(path)") }
    // Nothing is ever sent: the loop ends when the run is cancelled by a signal.
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try await emulator.stop()
    return PlainReport(json: emulator.json)
  }
}
