internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import LocalContainer
internal import People
internal import RecordChanges
internal import SchemaLanguage
internal import WebConsole

struct ConsoleCommand: AdminCommand {
  static let isService = true
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Serve pages about a local container to a browser on this machine.",
    discussion: """
      Shows the health of the feeds and the last runs, the records with filters and the index lines that a query lacks, \
      the schema with its grants in words, the queue of reports, and forms to save a snapshot and to delete all records. \
      Beside an emulator ('emulator serve --console') it also shows the last requests, with the cause of each refusal, \
      and sets faults.

      It prints its address, which has a secret path, and serves until interrupted. Other users of this machine cannot \
      open it without that address: keep it to yourself. A link within the pages works in the browser that opened the \
      printed address.

      Example: celestra-admin console --read-only
      """)

  @Option(help: "The port to listen on; a free one otherwise.") var port = 0
  @Option(
    "Write the address here as consoleURL once it listens, as JSON that only you can read.", value: "file",
    completion: .file())
  var readyFile: String?
  @Flag(help: "Open the container for reading only, and show no forms.") var readOnly = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ConsoleCommand>

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port takes a whole number, 0 to 65535")
    }
    try InputFile.requireNamed(readyFile, "--ready-file", because: "it appears whole")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try context.localContainer(writing: !readOnly)
    var options = try await context.consoleOptions(of: container, isReadOnly: readOnly)
    options.completed = context.completed
    let console = LocalConsole(store: container.store, options: options)
    var files = ClientFiles(readyFile: readyFile)
    try await files.prepare()
    let server = try await ConsoleServer(console, port: port)
    context.note("console at \(server.url)")
    do { try files.write(ready: .object(["consoleURL": server.url.json])) } catch {
      await server.stop()
      throw error
    }
    // Nothing is ever sent: the loop ends when the run is cancelled by a signal.
    for await _ in AsyncStream<Never>.makeStream().stream {}
    await server.stop()
    try files.remove()
    return PlainReport(json: ["url": server.url.json])
  }
}

extension CommandContext {
  /// The options of a console for a local container.
  ///
  /// - Parameter containerID: the id by which apps know the container; `nil` for the configured one.
  func consoleOptions(
    of container: LocalContainer, containerID: String? = nil, isReadOnly: Bool
  ) async throws -> LocalConsole.Options {
    let moderation = try consoleModeration(of: container, containerID)
    do {
      if try await moderation() != nil, containerID == nil, !isReadOnly { try noteUsualContainerID() }
    } catch {
      note("The console has no queue of reports: \(CommandFailure(error).message).")
    }
    var options = LocalConsole.Options(
      environment: container.environment, now: { Timestamp(process.now()) })
    options.isReadOnly = isReadOnly
    options.stateFolder = try stateDirectory
    options.mapping = try HealthOptions(settings).mapping
    options.moderation = moderation
    options.relations = try await relations(in: [container.parsedSchema()])
    // Of each page's schema, which may have changed since the start.
    options.privateTypes = { try privateTypes(ofContainer: $0) }
    return options
  }

  /// What reads the queue of reports in a container; `nil` while the schema has no reports.
  private func consoleModeration(
    of container: LocalContainer, _ containerID: String?
  ) throws -> @Sendable () async throws -> ConsoleModeration? {
    let containerID = try containerID ?? appContainerID
    let handle = ContainerHandle(container: container, schema: container, local: container)
    let runner = JobRunner(self, handle, writing: true)
    return {
      // Read for each page: the file may have changed since the start.
      let declaration = try moderationDeclaration()
      let schema = try await container.currentSchema()
      guard schema[recordType: declaration.reports.recordType] != nil else { return nil }
      let base = try Moderation(declaration, in: container, schema, containerID: containerID)
      let decide: @Sendable (ModerationAction, String?) async throws -> any Report = { action, reason in
        try await runner.write(WritingJob("console", kind: .job, lease: .moderation), schema: schema) {
          writer in
          let moderation = try await base.findingLastDecisions()
          let plan = try await moderation.plan(action, reason: reason, id: writer.runID)
          return try await moderation.carryOut(plan, through: writer)
        }
      }
      return (moderation: base, decide: decide)
    }
  }
}
