import CloudKitModel
import Foundation
import LocalContainer
import Platform
import SchemaLanguage
import Testing

@testable import RecordChanges

@Suite("The leases of all jobs") struct AllJobsLeaseTests {
  private static let recount = LeaseName("recount subscribers")

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "all-jobs-\(UUID().uuidString)").path
    defer {
      do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }
    _ = try StateFolder.open(path, making: true)
    try await body(path)
  }

  /// A container with leases in both environments.
  private func container() async throws -> LocalContainer {
    let container = try await LeaseSchema.container()
    try await container.deploySchema()
    return container
  }

  private func dependencies(
    _ run: String, folder: String? = nil, clock: any MonotonicClock = SteppingClock(holding: .seconds(40)),
    schema: Schema? = LeaseSchema.schema
  ) -> WriteSessionDependencies {
    var dependencies = WriteSessionDependencies(
      now: { Timestamp(milliseconds: 1_000_000) }, runID: run, schema: schema, clock: clock)
    if let folder { dependencies.stateFolder = { try StateFolder.open(folder, making: true) } }
    return dependencies
  }

  private func allJobs(
    _ container: LocalContainer, folder: String? = nil,
    clock: any MonotonicClock = SteppingClock(holding: .seconds(40))
  ) -> AllJobsLease {
    AllJobsLease(
      "container restore", jobs: [Self.recount],
      in: Environment.allCases.map {
        (
          LocalContainer(store: container.store, environment: $0),
          dependencies("all", folder: folder, clock: clock)
        )
      })
  }

  private func hold(_ name: LeaseName, _ container: LocalContainer, _ run: String) async throws -> JobLease {
    let lease = try await JobLease.take(name, in: container, dependencies(run), dead: [])
    return try #require(lease)
  }

  private func held(_ container: LocalContainer) async throws -> Set<String> {
    var names: Set<String> = []
    for environment in Environment.allCases {
      let place = LocalContainer(store: container.store, environment: environment)
      let records = try await place.allRecords(Query(LeaseRecord.recordType))
      names.formUnion(records.filter(\.isLeaseHeld).map { "\(environment.rawValue) \($0.recordName)" })
    }
    return names
  }

  @Test(
    "known jobs and those that left a lease are held in both environments, and released with or without an error"
  )
  func heldAndReleased() async throws {
    let container = try await container()
    let other = try await hold(
      LeaseName("recount votes", part: .init(index: 2, count: 3)), container, "earlier")
    #expect(await other.release(nil) == nil)
    let expected: Set<String> = [
      "development lease-health", "development lease-recount-subscribers", "development lease-recount-votes",
      "development lease-seed", "production lease-health", "production lease-recount-subscribers",
      "production lease-seed",
    ]
    try await allJobs(container).run { check in
      #expect(try await held(container) == expected)
      try await check()
      let shard = LeaseName("recount subscribers", part: .init(index: 1, count: 2))
      for name in [LeaseName.seed, shard] {
        let clock = SteppingClock { uptime in
          guard uptime == .seconds(10) else { return }
          _ = try await container.modify([
            RecordOperation(
              .forceUpdate, recordType: LeaseRecord.recordType, recordName: name.wholeRecordName, fields: [:])
          ])
        }
        await #expect(throws: LeaseError.self) {
          _ = try await JobLease.take(name, in: container, dependencies("late", clock: clock), dead: [])
        }
      }
    }
    #expect(try await held(container).isEmpty)
    struct Stop: Error {}
    await #expect(throws: Stop.self) { try await allJobs(container).run { _ in throw Stop() } }
    #expect(try await held(container).isEmpty)
  }

  @Test(
    "a job that is alive in either environment ends the command, and nothing stays held",
    arguments: Environment.allCases)
  func living(environment: Environment) async throws {
    let container = try await container()
    let place = LocalContainer(store: container.store, environment: environment)
    let job = try await hold(Self.recount, place, "running")
    let clock = SteppingClock(holding: .seconds(40)) { uptime in
      guard uptime == .seconds(20) else { return }
      await job.markUncertain()
      try await job.confirm()
    }
    await #expect(throws: LeaseError.self) {
      try await allJobs(container, clock: clock).run { _ in Issue.record("the leases were taken") }
    }
    #expect(try await held(container) == ["\(environment.rawValue) lease-recount-subscribers"])
  }

  @Test("a lease that another run takes meanwhile is noticed before the content is replaced")
  func overtaken() async throws {
    let container = try await container()
    let clock = SteppingClock(holding: .seconds(40))
    await #expect(throws: LeaseError.overtaken(recordName: "lease-health")) {
      try await allJobs(container, clock: clock).run { check in
        _ = try await container.modify([
          RecordOperation(
            .forceUpdate, recordType: LeaseRecord.recordType, recordName: "lease-health",
            fields: ["holder": .string("thief")])
        ])
        clock.pass(.seconds(100))
        try await check()
      }
    }
  }

  @Test("the locks of all jobs and of every shard that left one are held, and a running job's is respected")
  func locks() async throws {
    try await inFolder { path in
      let container = try await container()
      let folder = try StateFolder.open(path, making: false)
      let shard = LeaseName("recount votes", part: .init(index: 1, count: 2)).lockName
      _ = try RunLock(in: folder, name: shard, command: "recount votes", run: "earlier")
      let names = ["lock", "lock-health", "lock-recount-subscribers", shard]
      try await allJobs(container, folder: path).run { _ in
        for name in names {
          #expect(throws: RunLock.Taken.self, "\(name)") {
            try RunLock(in: folder, name: name, command: "other")
          }
        }
      }
      for name in names {
        // Another test may just start a process, which has the lock until its own program runs.
        var patient = dependencies("other", clock: SystemClock())
        patient.lease = LeaseDurations(silence: .milliseconds(360))
        patient.lease.wait = .seconds(30)
        let lock = try await RunLock.take(name, in: folder, command: "other", patient)
        await #expect(throws: RunLock.Taken.self, "\(name)") {
          try await allJobs(container, folder: path).run { _ in Issue.record("the locks were taken") }
        }
        withExtendedLifetime(lock) {}
      }
      #expect(try await held(container).isEmpty)
    }
  }

  @Test("the lease of a run that ended without releasing it is taken at once, in both environments")
  func dead() async throws {
    try await inFolder { path in
      let container = try await container()
      let folder = try StateFolder.open(path, making: false)
      _ = try RunLock(in: folder, name: Self.recount.lockName, command: "recount", run: "killed")
      for environment in Environment.allCases {
        _ = try await hold(
          Self.recount, LocalContainer(store: container.store, environment: environment), "killed")
      }
      let clock = SteppingClock(holding: .seconds(40))
      try await allJobs(container, folder: path, clock: clock).run { _ in }
      #expect(clock.uptime == .zero)
      #expect(try await held(container).isEmpty)
    }
  }

  @Test(
    "a job is known by its lease record, shards included",
    arguments: [
      ("lease-recount-subscribers", "recount subscribers 1/1", "recount subscribers"),
      ("lease-recount-subscribers-3-of-8", "recount subscribers 3/8", "recount subscribers"),
      ("lease-seed", "seed 1/1", "seed"), ("lease-other", "seed 1/1", nil), ("lease-x", "", nil),
      ("lease-x", "x", nil),
    ] as [(String, String, String?)])
  func jobOfRecord(name: String, purpose: String, job: String?) {
    var record = Record(recordType: LeaseRecord.recordType, recordName: name)
    record.fields["purpose"] = .string(purpose)
    #expect(LeaseName(ofJobIn: record)?.job == job)
  }
}
