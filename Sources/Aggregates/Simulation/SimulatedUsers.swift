package import CloudKitModel
internal import Synchronization

/// A container in which each simulated record is created by its user. A container that cannot do this creates them as the
/// caller.
package final class SimulatedUsers: Container {
  private let base: any Container
  private let creators = Mutex<[String: String]>([:])

  package init(_ base: any Container) { self.base = base }

  /// Takes the creators of the records that are written next.
  func expect(_ records: [Record]) {
    let pairs = records.map { ($0.recordName, $0.created?.userRecordName ?? "") }
    creators.withLock { $0 = Dictionary(pairs) { first, _ in first } }
  }

  package var identity: ContainerIdentity { base.identity }
  package var grouping: (any GroupCountingContainer)? { base.grouping }
  package var simulatedUsers: (any SimulatedUsersContainer)? { base.simulatedUsers }
  package var clock: ContainerClock { base.clock }
  package var callerRecordName: String? { base.callerRecordName }
  package func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try await base.lookup(request)
  }

  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    let creators = creators.withLock { known in operations.compactMap { known[$0.recordName ?? ""] } }
    guard let users = base.simulatedUsers, creators.count == operations.count else {
      return try await base.modify(operations)
    }
    return try await users.create(operations, as: creators)
  }
}
