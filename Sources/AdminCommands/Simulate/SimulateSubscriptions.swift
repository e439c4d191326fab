internal import Aggregates
internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

struct SimulateSubscriptions: AdminCommand {
  static let title = "simulate subscriptions"
  static let configuration = CommandConfiguration(
    commandName: "subscriptions", abstract: "Create FeedSubscription records as an app's users would.",
    discussion: """
      Each user subscribes to a number of feeds of the container, popular ones more often: the more skew, the more \
      often. The same seed makes the same records: a second run writes those that are not there. Works on local \
      containers and emulators only.

      Example: celestra-admin simulate subscriptions --users 10000 --per-user 12 --seed 7
      """)

  @OptionGroup var mutation: MutationOptions
  @Option(help: "How many people.") var users = 1000
  @Option(help: "Feeds each of them subscribes to.") var perUser = 10
  @Option(help: "0 makes all feeds alike; 1 is usual for the web.") var skew = 1.0
  @Option(help: "Where the randomness starts.") var seed: UInt64 = 1
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SimulateSubscriptions>

  func validate() throws {
    guard 1...10_000_000 ~= users else { throw ValidationError("--users takes 1 to 10000000 people") }
    guard 1...10_000 ~= perUser else { throw ValidationError("--per-user takes 1 to 10000 feeds") }
    guard skew.isFinite, skew >= 0 else { throw ValidationError("--skew takes a number from 0 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try context.requireMadeUpDataAllowed()
    try context.confirmJob("Write made-up subscriptions to \(context.target.name).", options: mutation)
    let handle = try await context.handle(writing: !mutation.dryRun)
    let schema = try await context.schemaForJobs(handle)
    try SimulateSubscriptions.requireTypes(of: schema)
    let simulation = try await SubscriptionSimulation(
      of: handle.container, schema, users: users, perUser: perUser, skew: skew, seed: seed)
    guard simulation.count > 0 else {
      throw CommandFailure("the container has no feeds to subscribe to", hint: "Apply the seeds first.")
    }
    guard !mutation.dryRun else {
      return preview(of: simulation, present: try await simulation.countPresent(in: handle.container))
    }
    let outcome = try await write(simulation, to: handle, context)
    let report = outcome.unfinished ?? ChangeReport()
    let json = json(
      outcome.present, written: outcome.written, unchanged: outcome.unchanged,
      remaining: simulation.count - outcome.present, dryRun: false)
    var result = CommandResult(of: report.summary, isConfirmation: true, json: json) { _, style in
      text(of: outcome, simulation.count)
    }
    // The report is that of the last batch; those before it count too.
    if result.status == .failed, outcome.present > 0 { result.status = .partial }
    return result
  }

  /// A schema that lacks one cannot have what the records are about.
  private static func requireTypes(of schema: Schema) throws {
    guard schema[recordType: "PublicFeed"] ?? schema[recordType: "Feed"] != nil else {
      throw CommandFailure("the schema has no feeds: neither PublicFeed nor Feed", code: "no-schema")
    }
    guard schema[recordType: "FeedSubscription"] != nil else {
      throw CommandFailure("the schema has no FeedSubscription", code: "no-schema")
    }
  }

  private func preview(of simulation: SubscriptionSimulation, present: Int) -> CommandResult {
    let new = simulation.count - present
    let old = present > 0 ? "; \(present) are there already, and left alone" : ""
    return CommandResult(
      json: json(simulation.count, written: 0, unchanged: present, remaining: new, dryRun: true),
      text: "would make \(counted(new, "subscription")) of \(people)\(old)\n")
  }

  private func json(
    _ subscriptions: Int, written: Int, unchanged: Int, remaining: Int, dryRun: Bool
  ) -> JSONValue {
    [
      "subscriptions": .integer(Int64(subscriptions)), "users": .integer(Int64(users)),
      "written": .integer(Int64(written)), "unchanged": .integer(Int64(unchanged)),
      "remaining": .integer(Int64(remaining)), "dryRun": .bool(dryRun),
    ]
  }

  private func text(of outcome: SubscriptionSimulation.Outcome, _ count: Int) -> PrintableText {
    let present = outcome.present == count ? "" : "\(outcome.present) of "
    let old = outcome.unchanged > 0 ? ", \(outcome.unchanged) of them there before" : ""
    return "\(present)\(counted(count, "subscription")) of \(people)\(old)\n"
  }

  private var people: String { users == 1 ? "1 person" : "\(users) people" }

  /// In one transaction where the container can and none of the records is there; else through the executor, which
  /// finds those that are.
  private func write(
    _ simulation: SubscriptionSimulation, to handle: ContainerHandle, _ context: CommandContext
  ) async throws -> SubscriptionSimulation.Outcome {
    if let local = handle.local, let loaded = try await load(simulation, into: local) {
      return SubscriptionSimulation.Outcome(written: loaded)
    }
    var environment = try context.writeEnvironment(
      SimulateSubscriptions.title, schema: try await context.knownSchema(handle))
    environment.progress = { _, _ in }
    let progress = context.progress(of: SimulateSubscriptions.title)
    let writing = WriteSession(
      WriteJob(SimulateSubscriptions.title, kind: .job), container: handle.container,
      environment: environment)
    return try await writing.run { scope in
      try await simulation.write(in: scope) { progress($0, simulation.count) }
    }
  }

  /// All of the records, or `nil` when a name is taken.
  private func load(_ simulation: SubscriptionSimulation, into local: LocalContainer) async throws -> Int? {
    let fields = ["feedRecordName"]
    do {
      return try await local.load("FeedSubscription", fields: fields) { writer in
        for record in simulation { try writer.add(record.recordName, fields.map { record[$0] }) }
      }
    } catch let error as ServerError where error.code == .conflict {
      return nil
    }
  }
}

extension SubscriptionSimulation {
  /// How many of the records an earlier run has left.
  fileprivate func countPresent(in container: any Container) async throws -> Int {
    let any = try await container.query(
      QueryRequest(Query("FeedSubscription"), desiredKeys: [], resultsLimit: 1))
    guard !any.records.isEmpty else { return 0 }
    var present = 0
    var names: [String] = []
    for record in self {
      names.append(record.recordName)
      guard names.count == ContainerLimits.recordsPerRequest else { continue }
      present += try await container.countPresent(names)
      names.removeAll(keepingCapacity: true)
    }
    return try await present + container.countPresent(names)
  }
}

extension Container {
  fileprivate func countPresent(_ names: [String]) async throws -> Int {
    try await lookupAll(names, desiredKeys: []).count { $0.record != nil }
  }
}

extension CommandContext {
  /// Refuses a container behind Apple's service, whatever key there is for it.
  fileprivate func requireMadeUpDataAllowed() throws {
    guard try !hasLocalContainer, try !(settings[.baseURL]?.isLoopbackURL ?? false) else { return }
    throw CommandFailure.usage(
      "made-up data is written to a local container or an emulator on this machine only")
  }
}
