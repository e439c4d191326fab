internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import DemoFeeds
internal import Diagnostics

/// The command `demo`.
struct DemoCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the main jobs on a scratch container: schema, seeds, health, recounts.",
    discussion: """
      Every step is a real command, printed as you would type it. The feeds are served on loopback by this process and \
      behave as feeds on the web do: some moved, some are gone, some are broken, one is slow. Of long output the first \
      lines are printed.

      The schema and the seeds are part of this binary, so that the demo runs in any folder.

      Example: celestra-admin demo --directory /tmp/demo
      """)

  @Option(
    help: ArgumentHelp(
      "The demo's folder: a new or empty one, or that of an earlier demo. Default: a temporary folder.",
      valueName: "dir"), completion: .directory)
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
    let seeds = try DemoSeeds()
    // Who keeps the folder looks at it today.
    let now = stage.isTemporary ? DemoSteps.usualTime : context.now
    let server = try await DemoFeedServer.start(
      table: DemoFeedTable(slugs: seeds.slugs), now: now.milliseconds / 1000)
    do {
      try DemoWorkspace.naming(stage.folder) { try seeds.write(to: stage.folder, url: server.url) }
      try await DemoSteps(stage: stage, color: common.color, now: now).run()
      try await server.stop()
      return PlainReport()
    } catch {
      try await server.stop()
      throw error
    }
  }
}
