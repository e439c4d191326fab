import CloudKitModel
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
    await #expect(throws: RecountError.self) { try await first.renew() }
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
    await #expect(throws: RecountError.self) { try await Fixtures.recount(container).run() }
    #expect(container.modifies == before)
  }
}
