import CloudKitModel
import Synchronization
import Testing

@testable import Aggregates

@Suite("Counting while the targets are still being read") struct EarlyScanTests {
  /// Lets the pages of feeds after the fifth wait until some sources were asked for, and fails no query.
  private struct SlowTargets: Container {
    let base: MemoryContainer
    let gate = Gate()

    var identity: ContainerIdentity { base.identity }
    func query(_ request: QueryRequest) async throws -> QueryPage {
      if request.query.recordType == "FeedSubscription" { await gate.open() }
      if request.query.recordType == "PublicFeed", await gate.countPage() > 5 { await gate.wait() }
      return try await base.query(request)
    }
    func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }
    func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
      try await base.modify(operations)
    }
  }

  private actor Gate {
    private var isOpen = false
    private var pages = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func countPage() -> Int {
      pages += 1
      return pages
    }

    func open() {
      isOpen = true
      for continuation in waiting { continuation.resume() }
      waiting = []
    }

    func wait() async {
      if isOpen { return }
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  @Test("sources are counted before the last target is known, each once", .timeLimit(.minutes(1)))
  func countsMeanwhile() async throws {
    let container = MemoryContainer()
    let feeds = 1300
    for number in 0..<feeds {
      container.insert([Fixtures.feed(number, subscribers: 12)])
      container.insert((0..<(number % 20)).map { Fixtures.subscription("feed-\(number)", user: $0) })
    }
    var options = RecountOptions()
    options.strategy = .binned
    // Without an early scan this would wait for ever.
    let outcome = try await Recount(
      AggregateDeclaration.subscribers, schema: Fixtures.schema, container: SlowTargets(base: container),
      grouping: nil, options: options, environment: Fixtures.environment()
    ).run()
    #expect(outcome.status == .done)
    #expect(outcome.result.sources == Int64((0..<feeds).reduce(0) { $0 + $1 % 20 }))
    for number in 0..<feeds {
      #expect(container["feed-\(number)"]?["subscriberCount"] == .int64(Int64(number % 20)))
    }
  }
}
