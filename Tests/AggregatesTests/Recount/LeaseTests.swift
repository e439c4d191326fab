import CloudKitModel
import Synchronization
import Testing

@testable import Aggregates

@Suite("Leases") struct LeaseTests {
  private func lease(
    _ container: MemoryContainer, _ holder: String, at now: Int64 = 0, shard: String = "1/1"
  ) throws -> Lease {
    Lease(
      job: "recount subscribers", shard: try #require(Shard(shard)), holder: holder, container: container,
      now: { Timestamp(milliseconds: now) })
  }

  @Test("a second run is refused while the first holds the lease, and may begin when it ends")
  func exclusion() async throws {
    let container = MemoryContainer()
    let first = try lease(container, "a")
    try await first.observe()
    try await first.acquire()
    await #expect(throws: RecountError.self) { try await lease(container, "b").observe() }
    await first.release()
    let second = try lease(container, "b")
    try await second.observe()
    try await second.acquire()
    #expect(await second.isHeld)
  }

  @Test("an expired lease is taken over, and its former holder loses it")
  func takeover() async throws {
    let container = MemoryContainer()
    let first = try lease(container, "a")
    try await first.observe()
    try await first.acquire()
    let second = try lease(container, "b", at: Lease.lifetime + 1)
    try await second.observe()
    try await second.acquire()
    await first.doubt()
    await #expect(throws: RecountError.self) { try await first.renewIfDue() }
    #expect(await !first.isHeld)
  }

  @Test("of two runs that looked at the same time, one gets it")
  func race() async throws {
    let container = MemoryContainer()
    let (a, b) = (try lease(container, "a"), try lease(container, "b"))
    try await a.observe()
    try await b.observe()
    try await a.acquire()
    await #expect(throws: RecountError.self) { try await b.acquire() }
  }

  @Test("a run that only looked cannot write after another run has come and gone")
  func overtaken() async throws {
    let container = MemoryContainer()
    let slow = try lease(container, "slow")
    try await slow.observe()
    let quick = try lease(container, "quick")
    try await quick.observe()
    try await quick.acquire()
    await quick.release()
    await #expect(throws: RecountError.self) { try await slow.acquire() }
  }

  @Test("a run cannot write either after a run for a part that overlaps has come and gone")
  func overtakenByPart() async throws {
    let container = MemoryContainer()
    let half = try lease(container, "half", shard: "1/2")
    try await half.observe()
    let (whole, other) = (try lease(container, "whole"), try lease(container, "other", shard: "2/2"))
    try await other.observe()
    try await other.acquire()
    await other.release()
    try await half.acquire()
    await half.release()
    try await half.observe()
    try await whole.observe()
    try await whole.acquire()
    await whole.release()
    await #expect(throws: RecountError.self) { try await half.acquire() }
    #expect(await !half.isHeld)
  }

  @Test("a run that continues a killed one takes over its lease at once, and nobody else may")
  func inheritance() async throws {
    let container = MemoryContainer()
    let killed = try lease(container, "killed")
    try await killed.observe()
    try await killed.acquire()
    let claim = await killed.claim
    await #expect(throws: RecountError.self) { try await lease(container, "stranger").observe() }
    let heir = try lease(container, "heir")
    #expect(try await heir.observe(continuing: claim))
    try await heir.acquire()
    // Had the first run not been killed after all, it would notice.
    await killed.doubt()
    await #expect(throws: RecountError.self) { try await killed.renewIfDue() }
  }

  @Test("what was counted before another run wrote may not be continued")
  func outdated() async throws {
    let container = MemoryContainer()
    let paused = try lease(container, "paused")
    try await paused.observe()
    let claim = await paused.claim
    #expect(try await lease(container, "heir").observe(continuing: claim))
    let quick = try lease(container, "quick")
    try await quick.observe()
    try await quick.acquire()
    await quick.release()
    #expect(try await !lease(container, "heir").observe(continuing: claim))
  }

  @Test("a write that met another's is sent again only while the lease is still held")
  func doubt() async throws {
    let container = MemoryContainer(contended: true)
    container.insert([Fixtures.feed(1, subscribers: 1)])
    let first = try lease(container, "a")
    try await first.observe()
    try await first.acquire()
    let leased = LeasedContainer(base: container, lease: first)
    let write = RecordOperation(
      .update, recordType: "PublicFeed", recordName: "feed-1",
      changeTag: container["feed-1"]?.changeTag, fields: ["subscriberCount": .int64(2)])
    #expect(try await leased.modify([write]).first?.error?.code == .conflict)
    let second = try lease(container, "b", at: Lease.lifetime + 1)
    try await second.observe()
    try await second.acquire()
    let before = container.modifies
    await #expect(throws: RecountError.self) { try await leased.modify([write]) }
    // One attempt to renew the lease, none to write the record.
    #expect(container.modifies == before + 1)
  }

