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
      often. The same seed makes the same records. Works on local containers and emulators only.

      Example: celestra-admin simulate subscriptions --users 10000 --per-user 12 --seed 7
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "How many people.") var users = 1000
  @Option(help: "Feeds each of them subscribes to.") var perUser = 10
  @Option(help: "0 makes all feeds alike; 1 is usual for the web.") var skew = 1.0
  @Option(help: "Where the randomness starts.") var seed: UInt64 = 1

  func validate() throws {
    guard users > 0, perUser > 0 else {
      throw ValidationError("--users and --per-user take numbers from 1 up")
    }
    guard skew.isFinite, skew >= 0 else { throw ValidationError("--skew takes a number from 0 up") }
  }

  func perform(in session: Session) async throws -> CommandResult {
    let handle = try await session.simulationHandle()
    let schema = try await session.schemaForJobs(handle)
    let simulation = try await SubscriptionSimulation(
      of: handle.container, schema, users: users, perUser: perUser, skew: skew, seed: seed)
    guard simulation.count > 0 else {
      throw CommandFailure("the container has no feeds to subscribe to", hint: "Apply the seeds first.")
    }
    let report = try await write(simulation, to: handle, session)
    let json: JSONValue = [
      "subscriptions": .integer(Int64(simulation.count)), "users": .integer(Int64(users)),
    ]
    return CommandResult(of: report ?? ChangeReport(), json: json) { _, style in
      "\(simulation.count) subscriptions of \(users) people\n" + (report?.remainingText(style) ?? "")
    }
  }

  /// In one transaction where the container can; else through the executor. What could not be written comes back.
  private func write(
    _ simulation: SubscriptionSimulation, to handle: ContainerHandle, _ session: Session
  ) async throws -> ChangeReport? {
    guard let local = handle.local else {
      let executor = ChangeExecutor(
        container: handle.container, options: .init(policy: .reapply), wait: session.world.wait)
      let progress = session.progress(of: SimulateSubscriptions.title)
      return await simulation.write(through: executor) { progress($0, simulation.count) }
    }
    let fields = ["feedRecordName"] + [simulation.bucketField].compactMap(\.self)
    try await local.load("FeedSubscription", fields: fields) { writer in
      for record in simulation { try writer.add(record.recordName, fields.map { record[$0] }) }
    }
    return nil
  }
}

extension Session {
  /// A container that made-up data may be written to.
  func simulationHandle() async throws -> ContainerHandle {
    let handle = try await handle(writing: true)
    if handle.local != nil { return handle }
    guard try settings[.baseURL]?.isLoopbackURL ?? false else {
      throw CommandFailure.usage(
        "made-up data is written to a local container or an emulator on this machine only")
    }
    return handle
  }
}
