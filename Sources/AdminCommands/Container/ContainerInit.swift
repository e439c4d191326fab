internal import Aggregates
internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

struct ContainerInit: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create a local container with a schema.",
    discussion: """
      Done again with the same schema it changes nothing; a container that has another schema is refused. With \
      --environment production the schema is deployed to production too.

      Example: celestra-admin container init --schema schema/celestra.ckdb
      """)

  @Option("The schema file, or git:REF:PATH; - reads standard input.", value: "file", completion: .file())
  var schema: String

  @Flag(help: "Show what would change. Nothing is written.") var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerInit>

  func perform(in context: CommandContext) async throws -> any Report {
    if case .memory = try context.location {
      throw CommandFailure.usage(
        "memory: cannot be initialized, because it is discarded when the command ends",
        hint: "Give local:PATH.")
    }
    let wanted = try await context.validSchema(in: schema).schema
    let container = try context.localContainer(writing: !dryRun, canBeNew: true)
    let isNew = try await container.store.needsInitializing(wanted, container.environment)
    if !dryRun { try await container.store.initialize(wanted, container.environment) }
    let types = wanted.withUsers.recordTypes.map(\.name).sorted()
    let json: JSONValue = [
      "recordTypes": types.json, "roles": wanted.roles.map(\.name).json, "dryRun": dryRun.json,
    ]
    return PlainReport(json: json, isConfirmation: !dryRun) {
      let verdict = dryRun && isNew ? "would be made" : "is ready"
      "\(container.identity.name) \(verdict), with \(counted(types.count, "record type")) in \(container.environment.rawValue)"
    }
  }
}

struct ContainerFill: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Create made-up records in a local container, as an app's users would.",
    discussion: """
      Each user subscribes to some of the container's feeds. --skew decides how much more often popular feeds are \
      chosen. With --sessions, live sessions with participants, messages and reports are written instead: running, full, \
      silent, and over, with some trouble for moderators. Each user is the creator of its records, so that the names of \
      subscriptions verify. A second run with the same --random writes only the records that are missing. Works on \
      local containers and emulators only.

      Examples:
        celestra-admin container fill --users 10000 --per-user 12 --random 7
        celestra-admin container fill --sessions 20 --users 50
      """)

  @OptionGroup var mutation: MutationOptions
  @Option(help: "Number of users.") var users = 1000
  @Option(help: "Feeds that each user subscribes to.") var perUser = 10
  @Option(help: "Popularity skew (Zipf exponent): 0 is uniform, 1 is usual for the web.") var skew = 1.0
  @Option(help: "Start of the random choice: the same number makes the same records.") var random: UInt64 = 1
  @Option(
    help: "Subscriptions with made-up names to add, as one person could to raise the number of readers.")
  var madeUp = 0
  @Option("Live sessions to create, in place of subscriptions.", value: "n") var sessions: Int?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerFill>

  func validate() throws {
    guard 1...10_000_000 ~= users else { throw ValidationError("--users takes a number from 1 to 10000000") }
    guard 1...10_000 ~= perUser else { throw ValidationError("--per-user takes a number from 1 to 10000") }
    guard 0...1_000_000 ~= madeUp else { throw ValidationError("--made-up takes a number from 0 to 1000000") }
    guard 1...100_000 ~= sessions ?? 1 else {
      throw ValidationError("--sessions takes a number from 1 to 100000")
    }
    guard skew.isFinite, skew >= 0 else { throw ValidationError("--skew takes a number from 0 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try requireMadeUpDataAllowed(context)
    let runner = try await JobRunner(context, writing: !mutation.dryRun)
    let schema = try await context.schemaForJobs(runner.handle)
    let simulation = try await simulation(of: runner.container, schema, context)
    try await context.confirmJob("Write made-up records to \(context.target.inWords).", options: mutation)
    guard !mutation.dryRun else {
      let present = try await simulation.countPresent(in: runner.container)
      return simulation.report(SimulationOutcome(unchanged: present), isDryRun: true)
    }
    if let outcome = try await load(simulation, into: runner.handle.local) {
      return simulation.report(outcome)
    }
    let users = SimulatedUsers(runner.container)
    let progress = context.progress(of: Self.title)
    var job = WritingJob(Self.title, kind: .job)
    job.isInHistory = runner.handle.local == nil
    // The executor would count within a batch.
    return try await runner.write(job, schema: schema, on: users, progress: { _, _ in }) { writer in
      simulation.report(
        try await simulation.write(through: writer, as: users) { progress($0, simulation.count) })
    }
  }

  private func simulation(
    of container: any Container, _ schema: Schema, _ context: CommandContext
  ) async throws -> any RecordSimulation {
    guard let sessions else {
      return try await SubscriptionSimulation(
        of: container, schema, users: users, perUser: perUser, skew: skew, seed: random, madeUp: madeUp)
    }
    return try SessionSimulation(
      schema, sessions: sessions, users: users, seed: random, now: await context.now(by: container))
  }

  /// Loads all records, type by type, if there are none of them; `nil` if they must be written one by one.
  private func load(_ simulation: some RecordSimulation, into local: LocalContainer?) async throws
    -> SimulationOutcome?
  {
    guard let local else { return nil }
    var written = 0
    for type in simulation.types {
      let records = simulation.lazy.filter { $0.recordType == type.name }
      guard let loaded = try await local.loadNew(type.name, records) else { return nil }
      written += loaded
    }
    return SimulationOutcome(written: written)
  }

  /// Throws for a container on Apple's service.
  private func requireMadeUpDataAllowed(_ context: CommandContext) throws {
    guard try context.usesService, try !(context.settings[.baseURL]?.isLoopbackURL ?? false) else { return }
    throw CommandFailure.usage(
      "simulated records can be written only to a local container, or to an emulator on this machine")
  }
}