  @Test("parts that overlap exclude each other, parts that do not run side by side")
  func parts() async throws {
    let container = MemoryContainer()
    let half = try lease(container, "a", shard: "1/2")
    try await half.observe()
    try await half.acquire()
    try await lease(container, "b", shard: "2/2").observe()
    await #expect(throws: RecountError.self) { try await lease(container, "c").observe() }
    await #expect(throws: RecountError.self) { try await lease(container, "d", shard: "2/4").observe() }
  }

  @Test("a recount that was locked out writes nothing")
  func recount() async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 2)
    let holder = try lease(container, "a", at: 1_000_000)
    try await holder.observe()
    try await holder.acquire()
    let before = container.modifies
    let refusal = await #expect(throws: RecountError.self) { try await Fixtures.recount(container).run() }
    #expect(container.modifies == before)
    #expect(refusal?.hint?.contains("1970-01-01T00:18:40Z") == true)
  }

  @Test("a recount holds the lease once it knows of a value to write, and before it has read everything")
  func early() async throws {
    let box = Box()
    let container = MemoryContainer { query, _ in
      if query.query.filters.first?.value.elements?.contains(.string("feed-0")) == true { return }
      if query.query.recordType == "FeedSubscription", let lease = box.container?["lease-recount-subscribers"]
      {
        box.holders.withLock { $0.append(lease["holder"]?.string ?? "") }
      }
    }
    box.container = container
    Fixtures.fill(container, feeds: 250)
    _ = try await Fixtures.recount(container) {
      $0.strategy = .names
      $0.assumptions.concurrency = 1
    }.run()
    #expect(box.holders.withLock { $0 }.contains("run-1"))
  }

  @Test("a recount that another one overtook while it was counting writes nothing")
  func overtakenRecount() async throws {
    let box = Box()
    let container = MemoryContainer { query, _ in
      guard query.query.recordType == "FeedSubscription" else { return }
      box.container?.insert([
        Record(
          recordType: Lease.recordType, recordName: "lease-recount-subscribers",
          fields: [
            "holder": .string("quick"), "purpose": .string("recount subscribers 1/1"),
            "expiresAt": .timestamp(Timestamp(milliseconds: 0)),
          ])
      ])
    }
    box.container = container
    Fixtures.fill(container, feeds: 4)
    await #expect(throws: RecountError.self) { try await Fixtures.recount(container).run() }
    #expect((0..<4).allSatisfy { container["feed-\($0)"]?["subscriberCount"] == nil })
  }

  @Test("a run that ended locks no other out, even if its clock was years ahead")
  func clockAhead() async throws {
    let container = MemoryContainer()
    let ahead = try lease(container, "ahead", at: 1_900_000_000_000)
    try await ahead.observe()
    try await ahead.acquire()
    await ahead.release()
    #expect(container["lease-recount-subscribers"]?["expiresAt"] == .timestamp(Lease.over))
    let next = try lease(container, "next", at: 1)
    try await next.observe()
    try await next.acquire()
    #expect(await next.isHeld)
  }

  @Test("a cancelled run ends its lease")
  func cancelled() async throws {
    let container = MemoryContainer()
    let lease = try lease(container, "a")
    try await lease.observe()
    try await lease.acquire()
    let run = Task {
      while !Task.isCancelled { await Task.yield() }
      return await lease.release()
    }
    run.cancel()
    #expect(await run.value == nil)
    #expect(container["lease-recount-subscribers"]?["expiresAt"] == .timestamp(Lease.over))
  }

  @Test("a run that is cancelled while it takes its lease ends the lease")
  func cancelledWhileTaking() async throws {
    let container = MemoryContainer()
    container.insert([Record(recordType: Lease.recordType, recordName: "lease-recount-subscribers")])
    container.loseModifies { _ in CancellationError() }
    let lease = try lease(container, "a", at: 1000)
    try await lease.observe()
    await #expect(throws: CancellationError.self) { try await lease.acquire() }
    #expect(container["lease-recount-subscribers"]?["expiresAt"] != .timestamp(Lease.over))
    container.loseModifies { _ in nil }
    #expect(await lease.release() == nil)
    #expect(container["lease-recount-subscribers"]?["expiresAt"] == .timestamp(Lease.over))
  }

  @Test("release returns why it failed; a lease that another run has taken is left alone")
  func unreleased() async throws {
    let container = MemoryContainer()
    let first = try lease(container, "a")
    try await first.observe()
    try await first.acquire()
    let refusal = ServerError(.accessDenied, "no")
    container.loseModifies { _ in refusal }
    #expect(await first.release() as? ServerError == refusal)
    container.loseModifies { _ in nil }
    let second = try lease(container, "b", at: Lease.lifetime + 1)
    try await second.observe()
    try await second.acquire()
    #expect(await first.release() == nil)
    #expect(container["lease-recount-subscribers"]?["holder"] == .string("b"))
  }
}
