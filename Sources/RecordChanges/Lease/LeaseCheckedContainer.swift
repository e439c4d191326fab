internal import CloudKitModel

/// A container that checks the lease before every write.
struct LeaseCheckedContainer: Container {
  let base: any Container
  let lease: JobLease

  var identity: ContainerIdentity { base.identity }
  var grouping: (any GroupCountingContainer)? { base.grouping }
  var serviceTime: Timestamp? { base.serviceTime }

  func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await lease.confirm()
    do {
      let outcomes = try await base.modify(operations)
      if outcomes.contains(where: { $0.error != nil }) { await lease.doubt() }
      return outcomes
    } catch {
      await lease.doubt()
      throw error
    }
  }
}
