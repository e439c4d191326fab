import CloudKitModel
import Synchronization
import Testing

@Suite("Pages") struct PagingTests {
  @Test(
    "markers that go in circles end every walk over pages, however long the circle",
    .timeLimit(.minutes(1)), arguments: [1, 2, 3, 7, 100])
  func circles(length: Int) async throws {
    let container = Circle(length: length, lead: 5)
    let walks: [@Sendable () async throws -> Void] = [
      { try await container.forEachPage(of: Query("T")) { _ in } },
      { _ = try await container.allRecords(Query("T")) },
      { _ = try await container.firstRecords(Query("T"), limit: nil) },
      { _ = try await container.firstRecords(Query("T"), limit: 100) },
    ]
    for walk in walks {
      let failure = await #expect(throws: ContainerFailure.self) { try await walk() }
      #expect(failure?.kind == .unavailable(retryAfter: nil))
      #expect(failure?.message.contains("the query of T repeat") == true)
    }
    #expect(container.queries.withLock(\.self) < walks.count * (5 + length * 4 + 4))
  }

  @Test("a long walk without circles reads every page")
  func straight() async throws {
    let container = Circle(length: .max, lead: 1000)
    #expect(try await container.allRecords(Query("T")).isEmpty)
    #expect(container.queries.withLock(\.self) == 1000)
  }

  @Test("a limit that is reached ends the walk, and says whether more records follow")
  func limit() async throws {
    for (limit, pages, isComplete) in [
      (1, 1, false), (2, 1, false), (3, 2, false), (6, 3, true), (7, 3, true),
    ] {
      let container = Pairs(pages: 3)
      let found = try await container.firstRecords(Query("T"), limit: limit)
      #expect(found.records.map(\.recordName) == (0..<min(limit, 6)).map(String.init))
      #expect(found.isComplete == isComplete && container.queries.withLock(\.self) == pages, "\(limit)")
    }
  }

  @Test("only NOT_FOUND means that there is no record; another refusal is thrown")
  func found() throws {
    let record = Record(recordType: "T", recordName: "a")
    #expect(try RecordOutcome.record(record).found == record)
    #expect(try RecordOutcome.failed(recordName: "a", ServerError(.notFound, "")).found == nil)
    let refused = RecordOutcome.failed(recordName: "a", ServerError(.throttled, "busy"))
    #expect(throws: ServerError.self) { try refused.found }
  }
}

/// A container of empty pages whose markers repeat after the first few.
private final class Circle: Container {
  let identity = ContainerIdentity(name: "memory:", environment: .development)
  let queries = Mutex(0)
  private let length: Int
  private let lead: Int

  /// - Parameter length: `Int.max` for results that end after the lead.
  init(length: Int, lead: Int) { (self.length, self.lead) = (length, lead) }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    queries.withLock { $0 += 1 }
    let next = (request.continuationMarker.flatMap(Int.init) ?? 0) + 1
    if length == .max { return QueryPage(records: [], continuationMarker: next < lead ? "\(next)" : nil) }
    return QueryPage(records: [], continuationMarker: "\(next < lead + length ? next : lead)")
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { [] }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
}

/// So many pages of two records each.
private final class Pairs: Container {
  private let pages: Int
  let queries = Mutex(0)
  let identity = ContainerIdentity(name: "memory:", environment: .development)

  init(pages: Int) { self.pages = pages }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    queries.withLock { $0 += 1 }
    let page = request.continuationMarker.flatMap(Int.init) ?? 0
    let names = [page * 2, page * 2 + 1].map(String.init)
    return QueryPage(
      records: names.map { Record(recordType: "T", recordName: $0) },
      continuationMarker: page + 1 < pages ? String(page + 1) : nil)
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { [] }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
}
