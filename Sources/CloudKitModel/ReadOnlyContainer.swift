/// A container that refuses every write. Dry runs use it, so that no mistake in a job can write.
public struct ReadOnlyContainer: Container {
  private let base: any Container

  public init(_ base: any Container) { self.base = base }

  public var identity: ContainerIdentity { base.identity }
  public var grouping: (any GroupCountingContainer)? { base.grouping }
  public var serviceTime: Timestamp? { base.serviceTime }
  public func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  public func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try await base.lookup(request)
  }
  public func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    throw ContainerFailure(
      .readOnly, "a dry run tried to write \(operations.count) records to \(identity.name)")
  }
}
