import CloudKitModel
import Synchronization
import Testing

@testable import Aggregates

@Suite("Counting while the targets are still being read") struct EarlyScanTests {
  /// Lets later pages of feeds, and the sources of one feed, wait until those of another were asked for. Fails no
  /// query.
  private struct SlowTargets: Container {
    let base: MemoryContainer
    /// Pages of feeds that do not wait.
    var pages = 5
    /// Whose sources must be asked for; those of any feed when it is `nil`.
    var opener: String?
    var waiting: String?
    let gate = Gate()

    var identity: ContainerIdentity { base.identity }
    func query(_ request: QueryRequest) async throws -> QueryPage {
      let names = request.query.filters.first?.value.elements?.compactMap(\.string) ?? []
      if request.query.recordType == "FeedSubscription", opener.map(names.contains) ?? true {
        await gate.open()
      }
      if let waiting, names.contains(waiting) { await gate.wait() }
      if request.query.recordType == "PublicFeed", await gate.countPage() > pages { await gate.wait() }
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

  @Test("sources are counted before the last target is known, each once", .timeLimit(.minutes(5)))
  func countsMeanwhile() async throws {
    try await count(feeds: 1300) { SlowTargets(base: $0) }
  }

  @Test("one long query does not keep the feeds read after it waiting", .timeLimit(.minutes(5)))
  func straggler() async throws {
    try await count(feeds: 2300) {
      SlowTargets(base: $0, pages: 10, opener: "feed-1500", waiting: "feed-0")
    }
  }

  private func count(feeds: Int, _ slow: (MemoryContainer) -> SlowTargets) async throws {
    let container = MemoryContainer()
    for number in 0..<feeds {
      container.insert([Fixtures.feed(number, subscribers: 12)])
      container.insert((0..<(number % 20)).map { Fixtures.subscription("feed-\(number)", user: $0) })
    }
    var options = RecountOptions()
    options.strategy = .binned
    // Without an early scan this would wait for ever.
    let outcome = try await Recount(
      AggregateDeclaration.subscribers, schema: Fixtures.schema, container: slow(container),
      grouping: nil, options: options, environment: Fixtures.environment()
    ).run()
    #expect(outcome.status == .done)
    #expect(outcome.result.sources == Int64((0..<feeds).reduce(0) { $0 + $1 % 20 }))
    for number in 0..<feeds {
      #expect(container["feed-\(number)"]?["subscriberCount"] == .int64(Int64(number % 20)))
    }
  }
}
