import CloudKitModel
import ContainerFaults
import Synchronization
import Testing

@Suite struct ReadProgressContainerTests {
  private struct Rows: ContainerDouble {
    let identity = ContainerIdentity(name: "memory:", environment: .development)
    func query(_ request: QueryRequest) async throws -> QueryPage {
      QueryPage(records: [Record(recordType: "A", recordName: "a"), Record(recordType: "A", recordName: "b")])
    }
    func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
      request.recordNames.map { .record(Record(recordType: "A", recordName: $0)) }
    }
    func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
  }

  @Test(
    "records that are read add up; writing, and reading leases while another run holds one, report nothing")
  func counts() async throws {
    let seen = Mutex<[Int]>([])
    let rows = ReadProgressContainer(Rows()) { count in seen.withLock { $0.append(count) } }
    #expect(try await rows.query(QueryRequest(Query("A"))).records.count == 2)
    #expect(try await rows.lookup(LookupRequest(["a", "b"])).count == 2)
    _ = try await rows.modify([])
    let leases = ReadProgressContainer(Rows(), ignoring: ["A"]) { count in seen.withLock { $0.append(count) }
    }
    #expect(try await leases.lookup(LookupRequest(["a", "b", "c"])).count == 3)
    #expect(seen.withLock { $0 } == [2, 4])
  }
}

@Suite("Request counter") struct RequestCountingContainerTests {
  private struct Empty: ContainerDouble {
    let identity = ContainerIdentity(name: "memory:", environment: .development)
    func query(_ request: QueryRequest) async throws -> QueryPage { QueryPage(records: []) }
    func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { [] }
    func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
  }

  /// A container that has what others lack.
  private struct Able: Container, GroupCountingContainer, SimulatedUsersContainer {
    let identity = ContainerIdentity(name: "memory:", environment: .development)
    var grouping: (any GroupCountingContainer)? { self }
    var simulatedUsers: (any SimulatedUsersContainer)? { self }
    var clock: ContainerClock { .service(at: Timestamp(milliseconds: 7)) }
    var callerRecordName: String? { "_key" }
    func query(_ request: QueryRequest) async throws -> QueryPage { QueryPage(records: []) }
    func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { [] }
    func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
    func create(_ operations: [RecordOperation], as creators: [String]) async throws -> [RecordOutcome] { [] }
    func countGroups(_ request: GroupCountRequest, _ body: @escaping @Sendable ([GroupCount]) -> Void)
      async throws -> Int64
    { 0 }
  }

  @Test("a container that is wrapped can do what it could before, but a dry run simulates no users")
  func abilities() async throws {
    let wrapped: [any Container] = [
      RequestCountingContainer(Able()), ReadOnlyContainer(Able()), ReadProgressContainer(Able()) { _ in },
      WholeReadingContainer(Able(), ReadingRights(Able(), usual: { [] }, schema: { nil })),
    ]
    for container in wrapped {
      #expect(container.grouping != nil && container.callerRecordName == "_key")
      #expect(container.clock.now == Timestamp(milliseconds: 7) && !container.clock.isLocal)
      #expect(try await container.clock.time() == Able().clock.time())
      #expect((container.simulatedUsers == nil) == (container is ReadOnlyContainer))
    }
    #expect(RequestCountingContainer(Empty()).grouping == nil)
  }

  @Test("each request counts once, by its kind")
  func counts() async throws {
    let counter = RequestCountingContainer(Empty())
    _ = try await counter.query(QueryRequest(Query("A")))
    for _ in 0..<2 { _ = try await counter.lookup(LookupRequest(["a"])) }
    for _ in 0..<3 { _ = try await counter.modify([]) }
    #expect(counter.counts.query == 1 && counter.counts.lookup == 2 && counter.counts.modify == 3)
  }
}
