import CloudKitModel
import Synchronization
import Testing

@Suite struct ReadProgressContainerTests {
  private struct Rows: Container {
    let identity = ContainerIdentity(name: "memory:", environment: .development)
    func query(_ request: QueryRequest) async throws -> QueryPage {
      QueryPage(records: [Record(recordType: "A", recordName: "a"), Record(recordType: "A", recordName: "b")])
    }
    func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
      [.record(Record(recordType: "A", recordName: "a"))]
    }
    func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
  }

  @Test("records of queries and lookups add up; writing reports nothing")
  func counts() async throws {
    let seen = Mutex<[Int]>([])
    let monitor = ReadProgressContainer(Rows()) { count in seen.withLock { $0.append(count) } }
    #expect(try await monitor.query(QueryRequest(Query("A"))).records.count == 2)
    #expect(try await monitor.lookup(LookupRequest(["a"])).count == 1)
    _ = try await monitor.modify([])
    #expect(seen.withLock { $0 } == [2, 3])
  }
}
