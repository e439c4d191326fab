import CloudKitModel
import ContainerFaults
import Testing

@testable import Aggregates

@Suite("Counting by the container's own grouping") struct PushdownScanTests {
  @Test("many batches are tallied to the last group")
  func batches() async throws {
    let container = MemoryContainer()
    container.insert((0..<2345).map { Fixtures.feed($0) })
    let outcome = try await recount(container, Groups(container: container) { _ in }).run()
    #expect(outcome.result.sources == 2345 * 3)
    #expect(outcome.result.written == 2345)
    #expect(container["feed-2344"]?["subscriberCount"] == .int64(3))
  }

  @Test("a failure of the counting ends the run, whatever was tallied before it")
  func failure() async throws {
    let container = MemoryContainer()
    container.insert((0..<2345).map { Fixtures.feed($0) })
    let failing = Groups(container: container) { number in
      if number == 1500 { throw ContainerFailure(.storage, "the disk is gone") }
    }
    await #expect(throws: ContainerFailure.self) { try await recount(container, failing).run() }
    #expect(container.modifies == 0)
  }

  @Test("a cancelled run never writes what was tallied so far")
  func cancelled() async throws {
    let container = MemoryContainer()
    container.insert((0..<2345).map { Fixtures.feed($0) })
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let held = Groups(container: container) { number in
      guard number == 1500 else { return }
      beginning.finish()
      // Until the run is cancelled; then it goes on as if nothing had happened.
      try? await Task.sleep(for: .seconds(600))
    }
    let run = Task { try await recount(container, held).run() }
    for await _ in begun {}
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(container.modifies == 0)
  }

  private func recount(_ container: MemoryContainer, _ grouping: Groups) throws -> Recount {
    var declaration = try #require(AggregateDeclaration.builtIn(for: Fixtures.schema).first)
    declaration.targets.removeLast(declaration.targets.count - 1)
    return Recount(
      declaration, schema: Fixtures.schema, container: grouping,
      dependencies: Fixtures.environment())
  }
}

/// Counts three sources of each feed, and stops before a group to do something else.
private struct Groups: ContainerDouble, GroupCountingContainer {
  let container: MemoryContainer
  let before: @Sendable (Int) async throws -> Void

  var identity: ContainerIdentity { container.identity }
  var grouping: (any GroupCountingContainer)? { self }
  func query(_ request: QueryRequest) async throws -> QueryPage { try await container.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try await container.lookup(request)
  }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await container.modify(operations)
  }

  func countGroups(_ request: GroupCountRequest, _ body: @escaping @Sendable ([GroupCount]) -> Void)
    async throws -> Int64
  {
    for number in 0..<2345 {
      try await before(number)
      body([GroupCount(group: "feed-\(number)", records: 3)])
    }
    return 0
  }
}
