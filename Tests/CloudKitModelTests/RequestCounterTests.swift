import CloudKitModel
import Testing

@Suite("Request counter") struct RequestCounterTests {
  private struct Empty: Container {
    let identity = ContainerIdentity(name: "memory:", environment: .development)
    func query(_ request: QueryRequest) async throws -> QueryPage { QueryPage(records: []) }
    func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { [] }
    func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
  }

  @Test("each request counts once, by its kind")
  func counts() async throws {
    let counter = RequestCounter(Empty())
    _ = try await counter.query(QueryRequest(Query("A")))
    for _ in 0..<2 { _ = try await counter.lookup(LookupRequest(["a"])) }
    for _ in 0..<3 { _ = try await counter.modify([]) }
    #expect(counter.counts.query == 1 && counter.counts.lookup == 2 && counter.counts.modify == 3)
  }
}
