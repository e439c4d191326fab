import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import SchemaLanguage
import Synchronization
import Testing

@testable import RecordChanges

@Suite("Leases") struct JobLeaseTests {
  private static let job = LeaseName("recount subscribers")

  private static func part(_ index: Int, _ count: Int) -> LeaseName {
    LeaseName("recount subscribers", part: .init(index: index, count: count))
  }

  private func lease(
    _ container: any Container, _ run: String, _ name: LeaseName = job,
    clock: any MonotonicClock = SteppingClock(), schema: Schema? = LeaseSchema.schema,
    _ change: (inout LeaseDurations) -> Void = { _ in }
  ) -> JobLease {
    var environment = WriteSessionDependencies(
      now: { Timestamp(milliseconds: 1_000_000) }, runID: run, schema: schema, clock: clock)
    change(&environment.lease)
    return JobLease(name, dependencies: environment, container: container)
  }

  private func take(
    _ lease: JobLease, dead: Set<String> = [], continuing claim: SavedLease? = nil
  ) async throws {
    guard case .held = try await lease.take(dead: dead, continuing: claim) else {
      throw ContainerFailure(.storage, "the lease is unavailable")
    }
  }

  private func holder(_ container: LocalContainer, _ name: LeaseName = job) async throws -> String? {
    try await container.lookup(LookupRequest([name.recordName]))[0].record?["holder"]?.string
  }

  @Test(
    "waiting for another run says whose lease it is and until when, and ends with the wait",
    arguments: [
      (nil, Duration.seconds(180), "taking over"), (Duration.seconds(600), .seconds(600), "giving up"),
    ])
  func announced(_ wait: Duration?, _ limit: Duration, _ end: String) async throws {
    let container = try await LeaseSchema.container()
    try await take(lease(container, "first"))
    let events = Mutex<[Wait?]>([])
    var environment = WriteSessionDependencies(
      now: { Timestamp(milliseconds: 1_000_000) }, runID: "second", schema: LeaseSchema.schema,
      clock: SteppingClock())
    environment.lease.wait = wait
    environment.waits = WaitReporter { wait in
      events.withLock { $0.append(wait) }
      return { events.withLock { $0.append(nil) } }
    }
    // The first run has died: its lease no longer moves.
    try await take(JobLease(Self.job, dependencies: environment, container: container))
    let seen = events.withLock(\.self)
    #expect(seen.count == 2 && seen[1] == nil)
    #expect(seen[0]?.limit == limit && seen[0]?.end == end && (seen[0]?.condition == nil) == (wait != nil))
    #expect(seen[0]?.detail == "another run holds the lease (recount subscribers, run first)")
  }

