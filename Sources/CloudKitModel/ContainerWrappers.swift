internal import Synchronization

/// A container that passes on to another one what it does not do itself.
package protocol ContainerWrapper: Container {
  var base: any Container { get }
}

extension ContainerWrapper {
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
    try await base.modify(operations)
  }
}

/// A container that refuses every write. Dry runs use it, so that no mistake in a job can write.
package struct ReadOnlyContainer: ContainerWrapper {
  package let base: any Container

  package init(_ base: any Container) { self.base = base }

  package var simulatedUsers: (any SimulatedUsersContainer)? { nil }

  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    throw ContainerFailure(
      .readOnly, "a dry run tried to write \(operations.count) records to \(identity.name)")
  }
}

/// A container that reports how many records have been read through it, so that a command can show progress.
package final class ReadProgressContainer: ContainerWrapper {
  package let base: any Container
  private let ignored: Set<String>
  private let onRead: @Sendable (_ records: Int) -> Void
  private let records = Mutex(0)

  /// - Parameters:
  ///   - ignored: types whose records are not progress, such as those of leases, which a waiting run reads again and again.
  ///   - onRead: called after each answer with the number of records read so far.
  package init(
    _ base: any Container, ignoring ignored: Set<String> = [],
    onRead: @escaping @Sendable (_ records: Int) -> Void
  ) {
    self.base = base
    self.ignored = ignored
    self.onRead = onRead
  }

  package func query(_ request: QueryRequest) async throws -> QueryPage {
    let page = try await base.query(request)
    count(page.records.count)
    return page
  }

  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    let outcomes = try await base.lookup(request)
    count(outcomes.count { $0.record.map { !ignored.contains($0.recordType) } ?? false })
    return outcomes
  }

  private func count(_ read: Int) {
    guard read > 0 else { return }
    onRead(
      records.withLock {
        $0 += read
        return $0
      })
  }
}

package struct RequestCounts: Sendable, Hashable, Codable {
  package var query = 0
  package var lookup = 0
  package var modify = 0

  package init() {}
}

package final class RequestCountingContainer: ContainerWrapper {
  package let base: any Container
  private let state = Mutex(RequestCounts())

  package init(_ base: any Container) { self.base = base }

  package var counts: RequestCounts { state.withLock { $0 } }

  package func query(_ request: QueryRequest) async throws -> QueryPage {
    state.withLock { $0.query += 1 }
    return try await base.query(request)
  }

  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    state.withLock { $0.lookup += 1 }
    return try await base.lookup(request)
  }

  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    state.withLock { $0.modify += 1 }
    return try await base.modify(operations)
  }
}
