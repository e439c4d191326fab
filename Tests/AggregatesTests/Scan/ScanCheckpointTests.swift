import CloudKitModel
import Foundation
import Synchronization
import Testing

@testable import Aggregates

/// Foundation for its temporary directory.
@Suite("Checkpoints") struct ScanCheckpointTests {
  private func temporaryFile() -> ScanCheckpointFile {
    ScanCheckpointFile(path: NSTemporaryDirectory() + "checkpoint-\(UUID().uuidString).json")
  }

  @Test(
    "a run killed at any page is finished by the next, exactly", arguments: [ScanStrategy.sweep, .names])
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
      if outcome.phase == .done { break }
    }
    #expect((2..<100).contains(runs))
    #expect(Fixtures.isExact(container, feeds: 120))
    #expect(try file.load() == nil)
  }

  @Test("a target made after the scan began is left to the next run")
  func newTarget() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let broken = Mutex(true)
    let container = MemoryContainer(pageSize: 50) { query, _ in
      if query.continuationMarker == nil || query.query.recordType != "FeedSubscription" { return }
      if broken.withLock({ $0 }) { throw ContainerFailure(.outcomeUnknown, "reset") }
    }
    container.insert([Fixtures.feed(1)])
    container.insert((0..<80).map { Fixtures.subscription("feed-2", user: $0) })
    let first = try await Fixtures.recount(container) { $0.checkpoint = file }.run()
    #expect(first.phase == .unread(groups: 1))
    container.insert([Fixtures.feed(2)])
    broken.withLock { $0 = false }
    let second = try await Fixtures.recount(container) { $0.checkpoint = file }.run()
    #expect(second.phase == .unread(groups: 1))
    #expect(container["feed-1"]?["subscriberCount"] == .int64(0))
    #expect(container["feed-2"]?["subscriberCount"] == nil)
  }

  private final class Cut: Sendable {
    let isOn = Mutex(true)
  }

  /// Holds 40 feeds and gives the sources in pages of 10; while the cut is on, only the first page.
  private func container(_ cut: Cut) -> MemoryContainer {
    let container = MemoryContainer(pageSize: 10) { query, _ in
      guard query.query.recordType == "FeedSubscription", query.continuationMarker != nil else { return }
      if cut.isOn.withLock({ $0 }) { throw ContainerFailure(.unavailable(retryAfter: nil), "throttled") }
    }
    Fixtures.fill(container, feeds: 40)
    return container
  }

  @Test(
    "a checkpoint that is too old, or that another run overtook, is not continued", arguments: [true, false])
  func outdated(isOld: Bool) async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let cut = Cut()
    let container = container(cut)
    func run(_ id: String, at now: Int64 = 0, _ file: ScanCheckpointFile?) async throws -> RecountOutcome {
      try await Fixtures.recount(container, run: id, at: now) {
        ($0.strategy, $0.checkpoint) = (.sweep, file)
      }.run()
    }
    #expect(try await run("first", file).phase == .unread(groups: 40))
    cut.isOn.withLock { $0 = false }
    if !isOld { _ = try await run("other", nil) }
    let outcome = try await run("second", at: isOld ? 25 * 3_600_000 : 1, file)
    #expect(outcome.phase == .done)
    #expect(outcome.remarks.count == 1)
    #expect(outcome.remarks.first?.contains("counted from the start") == true)
    #expect(Fixtures.isExact(container, feeds: 40))
  }

  @Test("a checkpoint of another shard, of another version, or a damaged one is refused")
  func refused() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let container = container(Cut())
    func run(shard: RecountShard = .whole) async throws {
      _ = try await Fixtures.recount(container) {
        ($0.strategy, $0.checkpoint, $0.shard) = (.sweep, file, shard)
      }.run()
    }
    try await run()
    let half = try #require(RecountShard(1, of: 2))
    await #expect(throws: RecountError.self) { try await run(shard: half) }
    let others = [2, 3, 5].map { ("{\"version\":\($0),\"fingerprint\":\"x\"}", "another version") }
    for (text, reason) in others + [("{}", "damaged")] {
      try Data(text.utf8).write(to: URL(filePath: file.path))
      let refusal = await #expect(throws: ScanCheckpointFile.Unusable.self) { try await run() }
      #expect(refusal?.reason.contains(reason) == true)
    }
  }
}
