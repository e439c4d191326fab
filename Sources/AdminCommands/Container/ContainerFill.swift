internal import Aggregates
internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges

/// The command `container fill`.
struct ContainerFill: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Create FeedSubscription records in a local container, as an app's users would.",
    discussion: """
      Each user subscribes to some of the container's feeds. --skew decides how much more often popular feeds are \
      chosen. Each user is the creator of its subscriptions, so that their names verify. A second run with the same \
      --random writes only the records that are missing. Works on local containers and emulators only.

      Example: celestra-admin container fill --users 10000 --per-user 12 --random 7
      """)

  @OptionGroup var mutation: MutationOptions
  @Option(help: "Number of users.") var users = 1000
  @Option(help: "Feeds that each user subscribes to.") var perUser = 10
  @Option(help: "Popularity skew (Zipf exponent): 0 is uniform, 1 is usual for the web.") var skew = 1.0
  @Option(help: "Start of the random choice: the same number makes the same records.") var random: UInt64 = 1
  @Option(
    help: "Subscriptions with made-up names to add, as one person could to raise the number of readers.")
  var madeUp = 0
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerFill>

  func validate() throws {
    guard 1...10_000_000 ~= users else { throw ValidationError("--users takes a number from 1 to 10000000") }
    guard 1...10_000 ~= perUser else { throw ValidationError("--per-user takes a number from 1 to 10000") }
    guard 0...1_000_000 ~= madeUp else { throw ValidationError("--made-up takes a number from 0 to 1000000") }
    guard skew.isFinite, skew >= 0 else { throw ValidationError("--skew takes a number from 0 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try requireMadeUpDataAllowed(context)
    try await context.confirmJob("Write made-up subscriptions to \(context.target.name).", options: mutation)
    let runner = try await JobRunner(context, writing: !mutation.dryRun)
    let schema = try await context.schemaForJobs(runner.handle)
    let simulation = try await SubscriptionSimulation(
      of: runner.container, schema, users: users, perUser: perUser, skew: skew, seed: random, madeUp: madeUp)
    guard !mutation.dryRun else {
      let present = try await simulation.countPresent(in: runner.container)
      return SubscriptionSimulationReport(
        simulation, SubscriptionSimulation.Outcome(unchanged: present), isDryRun: true)
    }
    if let written = try await runner.handle.local?.loadNew(
      "FeedSubscription", fields: ["feedRecordName"], simulation)
    {
      return SubscriptionSimulationReport(simulation, SubscriptionSimulation.Outcome(written: written))
    }
    let users = SimulatedUsers(runner.container)
    let progress = context.progress(of: Self.title)
    // The executor would count within a batch.
    return try await runner.write(
      WritingJob(Self.title, kind: .job), schema: schema, on: users, progress: { _, _ in }
    ) { writer in
      SubscriptionSimulationReport(
        simulation,
        try await simulation.write(through: writer, as: users) { progress($0, simulation.count) })
    }
  }

  /// Throws for a container on Apple's service.
  private func requireMadeUpDataAllowed(_ context: CommandContext) throws {
    guard try !context.hasLocalContainer, try !(context.settings[.baseURL]?.isLoopbackURL ?? false)
    else { return }
    throw CommandFailure.usage(
      "simulated records can be written only to a local container, or to an emulator on this machine")
  }
}
