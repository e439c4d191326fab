import CloudKitModel
import Diagnostics
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
    "a run killed at any page is finished by the next, exactly", arguments: [ScanStrategy.sweep, .byTarget])
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
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test(
    "targets that came and went between runs, more than once, are counted exactly by the run that finishes",
    arguments: [ScanStrategy.sweep, .byTarget])
  func changedTargets(_ strategy: ScanStrategy) async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let allowed = Mutex(0)
    let container = MemoryContainer(pageSize: 20) { query, _ in
      guard query.query.recordType == "FeedSubscription" else { return }
      let left = allowed.withLock {
        $0 -= 1
        return $0
      }
      if left < 0 { throw ContainerFailure(.unavailable(retryAfter: nil), "throttled for an hour") }
    }
    Fixtures.fill(container, feeds: 60)
    // Feeds with readers from before, and after, the first pages; and one without.
    let late = [("feed-200", 45), ("feed-201", 1), ("feed-202", 0)]
    for (name, readers) in late {
      container.insert((0..<readers).map { Fixtures.subscription(name, user: $0) })
    }
    var runs = 0
    var last: RecountOutcome?
    while runs < 100, last?.phase != .done {
      runs += 1
      allowed.withLock { $0 = 12 }
      if runs == 2 { container.insert([Fixtures.feed(200), Fixtures.feed(202)]) }
      if runs == 3 {
        container.insert([Fixtures.feed(201)])
        container.delete("feed-7")
        container.delete("metadata-7")
      }
      last = try await Fixtures.recount(container, run: "run-\(runs)") {
        ($0.strategy, $0.checkpoint) = (strategy, file)
        ($0.assumptions.concurrency, $0.maxDrop) = (1, 100)
      }.run()
      #expect(last?.remarks.count == min(1, runs - 1))
      #expect(last?.remarks.allSatisfy { $0.hasPrefix("continued the run of 1970-") } == true)
    }
    #expect((4..<100).contains(runs))
    for number in 0..<60 where number != 7 {
      #expect(
        container["feed-\(number)"]?["subscriberCount"] == .int64(Int64(Fixtures.subscribers(of: number))))
    }
    for (name, readers) in late {
      #expect(container[name]?["subscriberCount"] == .int64(Int64(readers)), "\(name)")
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(last?.result.complete == true)
    // The sources of "gone" only, and at most those of the feed that went.
    if strategy == .sweep {
      #expect((7...(7 + Int64(Fixtures.subscribers(of: 7)))).contains(last?.result.orphans ?? -1))
    }
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
    #expect(try await run("first", file).phase == .unread(numbers: 80))
    cut.isOn.withLock { $0 = false }
    if !isOld { _ = try await run("other", nil) }
    let outcome = try await run("second", at: isOld ? 25 * 3_600_000 : 1, file)
    #expect(outcome.phase == .done)
    #expect(outcome.remarks.count == 1)
    #expect(outcome.remarks.first?.contains("counted from the start") == true)
    #expect(Fixtures.isExact(container, feeds: 40))
  }

  @Test(
    "a checkpoint is continued for a day, and up to an hour before it was begun by this machine's clock",
    arguments: [(86_400, true), (86_401, false), (0, true), (-3600, true), (-3601, false)])
  func age(seconds: Int64, isContinued: Bool) async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let cut = Cut()
    let container = container(cut)
    func run(_ id: String, at now: Int64) async throws -> RecountOutcome {
      try await Fixtures.recount(container, run: id, at: now) {
        ($0.strategy, $0.checkpoint) = (.sweep, file)
      }.run()
    }
    _ = try await run("first", at: 10_000_000)
    cut.isOn.withLock { $0 = false }
    let outcome = try await run("second", at: 10_000_000 + seconds * 1000)
    #expect(outcome.phase == .done && outcome.remarks.count == 1)
    #expect(outcome.remarks.first?.hasPrefix("continued the run of ") == isContinued)
  }

  @Test("a checkpoint is of one job; what only decides about publishing does not change it")
  func fingerprints() throws {
    let half = try #require(RecountShard(1, of: 2))
    func fingerprint(
      _ declaration: AggregateDeclaration = .subscribers, _ container: String = "c",
      _ shard: RecountShard = .whole, names: RecountOptions.Names = .all
    ) -> String {
      ScanCheckpoint.fingerprint(declaration, container: container, shard: shard, names: names)
    }
    var drop = AggregateDeclaration.subscribers
    drop.maxDrop = 7
    #expect(fingerprint(drop) == fingerprint() && fingerprint(names: .all) == fingerprint())
    let others = [
      fingerprint(), fingerprint(.participants), fingerprint(.subscribers, "d"),
      fingerprint(.subscribers, "c", half), fingerprint(names: .verified),
    ]
    #expect(Set(others).count == 5)
  }

  /// The text of the checkpoint of a sweep of 40 feeds that was cut off.
  private func cutOff(_ cut: Cut, _ container: MemoryContainer, _ file: ScanCheckpointFile) async throws
    -> String
  {
    _ = try await Fixtures.recount(container) { ($0.strategy, $0.checkpoint) = (.sweep, file) }.run()
    cut.isOn.withLock { $0 = false }
    return try String(contentsOf: URL(filePath: file.path), encoding: .utf8)
  }

  private func write(_ text: String, to file: ScanCheckpointFile) throws {
    try Data(text.utf8).write(to: URL(filePath: file.path))
  }

  @Test("a file of another job, or one that is no checkpoint, is refused and kept")
  func refused() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let container = container(Cut())
    let text = try await cutOff(Cut(), container, file)
    let half = try #require(RecountShard(1, of: 2))
    func refuse(_ text: String, shard: RecountShard = .whole) async throws {
      try write(text, to: file)
      let error = await #expect(throws: (any Error).self) {
        _ = try await Fixtures.recount(container) {
          ($0.strategy, $0.checkpoint, $0.shard) = (.sweep, file, shard)
        }.run()
      }
      #expect(error is CommandFailure || error is ScanCheckpointFile.Unusable)
      #expect(try String(contentsOf: URL(filePath: file.path), encoding: .utf8) == text)
    }
    try await refuse(text, shard: half)
    // A damaged one of another shard, and those of a newer version.
    try await refuse(String(text.dropLast(40)), shard: half)
    for shard in [half, .whole] {
      try await refuse(text.replacing("\"schemaVersion\":1", with: "\"schemaVersion\":9"), shard: shard)
    }
    try await refuse(text.replacing(/"job":"[0-9a-f]*"/, with: "\"job\":null"))
    for other in ["{}", "[]", "x", "{\"fingerprint\":\"x\"}", "{\"recordType\":\"PublicFeed\"}\n{}", " \n"] {
      try await refuse(other)
    }
  }

  /// What can be wrong with a checkpoint of this very job.
  private static let damages: [(name: String, change: @Sendable (String) -> String)] = [
    ("cut off", { String($0.dropLast($0.count / 2)) }), ("cut within the job", { String($0.prefix(100)) }),
    ("one byte less", { String($0.dropLast()) }),
    ("empty", { _ in "" }), ("zeros", { String(repeating: "\0", count: $0.utf8.count) }),
    ("a key twice", { "\($0.dropLast()),\"done\":[]}" }),
    ("nested deeply", { "\($0.dropLast()),\"x\":\(String(repeating: "[", count: 40))" }),
    ("other declaration", { $0.replacing(/"fingerprint":"[0-9a-f]*"/, with: "\"fingerprint\":\"0\"") }),
    ("group beyond the groups", { $0.replacing("\"measures\":{", with: "\"measures\":{\"99\":1,") }),
    ("old", { $0.replacing(/"startedAt":-?\d+/, with: "\"startedAt\":-62135596800000") }),
    ("future", { $0.replacing(/"startedAt":-?\d+/, with: "\"startedAt\":253402300799999") }),
  ]

  @Test("a checkpoint of this job that cannot be continued is noted, and the run counts from the start")
  func ownDamage() async throws {
    for (name, damage) in Self.damages {
      let file = temporaryFile()
      defer { try? file.remove() }
      let cut = Cut()
      let container = container(cut)
      let text = try await cutOff(cut, container, file)
      let damaged = damage(text)
      #expect(damaged != text, "\(name)")
      try write(damaged, to: file)
      let outcome = try await Fixtures.recount(container, run: "second") {
        ($0.strategy, $0.checkpoint) = (.sweep, file)
      }.run()
      #expect(outcome.phase == .done, "\(name)")
      #expect(
        outcome.remarks.count == 1 && outcome.remarks[0].hasSuffix("so this run counted from the start"),
        "\(name)")
      #expect(Fixtures.isExact(container, feeds: 40), "\(name)")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test(
    "no number in a checkpoint ends the process, and none is published",
    arguments: [
      "9223372036854775807", "-9223372036854775808", "9007199254740993", "-1", "0", "1e400", "-1e400", "1e18",
      "0.5",
      "99999999999999999999999999", "null", "\"7\"",
    ])
  func extremes(_ number: String) async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let cut = Cut()
    let container = container(cut)
    let text = try await cutOff(cut, container, file)
    // Each number but those of the version and inside of texts.
    let places = text.matches(of: /[:,\[](-?\d+)(?=[,\]}])/).map { $0.output.1 }.dropFirst()
    #expect(places.count > 10)
    for place in places {
      var changed = text
      changed.replaceSubrange(place.startIndex..<place.endIndex, with: number)
      try write(changed, to: file)
      let before = container["feed-3"]
      let outcome = try await Fixtures.recount(container, run: "second", dryRun: true) {
        ($0.strategy, $0.checkpoint) = (.sweep, file)
      }.run()
      #expect(outcome.phase == .planned || outcome.phase == .done, "\(changed)")
      #expect(outcome.result.sources >= 0 && outcome.result.orphans ?? 0 >= 0)
      #expect(container["feed-3"] == before)
      #expect(try String(contentsOfFile: file.path, encoding: .utf8) == changed, "a dry run keeps the file")
    }
  }

  @Test("a run that the drop guard stopped leaves no checkpoint that would stop the next one, too")
  func stopped() async throws {
    let file = temporaryFile()
    defer { try? file.remove() }
    let container = MemoryContainer()
    container.insert([Fixtures.feed(1, subscribers: 100)])
    container.insert((0..<40).map { Fixtures.subscription("feed-1", user: $0) })
    let first = try await Fixtures.recount(container) { ($0.strategy, $0.checkpoint) = (.sweep, file) }.run()
    guard case .stopped = first.phase else {
      Issue.record("\(first.phase)")
      return
    }
    container.insert((40..<95).map { Fixtures.subscription("feed-1", user: $0) })
    let second = try await Fixtures.recount(container) { ($0.strategy, $0.checkpoint) = (.sweep, file) }.run()
    #expect(second.phase == .done && container["feed-1"]?["subscriberCount"] == .int64(95))
  }
}
