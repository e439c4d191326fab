import Synchronization

/// The number of requests that a job made, by kind.
public struct RequestCounts: Sendable, Hashable, Codable {
  public var query = 0
  public var lookup = 0
  public var modify = 0

  public init() {}
}

/// A container that counts the requests to another container.
public final class RequestCountingContainer: Container {
  private let base: any Container
  private let state = Mutex(RequestCounts())

  public init(_ base: any Container) { self.base = base }

  public var counts: RequestCounts { state.withLock { $0 } }
  public var identity: ContainerIdentity { base.identity }
  public var grouping: (any GroupCountingContainer)? { base.grouping }
  public var serviceTime: Timestamp? { base.serviceTime }

  public func query(_ request: QueryRequest) async throws -> QueryPage {
    state.withLock { $0.query += 1 }
    return try await base.query(request)
  }

  public func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    state.withLock { $0.lookup += 1 }
    return try await base.lookup(request)
  }

  public func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    state.withLock { $0.modify += 1 }
    return try await base.modify(operations)
  }
}
