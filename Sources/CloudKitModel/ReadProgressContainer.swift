internal import Synchronization

/// A container that reports how many records have been read through it, so that a command can show progress.
public final class ReadProgressContainer: Container {
  private let base: any Container
  private let onRead: @Sendable (_ records: Int) -> Void
  private let records = Mutex(0)

  /// - Parameter onRead: called after each answer with the number of records read so far.
  public init(_ base: any Container, onRead: @escaping @Sendable (_ records: Int) -> Void) {
    self.base = base
    self.onRead = onRead
  }

  public var identity: ContainerIdentity { base.identity }
  public var grouping: (any GroupCountingContainer)? { base.grouping }
  public var serviceTime: Timestamp? { base.serviceTime }

  public func query(_ request: QueryRequest) async throws -> QueryPage {
    let page = try await base.query(request)
    count(page.records.count)
    return page
  }

  public func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    let outcomes = try await base.lookup(request)
    count(outcomes.count)
    return outcomes
  }

  public func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await base.modify(operations)
  }

  private func count(_ read: Int) {
    onRead(
      records.withLock {
        $0 += read
        return $0
      })
  }
}
