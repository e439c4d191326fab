package import CloudKitModel
import Synchronization

/// A container whose requests a test disturbs. The container below answers what is not disturbed.
package final class FaultyContainer: Container {
  package enum Request: Sendable {
    case query(QueryRequest)
    case lookup(LookupRequest)
    case modify([RecordOperation])
  }

  package enum Fault: Sendable {
    /// Nothing is carried out, and the error is thrown.
    case refuse(any Error)
    /// Nothing is carried out, and every record has the error.
    case eachRecord(ServerError)
    /// The request is carried out, and every record has the error nevertheless.
    case eachRecordAfter(ServerError)
    /// The request is carried out, then the closure runs. An error that it throws takes the place of the reply.
    case after(@Sendable () async throws -> Void)

    package static let loseRequest = Fault.refuse(ContainerFailure(.outcomeUnknown, "connection reset"))
    package static let loseReply = Fault.after { throw ContainerFailure(.outcomeUnknown, "connection reset") }
  }

  private struct State {
    var requests: [Request] = []
    var writes: [String: Int] = [:]
  }

  package let base: any Container
  package let clock: ContainerClock
  private let fault: @Sendable (Request) async throws -> Fault?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - clock: `nil` has that of the container below.
  ///   - fault: the fault of a request; `nil` leaves the request undisturbed. It may also change the container
  ///     below before the request is carried out.
  package init(
    _ base: any Container, clock: ContainerClock? = nil,
    fault: @escaping @Sendable (Request) async throws -> Fault? = { _ in nil }
  ) {
    self.base = base
    self.clock = clock ?? base.clock
    self.fault = fault
  }

  /// Disturbs requests that write, one after the other; later ones than these are left undisturbed.
  package convenience init(_ base: any Container, writes faults: [Fault?]) {
    let left = Mutex(faults[...])
    self.init(base) { request in
      guard case .modify = request else { return nil }
      return left.withLock { $0.popFirst() } ?? nil
    }
  }

  // MARK: What happened

  package var requests: [Request] { state.withLock(\.requests) }

  /// The number of operations in each request to write.
  package var requestSizes: [Int] {
    requests.compactMap { if case .modify(let operations) = $0 { operations.count } else { nil } }
  }

  /// How often each record was created or changed through this container.
  package var writes: [String: Int] { state.withLock(\.writes) }

  // MARK: Container

  package var identity: ContainerIdentity { base.identity }
  /// Like a service, it counts no groups, knows no users but real ones, and does not say who sends its requests.
  package var grouping: (any GroupCountingContainer)? { nil }
  package var simulatedUsers: (any SimulatedUsersContainer)? { nil }
  package var callerRecordName: String? { nil }

  package func query(_ request: QueryRequest) async throws -> QueryPage {
    switch try await next(.query(request)) {
    case nil: return try await base.query(request)
    case .refuse(let error): throw error
    case .eachRecord(let error), .eachRecordAfter(let error): throw error
    case .after(let body):
      let page = try await base.query(request)
      try await body()
      return page
    }
  }

  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try await disturbed(.lookup(request), request.recordNames) { try await base.lookup(request) }
  }

  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await disturbed(.modify(operations), operations.map { $0.recordName ?? "" }) {
      let outcomes = try await base.modify(operations)
      state.withLock { state in
        for record in outcomes.compactMap(\.record) { state.writes[record.recordName, default: 0] += 1 }
      }
      return outcomes
    }
  }

  private func disturbed(
    _ request: Request, _ names: [String], _ carryOut: () async throws -> [RecordOutcome]
  ) async throws -> [RecordOutcome] {
    switch try await next(request) {
    case nil: return try await carryOut()
    case .refuse(let error): throw error
    case .eachRecord(let error): return names.map { .failed(recordName: $0, error) }
    case .eachRecordAfter(let error):
      _ = try await carryOut()
      return names.map { .failed(recordName: $0, error) }
    case .after(let body):
      let outcomes = try await carryOut()
      try await body()
      return outcomes
    }
  }

  /// The fault of the request. As from the service, an error has the id of its reply.
  private func next(_ request: Request) async throws -> Fault? {
    let id = state.withLock { state in
      state.requests.append(request)
      return "request-\(state.requests.count)"
    }
    func identified(_ error: ServerError) -> ServerError {
      var error = error
      error.uuid = id
      return error
    }
    switch try await fault(request) {
    case .refuse(let error as ServerError): return .refuse(identified(error))
    case .eachRecord(let error): return .eachRecord(identified(error))
    case .eachRecordAfter(let error): return .eachRecordAfter(identified(error))
    case let fault: return fault
    }
  }
}
