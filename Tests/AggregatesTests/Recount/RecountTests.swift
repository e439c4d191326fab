import CloudKitModel
import Diagnostics
import RecordChanges
import Synchronization
import Testing

@testable import Aggregates

@Suite("Recounting subscribers") struct RecountTests {
  @Test("every strategy gives the same exact result", arguments: ScanStrategy.allCases, [1, 7, 200])
  func strategies(_ strategy: ScanStrategy, pageSize: Int) async throws {
    let container = MemoryContainer(pageSize: pageSize)
    Fixtures.fill(container, feeds: 25)
    let outcome = try await Fixtures.recount(container, pushdown: strategy == .pushdown) {
      $0.strategy = strategy
    }.run()
    #expect(Fixtures.isExact(container, feeds: 25))
    #expect(outcome.phase == .done)
    #expect(outcome.result.complete)
    #expect(outcome.result.sources == Int64(Fixtures.total(feeds: 25) + (strategy == .byTarget ? 0 : 7)))
    #expect(outcome.result.orphans == (strategy == .byTarget ? nil : 7))
    #expect(outcome.result.invalidNames == 3)
    #expect(outcome.result.targets == 50)
    #expect(outcome.result.written == 50)
  }

  @Test("a run that finds nothing to do sends no modify request", arguments: ScanStrategy.allCases)
  func idempotent(_ strategy: ScanStrategy) async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 12)
    let isPushdown = strategy == .pushdown
    _ = try await Fixtures.recount(container, pushdown: isPushdown).run()
    let before = container.modifies
    let outcome = try await Fixtures.recount(container, pushdown: isPushdown, run: "run-2") {
      $0.strategy = strategy
      // However long it expects to take.
      $0.assumptions.latency = 1000
    }.run()
    #expect(outcome.result.changed == 0)
    #expect(outcome.result.requests.modify == 0)
    #expect(container.modifies == before)
  }

  @Test("the result is exact when the expectations were wrong")
  func wrongExpectations() async throws {
    let container = MemoryContainer(pageSize: 50)
    Fixtures.fill(container, feeds: 150)
    for number in 0..<150 {
      container.insert([Fixtures.feed(number, subscribers: Int64(number % 3 == 0 ? 9000 : 0))])
    }
    let outcome = try await Fixtures.recount(container) {
      $0.strategy = .byTarget
      $0.maxDrop = 100
    }.run()
    #expect(outcome.result.complete)
    #expect(Fixtures.isExact(container, feeds: 150))
  }

  @Test("small counts are published as 0 when asked")
  func minPublished() async throws {
    let container = MemoryContainer()
    container.insert([Fixtures.feed(1), Fixtures.feed(2)])
    container.insert((0..<4).map { Fixtures.subscription("feed-1", user: $0) })
    container.insert((0..<5).map { Fixtures.subscription("feed-2", user: $0) })
    _ = try await Fixtures.recount(container) { $0.minPublished = 5 }.run()
    #expect(container["feed-1"]?["subscriberCount"] == .int64(0))
    #expect(container["feed-2"]?["subscriberCount"] == .int64(5))
  }

  @Test("conflicts are re-read and only our own field is written")
  func conflicts() async throws {
    let container = MemoryContainer(contended: true)
    Fixtures.fill(container, feeds: 6)
    var feed = Fixtures.feed(1)
    feed.fields["isVerified"] = .int64(1)
    container.insert([feed])
    let outcome = try await Fixtures.recount(container).run()
    #expect(outcome.result.complete)
    #expect(Fixtures.isExact(container, feeds: 6))
    #expect(container["feed-1"]?["isVerified"] == .int64(1))
  }

  @Test("a target deleted while its sources were counted is no conflict")
  func vanished() async throws {
    let box = Box()
    let container = MemoryContainer { query, _ in
      if query.query.recordType == "FeedSubscription" { box.container?.delete("feed-2") }
    }
    box.container = container
    Fixtures.fill(container, feeds: 4)
    let outcome = try await Fixtures.recount(container).run()
    #expect(outcome.result.conflicts == 0)
    #expect(outcome.phase == .done)
    #expect(container["feed-2"] == nil)
  }

  @Test("no figure and no change holds anything but counts and names of targets")
  func privacy() async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 3)
    let outcome = try await Fixtures.recount(container).run()
    let text = "\(outcome.result.json.text()) \(outcome.report?.results ?? [])"
    #expect(text.contains("feed-1"))
    let name = Fixtures.subscription("feed-1", user: 0).recordName
    #expect(!text.contains("_user"))
    #expect(!text.contains(name))
  }

  @Test("no output of a pruning names a source, because its name identifies a user")
  func prunedNames() async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 3)
    let name = Fixtures.subscription("gone", user: 0).recordName
    for isDry in [true, false] {
      let outcome = try await Fixtures.recount(container, dryRun: isDry) { $0.pruneOrphans = true }.run()
      #expect(outcome.pruning?.changes.contains { $0.recordName == name } == true)
      #expect(!"\(outcome.json.text()) \(outcome.text(.plain)) \(outcome.metrics)".contains(name))
    }
  }

  @Test("a sweep asks for full pages, and shows after each how many it has read", arguments: [20, 200])
  func pages(_ pageSize: Int) async throws {
    let limits = Mutex<[Int?]>([])
    let shown = Mutex<[Int]>([])
    let container = MemoryContainer(pageSize: pageSize) { request, _ in
      guard request.query.recordType == "FeedSubscription" else { return }
      limits.withLock { $0.append(request.resultsLimit) }
    }
    Fixtures.fill(container, feeds: 5)
    var options = RecountOptions()
    options.strategy = .sweep
    var environment = Fixtures.environment()
    environment.progress = { pages, total in
      shown.withLock { $0.append(pages) }
      // More pages than were expected have no known total.
      #expect(total.map { pages < $0 } ?? true)
    }
    _ = try await Recount(
      .subscribers, schema: Fixtures.schema, container: container, options: options,
      dependencies: environment,
      dryRun: true
    ).run()
    let pages = limits.withLock(\.self)
    #expect(pages.count > 1 && pages.allSatisfy { $0 == ContainerLimits.recordsPerRequest })
    #expect(shown.withLock(\.self) == Array(1...pages.count))
  }
}

/// Lets a container's fault reach the container. Set once, before any query.
final class Box: @unchecked Sendable {
  weak var container: MemoryContainer?
  /// What the fault saw.
  let holders = Mutex<[String]>([])
}
