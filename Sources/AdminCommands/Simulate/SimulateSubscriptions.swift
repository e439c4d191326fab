internal import Aggregates
internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import LocalContainer
internal import PositionedJSON
internal import RecordChanges

struct SimulateSubscriptions: AdminCommand {
  static let title = "simulate subscriptions"
  static let configuration = CommandConfiguration(
    commandName: "subscriptions", abstract: "Make FeedSubscription records as an app's users would.",
    discussion: """
      Each user subscribes to so many feeds of the container, the popular ones more often: the more skew, the more \
      often. The same seed makes the same records: a second run writes those that are not there. Works on local \
      containers and emulators only.

      Example: celestra-admin simulate subscriptions --users 10000 --per-user 12 --seed 7
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions
  @Option(help: "How many people.") var users = 1000
  @Option(help: "Feeds each of them subscribes to.") var perUser = 10
  @Option(help: "0 makes all feeds alike; 1 is usual for the web.") var skew = 1.0
  @Option(help: "Where the randomness starts.") var seed: UInt64 = 1

  func validate() throws {
    guard 1...10_000_000 ~= users else { throw ValidationError("--users takes 1 to 10000000 people") }
    guard 1...10_000 ~= perUser else { throw ValidationError("--per-user takes 1 to 10000 feeds") }
    guard skew.isFinite, skew >= 0 else { throw ValidationError("--skew takes a number from 0 up") }
  }

  func perform(in session: Session) async throws -> CommandResult {
    try session.confirmJob("Write made-up subscriptions to \(session.target.name).", options: mutation)
    let handle = try await session.simulationHandle(writing: !mutation.dryRun)
    let schema = try await session.schemaForJobs(handle)
    let simulation = try await SubscriptionSimulation(
      of: handle.container, schema, users: users, perUser: perUser, skew: skew, seed: seed)
    guard simulation.count > 0 else {
      throw CommandFailure("the container has no feeds to subscribe to", hint: "Apply the seeds first.")
    }
    guard !mutation.dryRun else {
      return CommandResult(
        json: json(of: nil, simulation.count),
        text: "would make \(counted(simulation.count, "subscription")) of \(people), "
          + "those that are there left alone\n")
    }
    let outcome = try await write(simulation, to: handle, session)
    let report = outcome.unfinished ?? ChangeReport()
    var result = CommandResult(
      of: report, isConfirmation: true, json: json(of: outcome, simulation.count)
    ) { _, style in
      text(of: outcome, simulation.count) + report.remainingText(style)
    }
    // The report is that of the last batch; those before it count too.
    if result.status == .failed, outcome.present > 0 { result.status = .partial }
    return result
  }

  /// - Parameter outcome: `nil` in a dry run.
  private func json(of outcome: SubscriptionSimulation.Outcome?, _ count: Int) -> JSONValue {
    [
      "subscriptions": .integer(Int64(outcome?.present ?? count)), "users": .integer(Int64(users)),
      "written": .integer(Int64(outcome?.written ?? 0)),
      "unchanged": .integer(Int64(outcome?.unchanged ?? 0)),
      "remaining": .integer(Int64(count - (outcome?.present ?? 0))), "dryRun": .bool(outcome == nil),
    ]
  }

  private func text(of outcome: SubscriptionSimulation.Outcome, _ count: Int) -> String {
    let present = outcome.present == count ? "" : "\(outcome.present) of "
    let old = outcome.unchanged > 0 ? ", \(outcome.unchanged) of them there before" : ""
    return "\(present)\(counted(count, "subscription")) of \(people)\(old)\n"
  }

  private var people: String { users == 1 ? "1 person" : "\(users) people" }

  /// In one transaction where the container can and none of the records is there; else through the executor, which
  /// finds those that are.
  private func write(
    _ simulation: SubscriptionSimulation, to handle: ContainerHandle, _ session: Session
  ) async throws -> SubscriptionSimulation.Outcome {
    if let local = handle.local, let loaded = try await load(simulation, into: local) {
      return SubscriptionSimulation.Outcome(written: loaded)
    }
    let executor = ChangeExecutor(
      container: handle.container, options: .init(policy: .reapply), wait: session.world.wait)
    let progress = session.progress(of: SimulateSubscriptions.title)
    return await simulation.write(through: executor) { progress($0, simulation.count) }
  }

  /// All of the records, or `nil` when a name is taken.
  private func load(_ simulation: SubscriptionSimulation, into local: LocalContainer) async throws -> Int? {
    let fields = ["feedRecordName"] + [simulation.bucketField].compactMap(\.self)
    do {
      return try await local.load("FeedSubscription", fields: fields) { writer in
        for record in simulation { try writer.add(record.recordName, fields.map { record[$0] }) }
      }
    } catch let error as ServerError where error.code == .conflict {
      return nil
    }
  }
}

extension Session {
  /// A container that made-up data may be written to.
  func simulationHandle(writing: Bool) async throws -> ContainerHandle {
    let handle = try await handle(writing: writing)
    if handle.local != nil { return handle }
    guard try settings[.baseURL]?.isLoopbackURL ?? false else {
      throw CommandFailure.usage(
        "made-up data is written to a local container or an emulator on this machine only")
    }
    return handle
  }
}