  @Test("a holder that renews its lease keeps others out: they end as soon as they see it move")
  func moving() async throws {
    let container = try await LeaseSchema.container()
    let first = lease(container, "first")
    try await take(first)
    let clock = SteppingClock { uptime in
      if uptime == .seconds(40) { await first.markUncertain(); try await first.confirm() }
    }
    let second = lease(container, "second", clock: clock)
    let error = await #expect(throws: LeaseError.self) { try await take(second) }
    #expect(
      error
        == .held(
          LeaseHolder(
            purpose: "recount subscribers", run: "first")))
    #expect(clock.uptime == .seconds(40))
    // What was not taken is not released.
    #expect(await second.release(nil) == nil)
    #expect(try await holder(container) == "first")
  }

  @Test("a holder that waits 200 s for a busy service renews its lease meanwhile, and keeps it to the end")
  func throttledHolder() async throws {
    let container = try await LeaseSchema.container()
    let own = SharedClock()
    let holder = lease(container, "busy", clock: own)
    try await take(holder)
    let renewing = Task { await holder.keepAlive() }
    defer { renewing.cancel() }
    // Both clocks show the same time. The holder's tasks run until they wait for it again.
    let clock = SteppingClock { uptime in
      guard own.uptime < .seconds(200) else { return }
      try await own.advance(to: uptime)
      guard uptime >= .seconds(200) else { return }
      try await holder.confirm()
      #expect(await holder.release(nil) == nil)
    }
    try await take(lease(container, "waiting", clock: clock) { $0.wait = .seconds(600) })
    #expect(clock.uptime == .seconds(200), "the lease was taken while its holder lived, or too late")
    #expect(own.wakes == 5)
  }

  @Test("a refused write, and it alone, makes the holder renew its lease before the next one")
  func doubtAfterRefusal() async throws {
    let container = try await LeaseSchema.container()
    let holder = lease(container, "holder")
    try await take(holder)
    let leased = LeaseCheckedContainer(base: container, lease: holder)
    func tag() async throws -> String? {
      try await container.lookup(LookupRequest([Self.job.recordName]))[0].record?.changeTag
    }
    let create = RecordOperation(
      .create, recordType: "Feed", recordName: "a", fields: ["title": .string("A")])
    let first = try await tag()
    #expect(try await leased.modify([create])[0].error == nil)
    #expect(try await leased.modify([create])[0].error != nil)
    #expect(try await tag() == first)
    _ = try await leased.modify([RecordOperation(.create, recordType: "Feed", recordName: "b")])
    let renewed = try await tag()
    #expect(renewed != first)
    _ = try await leased.modify([RecordOperation(.create, recordType: "Feed", recordName: "c")])
    #expect(try await tag() == renewed)
  }

  @Test(
    "a busy service is asked again for the lease, for as long as it wishes and no longer than ten seconds")
  func busyService() async throws {
    let container = try await LeaseSchema.container()
    let clock = SteppingClock()
    let busy = FaultyContainer(
      container, writes: [.eachRecord(ServerError(.throttled, "later", retryAfter: .seconds(4)))])
    try await take(lease(busy, "patient", clock: clock))
    #expect(clock.sleeps == [.seconds(4)])
    let twice = FaultyContainer(
      container,
      writes: [.eachRecord(ServerError(.throttled, "1")), .eachRecord(ServerError(.tryAgainLater, "2"))])
    let second = SteppingClock()
    try await take(lease(twice, "second", clock: second), dead: ["patient"])
    #expect(second.sleeps.count == 2 && second.uptime <= .milliseconds(600))
    let busier = FaultyContainer(
      container, writes: [.eachRecord(ServerError(.throttled, "later", retryAfter: .seconds(11)))])
    let impatient = lease(busier, "impatient")
    guard case .unavailable = try await impatient.take(dead: ["patient", "second"], continuing: nil) else {
      Issue.record("the lease was taken")
      return
    }
  }

  @Test(
    "a lease whose tag does not move for three minutes is free, however its holder's clock is set",
    arguments: [0, -86_400_000, 86_400_000, 10 * 365 * 86_400_000, -10 * 365 * 86_400_000])
  func silent(skew: Int64) async throws {
    let container = try await LeaseSchema.container()
    var ahead = WriteSessionDependencies(
      now: { Timestamp(milliseconds: 1_800_000_000_000 + skew) }, runID: "dead", schema: LeaseSchema.schema,
      clock: SteppingClock())
    ahead.note = { _ in }
    try await take(JobLease(Self.job, dependencies: ahead, container: container))
    let clock = SteppingClock()
    try await take(lease(container, "next", clock: clock))
    #expect(clock.uptime == .seconds(180))
    #expect(clock.sleeps.allSatisfy { $0 == .seconds(5) })
    #expect(try await holder(container) == "next")
  }

  @Test("a released lease is free at once, whatever the clock of its holder")
  func released() async throws {
    let container = try await LeaseSchema.container()
    let first = lease(container, "first")
    try await take(first)
    #expect(await first.release(nil) == nil)
    let clock = SteppingClock()
    try await take(lease(container, "second", clock: clock))
    #expect(clock.sleeps.isEmpty)
  }

  @Test("a run of this state folder that has ended, and one that is continued, are not waited for")
  func heirs() async throws {
    let container = try await LeaseSchema.container()
    let killed = lease(container, "killed")
    try await take(killed)
    let clock = SteppingClock()
    try await take(lease(container, "next", clock: clock), dead: ["killed"])
    let heir = lease(container, "heir", clock: clock)
    try await take(heir, continuing: SavedLease(holder: "next"))
    #expect(await heir.isCurrent)
    #expect(clock.sleeps.isEmpty)
    let late = lease(container, "late", clock: clock)
    try await take(late, dead: ["heir"], continuing: SavedLease(holder: "killed"))
    #expect(await !late.isCurrent)
  }

  @Test("a run without a lease says so once, and continues what it began", arguments: [true, false])
  func withoutLease(hasType: Bool) async throws {
    let container = FaultyContainer(try await LeaseSchema.container()) { request in
      if case .lookup = request { .eachRecord(ServerError(.accessDenied, "no")) } else { nil }
    }
    let notes = Mutex<[String]>([])
    var schema = try #require(LeaseSchema.schema)
    if !hasType { schema.recordTypes.removeAll { $0.name == "AdminLease" } }
    var environment = WriteSessionDependencies(
      now: { Timestamp(milliseconds: 1_000_000) }, runID: "run", schema: schema, clock: SteppingClock())
    environment.note = { note in notes.withLock { $0.append(note.description) } }
    let session = WriteSession(
      WritingJob("recount", kind: .job, lease: Self.job), container: container, dependencies: environment)
    #expect(try await session.run(continuing: SavedLease(holder: "earlier")) { $0.isCurrent })
    let reason =
      hasType
      ? "the key may not read leases"
      : "the schema has no record type AdminLease. Ignore this where only one machine writes, or add the type as 'schema init' with --template celestra or sessions writes it"
    #expect(notes.withLock(\.self) == ["note: runs on several machines may overlap: \(reason)"])
  }

  @Test("seeds lock the file 'lock' of the state folder, and every other job and shard a file of its own")
  func lockNames() {
    let names = [LeaseName.seed, .health, Self.job, Self.part(3, 8)].map(\.lockName)
    #expect(names == ["lock", "lock-health", "lock-recount-subscribers", "lock-recount-subscribers-3-of-8"])
  }

  @Test("--wait waits for a living run to end, and no longer than it says")
  func waiting() async throws {
    let container = try await LeaseSchema.container()
    let first = lease(container, "first")
    try await take(first)
    let clock = SteppingClock { uptime in
      if uptime < .seconds(600) { await first.markUncertain(); try await first.confirm() }
      if uptime == .seconds(600) { _ = await first.release(nil) }
    }
    try await take(lease(container, "second", clock: clock) { $0.wait = .seconds(900) })
    #expect(clock.uptime == .seconds(600))
    let third = lease(container, "third", clock: SteppingClock()) { $0.wait = .seconds(60) }
    await #expect(throws: LeaseError.self) { try await take(third) }
  }

  @Test("--break-lease takes a lease at once, and its holder stops writing")
  func breaking() async throws {
    let container = try await LeaseSchema.container()
    let first = lease(container, "first")
    try await take(first)
    let clock = SteppingClock()
    try await take(lease(container, "second", clock: clock) { $0.breaksOthers = true })
    #expect(clock.sleeps.isEmpty)
    await first.markUncertain()
    await #expect(throws: LeaseError.overtaken(recordName: "lease-recount-subscribers")) {
      try await first.confirm()
    }
    #expect(await first.release(nil) == nil)
    #expect(try await holder(container) == "second")
  }

  @Test("a holder that hung for longer than its lease lasts confirms it before the next write")
  func hanging() async throws {
    let container = try await LeaseSchema.container()
    let clock = SteppingClock()
    let hanging = lease(container, "hanging", clock: clock)
    try await take(hanging)
    try await take(lease(container, "next"))
    try await hanging.confirm()
    clock.pass(.seconds(81))
    await #expect(throws: LeaseError.self) { try await hanging.confirm() }
  }

  @Test("on a service a lease is free ten minutes after it was last written, by the service's own clock")
  func stale() async throws {
    let container = try await LeaseSchema.container()
    try await take(lease(container, "dead"))
    let modified = try #require(
      try await container.lookup(LookupRequest([Self.job.recordName]))[0].record?.modified?.timestamp)
    // The clock of a container on this machine may be set while a run holds the lease.
    let clocks: [(ContainerClock, waits: Bool)] = [
      (.service(at: modified + .seconds(600), within: .seconds(5)), false),
      (.service(at: modified + .milliseconds(599_999), within: .seconds(5)), true), (.unstated, true),
      (ContainerClock(local: { modified + .seconds(86_400) }), true),
    ]
    for (time, waits) in clocks {
      let service = FaultyContainer(container, clock: time)
      let clock = SteppingClock { _ in throw CancellationError() }
      let next = lease(ReadOnlyContainer(service), "next", clock: clock)
      let error = await #expect(throws: (any Error).self) { try await take(next) }
      #expect((error is CancellationError) == waits)
    }
  }

  @Test("the container through which a run writes can do what the one below can, but simulates no users")
  func abilities() async throws {
    let container = try await LeaseSchema.container()
    let checked = LeaseCheckedContainer(base: container, lease: lease(container, "run"))
    #expect(checked.grouping != nil && checked.clock.isLocal && checked.simulatedUsers == nil)
    #expect(checked.callerRecordName == container.callerRecordName)
  }

  @Test("shards of one number run side by side; the whole, and another number, are kept out, and they by it")
  func shards() async throws {
    let container = try await LeaseSchema.container()
    let first = lease(container, "a", Self.part(1, 2))
    try await take(first)
    try await take(lease(container, "b", Self.part(2, 2)))
    for name in [Self.job, Self.part(2, 4), Self.part(1, 2)] {
      let clock = SteppingClock { uptime in
        await first.markUncertain()
        try await first.confirm()
        if uptime > .seconds(30) { throw CancellationError() }
      }
      await #expect(throws: LeaseError.self) { try await take(lease(container, "c", name, clock: clock)) }
    }
    let whole = try await LeaseSchema.container()
    let all = lease(whole, "all")
    try await take(all)
    let clock = SteppingClock { _ in
      await all.markUncertain(); try await all.confirm()
    }
    await #expect(throws: LeaseError.self) {
      try await take(lease(whole, "part", Self.part(3, 8), clock: clock))
    }
  }

  @Test("a dead whole and dead shards are passed after their silence")
  func deadParts() async throws {
    let container = try await LeaseSchema.container()
    try await take(lease(container, "whole"))
    let clock = SteppingClock()
    try await take(lease(container, "part", Self.part(1, 2), clock: clock))
    #expect(clock.uptime == .seconds(180))
    // The whole's record was released on the way: the other shard need not wait again.
    let other = SteppingClock()
    try await take(lease(container, "other", Self.part(2, 2), clock: other))
    #expect(other.sleeps.isEmpty)
    let next = SteppingClock()
    try await take(lease(container, "all", clock: next))
    #expect(next.uptime == .seconds(180))
    let last = SteppingClock()
    try await take(lease(container, "four", Self.part(1, 4), clock: last), dead: ["all"])
    #expect(last.sleeps.isEmpty)
  }

  @Test("of two runs that look at the same moment, one gets the lease")
  func race() async throws {
    let container = try await LeaseSchema.container()
    let names = [Self.job, Self.part(1, 2), Self.part(2, 2), Self.part(1, 3)]
    for pair in names.indices.flatMap({ a in names.indices.map { (names[a], names[$0]) } }) {
      let results = await withTaskGroup(of: Bool.self) { group in
        for (run, name) in [("a", pair.0), ("b", pair.1)] {
          let clock = SteppingClock { uptime in if uptime > .seconds(60) { throw CancellationError() } }
          let lease = lease(container, run + UUIDText.next(), name, clock: clock)
          group.addTask { (try? await take(lease)) != nil }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      let mayBoth = pair.0.part?.count == pair.1.part?.count && pair.0 != pair.1 && pair.0.part != nil
      #expect(mayBoth ? results == 2 : results <= 1, "\(pair)")
      for name in names {
        _ = try await container.modify([.init(.forceDelete, recordName: name.recordName)])
      }
    }
  }

  @Test("a container with an older schema than the one expected keeps leases without the newer fields")
  func olderContainer() async throws {
    let container = try await LeaseSchema.container(LeaseSchema.oldText)
    let lease = lease(container, "a", Self.part(1, 2))
    try await take(lease)
    let memory = LastJobRun(finishedAt: Timestamp(milliseconds: 5), result: [:])
    #expect(await lease.release(memory) == nil)
  }

  @Test("what a job remembers is read from its record, and of shards the oldest")
  func memory() async throws {
    let container = try await LeaseSchema.container()
    #expect(try await LastJobRun.last(of: Self.job, in: container) == nil)
    func finish(_ name: LeaseName, at milliseconds: Int64) async throws {
      let lease = lease(container, "run-\(milliseconds)", name)
      try await take(lease)
      let memory = LastJobRun(
        finishedAt: Timestamp(milliseconds: milliseconds), result: ["written": 1], revision: "abc")
      #expect(await lease.release(memory) == nil)
    }
    try await finish(Self.job, at: 7)
    #expect(try await LastJobRun.last(of: Self.job, in: container)?.finishedAt.milliseconds == 7)
    #expect(try await LastJobRun.last(of: Self.job, in: container)?.revision == "abc")
    try await finish(Self.part(1, 2), at: 9)
    #expect(try await LastJobRun.last(of: Self.job, in: container) == nil)
    try await finish(Self.part(2, 2), at: 8)
    #expect(try await LastJobRun.last(of: Self.job, in: container)?.finishedAt.milliseconds == 8)
  }

  @Test("a service that answers no write keeps no run waiting for its lease", .timeLimit(.minutes(1)))
  func neverAnswers() async throws {
    let container = FaultyContainer(try await LeaseSchema.container()) { request in
      guard case .modify = request else { return nil }
      return .loseRequest
    }
    guard
      case .unavailable(let reason, _) = try await lease(container, "first").take(dead: [], continuing: nil)
    else {
      Issue.record("the lease was taken")
      return
    }
    #expect(!reason.description.isEmpty)
  }

  @Test("any time that a record says it was modified at is judged", arguments: [Int64.min, -1, 0, .max])
  func extremeTimes(_ modified: Int64) {
    var watcher = LeaseWatcher(terms: LeaseDurations(), dead: [])
    var record = Record(
      recordType: "AdminLease", recordName: "lease-seed",
      fields: ["holder": .string("other"), "expiresAt": .timestamp(Timestamp(milliseconds: .max))])
    record.modified = RecordStamp(
      timestamp: Timestamp(milliseconds: modified), userRecordName: "_x", deviceID: "")
    for service in [Int64.min, 0, .max] {
      let verdict = watcher.judge(
        record, uptime: .zero, serviceTime: Timestamp(milliseconds: service))
      #expect((verdict == .free) == (service > modified && service != 0 || service == 0 && modified == .min))
    }
  }

  @Test("a lost reply leaves a lease that is held, and a cancelled run still releases it")
  func lostReplies() async throws {
    let container = try await LeaseSchema.container()
    // Every second reply.
    let lossy = FaultyContainer(container, writes: (0..<100).map { $0 % 2 == 0 ? .loseReply : nil })
    let lease = lease(lossy, "a")
    try await take(lease)
    #expect(!lossy.requestSizes.isEmpty)
    let run = Task {
      while !Task.isCancelled { await Task.yield() }
      return await lease.release(nil)
    }
    run.cancel()
    #expect(await run.value == nil)
    let clock = SteppingClock()
    try await take(self.lease(container, "b", clock: clock))
    #expect(clock.sleeps.isEmpty)
  }
}

private enum UUIDText {
  private static let last = Mutex(0)
  static func next() -> String {
    last.withLock {
      $0 += 1
      return "-\($0)"
    }
  }
}
