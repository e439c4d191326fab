import CloudKitModel
import Foundation
import Synchronization
import Testing

@testable import Aggregates

/// Foundation for its temporary directory.
@Suite("Checkpoints") struct CheckpointTests {
  private func temporaryFile() -> CheckpointFile {
    CheckpointFile(path: NSTemporaryDirectory() + "checkpoint-\(UUID().uuidString).json")
  }

  @Test(
    "a run killed at any page is finished by the next, exactly", arguments: [ScanStrategy.sweep, .binned])
  func resume(_ strategy: ScanStrategy) async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let allowed = Mutex(0)
    let container = MemoryContainer(pageSize: 40) { query, _ in
      guard query.query.recordType == "FeedSubscription" else { return }
      let left = allowed.withLock {
        $0 -= 1
        return $0
      }
      if left < 0 { throw ContainerFailure(.unavailable(retryAfter: nil), "throttled for an hour") }
    }
    Fixtures.fill(container, feeds: 120)
    var runs = 0
    while runs < 100 {
      runs += 1
      allowed.withLock { $0 = 30 }
      let outcome = try await Fixtures.recount(container, run: "run-\(runs)") {
        ($0.strategy, $0.checkpoint) = (strategy, file)
        $0.assumptions.concurrency = 1
      }.run()
      if outcome.status == .done { break }
    }
    #expect((2..<100).contains(runs))
    #expect(Fixtures.isExact(container, feeds: 120))
    #expect(try file.load() == nil)
  }

  @Test("each run counts another part of the hash space until the whole is proven")
  func rotation() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let container = MemoryContainer(pageSize: 10)
    Fixtures.fill(container, feeds: 40)
    for number in 0..<40 {
      container.insert([Fixtures.feed(number, subscribers: Int64(Fixtures.subscribers(of: number) + 1))])
    }
    var statuses: [RecountOutcome.Status] = []
    var samples: [SampleEstimate?] = []
    while statuses.last != .done, statuses.count < 300 {
      let outcome = try await Fixtures.recount(container) {
        ($0.strategy, $0.checkpoint, $0.portions) = (.bucketed, file, 3)
        $0.assumptions.pageSize = 10
      }.run()
      statuses.append(outcome.status)
      samples.append(outcome.sample)
    }
    #expect(statuses.count == 3)
    // Two thirds of the hash space suggest a total that the truth does not lie far from.
    let sample = try #require(samples.dropLast().last ?? nil)
    #expect(sample.bounds.contains(Double(Fixtures.total(feeds: 40) + 7)))
    #expect(statuses.dropLast().allSatisfy { $0 == .unread(groups: 40) })
    #expect(Fixtures.isExact(container, feeds: 40))
  }

  @Test("a target made after the scan began is left to the next run")
  func newTarget() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let broken = Mutex(true)
    let container = MemoryContainer(pageSize: 50) { query, _ in
      if query.continuationMarker == nil || query.query.recordType != "FeedSubscription" { return }
      if broken.withLock({ $0 }) { throw ContainerFailure(.transport, "reset") }
    }
    container.insert([Fixtures.feed(1)])
    container.insert((0..<80).map { Fixtures.subscription("feed-2", user: $0) })
    let first = try await Fixtures.recount(container) { $0.checkpoint = file }.run()
    #expect(first.status == .unread(groups: 1))
    container.insert([Fixtures.feed(2)])
    broken.withLock { $0 = false }
    let second = try await Fixtures.recount(container) { $0.checkpoint = file }.run()
    #expect(second.status == .unread(groups: 1))
    #expect(container["feed-1"]?["subscriberCount"] == .int64(0))
    #expect(container["feed-2"]?["subscriberCount"] == nil)
  }

  @Test(
    "a checkpoint that is too old, or that another run overtook, is not continued", arguments: [true, false])
  func outdated(isOld: Bool) async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let container = MemoryContainer(pageSize: 10)
    Fixtures.fill(container, feeds: 40)
    func run(_ id: String, at now: Int64 = 0, portions: Int = 1, _ file: CheckpointFile?) async throws
      -> RecountOutcome
    {
      try await Fixtures.recount(container, run: id, at: now) {
        ($0.strategy, $0.checkpoint, $0.portions) = (.bucketed, file, portions)
        $0.assumptions.pageSize = 10
      }.run()
    }
    #expect(try await run("first", portions: 3, file).status == .unread(groups: 40))
    if !isOld { _ = try await run("other", nil) }
    let outcome = try await run("second", at: isOld ? 25 * 3_600_000 : 1, file)
    #expect(outcome.status == .done)
    #expect(outcome.notes.count == 1)
    #expect(outcome.notes.first?.contains("counted from the start") == true)
    #expect(Fixtures.isExact(container, feeds: 40))
  }

  @Test("a checkpoint of another part, or a damaged one, is refused")
  func refused() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let container = MemoryContainer(pageSize: 10)
    Fixtures.fill(container, feeds: 40)
    func run(shard: Shard = .whole) async throws {
      _ = try await Fixtures.recount(container) {
        ($0.strategy, $0.checkpoint, $0.portions, $0.shard) = (.bucketed, file, 100, shard)
        $0.assumptions.pageSize = 10
      }.run()
    }
    try await run()
    let half = try #require(Shard(1, of: 2))
    await #expect(throws: RecountError.self) { try await run(shard: half) }
    try Data("{\"version\":2}".utf8).write(to: URL(filePath: file.path))
    await #expect(throws: CheckpointFile.Unusable.self) { try await run() }
  }
}
