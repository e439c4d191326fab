internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import DemoFeeds
internal import Diagnostics
internal import FoundationEssentials

/// The command `demo`.
struct DemoCommand: AdminCommand {
  static let title = "demo"
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the main jobs on a scratch container: schema, seeds, health, recounts.",
    discussion: """
      Every step is a real command, printed as you would type it. The feeds are served on loopback by this process and \
      behave as feeds on the web do: some moved, some are gone, some are broken, one is slow. Of long output the first \
      lines are printed.

      Run it inside a checkout: it uses schema/ and seeds/.

      Example: celestra-admin demo --directory /tmp/demo
      """)

  @Option(
    help: ArgumentHelp(
      "The demo's folder: a new or empty one, or that of an earlier demo. Default: a temporary folder.",
      valueName: "dir"))
  var directory: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<DemoCommand>

  func validate() throws {
    if common.container != nil || common.environment != nil {
      throw ValidationError("the demo uses its own container; leave out --container and --environment")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let stage = try DemoWorkspace(directory: directory, process: context.process)
    defer { stage.leave() }
    let seeds = try DemoSeeds(project: stage.project)
    let server = try await startServer(seeds.slugs)
    do {
      try DemoWorkspace.naming(stage.folder) { try seeds.write(to: stage.folder, url: server.url) }
      let story = DemoSteps(
        stage: stage,
        style: TerminalStyle.resolve(
          common.color, isTerminal: context.process.console.output.isTerminal,
          environment: context.process.environment))
      try await story.run()
      try await server.stop()
      return PlainReport()
    } catch {
      try await server.stop()
      throw error
    }
  }

  /// Starts the server on a fixed port, so that the output is always the same; uses another port if it is taken.
  private func startServer(_ slugs: [String]) async throws -> DemoFeedServer {
    let table = DemoFeedTable(slugs: slugs)
    let options = DemoFeedServer.Options(now: DemoSteps.now.milliseconds / 1000)
    do {
      return try await DemoFeedServer.start(table: table, options: options, port: DemoCommand.port)
    } catch {
      return try await DemoFeedServer.start(table: table, options: options)
    }
  }

  private static let port = 48_423
}
