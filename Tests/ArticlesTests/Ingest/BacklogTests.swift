import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import LocalContainer
import Synchronization
import Testing

/// A container whose first write of articles takes as long as the fetches go on.
private final class SlowContainer: ContainerDouble {
  private let base: LocalContainer
  private let isWriting = Mutex(false)
  private let wait: @Sendable () async -> Void

  init(_ base: LocalContainer, _ wait: @escaping @Sendable () async -> Void) {
    self.base = base
    self.wait = wait
  }

  var identity: ContainerIdentity { base.identity }
  var clock: ContainerClock { base.clock }
  func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    let isFirst = isWriting.withLock { writing in
      defer { writing = true }
      return !writing
    }
    if isFirst { await wait() }
    return try await base.modify(operations)
  }
}

/// Documents that wait to be stored.
@Suite struct BacklogTests {
  private static let feeds = 1000
  private static let items = 20
  private static let concurrency = 10

  @Test("while articles are written slowly, fetches wait, and all of them are stored in the end")
  func slow() async throws {
    let names = (0..<Self.feeds).map { "f\($0)" }
    let world = try await ArticleWorld(feeds: names)
    for name in names {
      world.serve(TestItem.list((0..<Self.items).map { "\(name)-\($0)" }), at: name, etag: nil)
    }
    let fetched = Mutex(0)
    let container = SlowContainer(world.container) {
      // The fetches go on until nothing moves any more.
      var (seen, turns) = (0, 0)
      while turns < 2000 {
        await Task.yield()
        let count = world.web.requests.count
        (seen, turns) = count == seen ? (seen, turns + 1) : (count, 0)
      }
      fetched.withLock { $0 = seen }
    }
    let result = try await world.run(on: container) { $0.concurrency = Self.concurrency }
    #expect(result.articles?.written == Self.feeds * Self.items)
    // 2,000 items are being written, and 2,000 wait; each fetch in flight adds a document.
    let most = 2 * (2000 / Self.items + 1) + Self.concurrency
    #expect((100...most).contains(fetched.withLock(\.self)), "\(fetched.withLock(\.self))")
  }
}
