import ContainerFaults
import Synchronization
import Testing

@testable import CloudKitModel

@Suite("Pages") struct ContainerPagingTests {
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

  @Test(
    "a walk ends when 1,000 pages in a row bring no record, and names the marker", .timeLimit(.minutes(1)))
  func emptyPages() async throws {
    let walks: [@Sendable (Barren) async throws -> Void] = [
      { try await $0.forEachPage(of: Query("T")) { _ in } },
      { _ = try await $0.allRecords(Query("T")) },
      { _ = try await $0.firstRecords(Query("T"), limit: 5) },
      { try await $0.walkPages(of: QueryRequest(Query("T"))) { _ in true } },
      { try await $0.followMarkers(of: QueryRequest(Query("T"), continuationMarker: "m7")) { _ in true } },
    ]
    for walk in walks {
      // A record on the 500th page: the pages before it do not count.
      let container = Barren(recordsOn: [500])
      let failure = await #expect(throws: ContainerFailure.self) { try await walk(container) }
      #expect(failure?.kind == .unavailable(retryAfter: nil))
      #expect(failure?.message.contains("query of T brought no record on 1000 pages in a row") == true)
      #expect(failure?.message.contains("'m1500'") == true || failure?.message.contains("'m1507'") == true)
      #expect(container.queries.withLock(\.self) == 1500)
    }
  }

  @Test("999 empty pages in a row are read, and a marker of any length is named in brief")
  func fewerEmptyPages() async throws {
    #expect(try await Barren(recordsOn: [1000], end: 1000).allRecords(Query("T")).count == 1)
    let failure = await #expect(throws: ContainerFailure.self) {
      _ = try await Barren(recordsOn: [], padding: 1000).allRecords(Query("T"))
    }
    #expect((failure?.message.utf8.count ?? .max) < 300)
  }

  @Test("a limit that is reached ends the walk, and says whether more records follow")
  func limit() async throws {
    for (limit, pages, isComplete) in [
      (1, 1, false), (2, 1, false), (3, 2, false), (4, 2, false), (5, 3, false), (6, 3, true), (7, 3, true),
    ] {
      let container = Pairs(pages: 3)
      let found = try await container.firstRecords(Query("T"), limit: limit)
      #expect(found.records.map(\.recordName) == (0..<min(limit, 6)).map(String.init))
      #expect(found.isComplete == isComplete && container.queries.withLock(\.self) == pages, "\(limit)")
    }
  }

  @Test("any number of names is looked up in requests of at most 200, in order")
  func lookups() async throws {
    for (count, sizes) in [
      (0, []), (1, [1]), (199, [199]), (200, [200]), (201, [200, 1]), (401, [200, 200, 1]),
    ] as [(Int, [Int])] {
      let names = (0..<count).map { "r\($0)" }
      let container = FaultyContainer(Pairs(pages: 1))
      #expect(try await container.lookupAll(names).compactMap(\.record?.recordName) == names)
      let requests = container.requests.compactMap {
        if case .lookup(let request) = $0 { request } else { nil }
      }
      #expect(requests.map(\.recordNames.count) == sizes)
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

/// A container that gives ever new markers, and records on few pages.
private final class Barren: ContainerDouble {
  let identity = ContainerIdentity(name: "memory:", environment: .development)
  let queries = Mutex(0)
  private let recordsOn: Set<Int>
  private let end: Int
  private let padding: Int

  init(recordsOn: Set<Int>, end: Int = .max, padding: Int = 0) {
    (self.recordsOn, self.end, self.padding) = (recordsOn, end, padding)
  }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    let page = queries.withLock {
      $0 += 1
      return $0
    }
    let before =
      request.continuationMarker.flatMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) } ?? 0
    let records = recordsOn.contains(page) ? [Record(recordType: "T", recordName: "\(page)")] : []
    let marker = "m\(before + 1)" + String(repeating: "x", count: padding)
    return QueryPage(records: records, continuationMarker: page == end ? nil : marker)
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { [] }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
}

/// A container of empty pages whose markers repeat after the first few.
private final class Circle: ContainerDouble {
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
private final class Pairs: ContainerDouble {
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

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    request.recordNames.map { .record(Record(recordType: "T", recordName: $0)) }
  }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
}
