import CloudKitModel
import Synchronization

/// A container of records in memory whose faults a test decides: the executor's counterpart in these tests.
final class FaultyContainer: Container {
  enum Fault: Sendable {
    /// Refuse the whole request.
    case refuse(ServerError)
    /// Carry the request out, then lose the reply.
    case loseReply
    /// Never receive the request.
    case loseRequest
    /// Carry out nothing, and give this for every record.
    case eachRecord(ServerError)
    /// The retry budget of the transport is spent.
    case unavailable
  }

  struct State {
    var records: [String: Record] = [:]
    var writes: [String: Int] = [:]
    var faults: [Fault?] = []
    var requestSizes: [Int] = []
    var nextTag = 1
    /// Refused whenever it is in a request.
    var poison: String?
    /// Look-ups that fail from now on.
    var lostLookups = 0
    /// The fields that each look-up asked for.
    var lookedUp: [[String]?] = []
    /// What something in front of the service lets through.
    var maxOperations: Int?
    /// Replies so far: each has an id of its own.
    var replies = 0
  }

  let identity = ContainerIdentity(name: "memory:", environment: .development)
  let state = Mutex(State())

  init(_ records: [Record] = [], faults: [Fault?] = []) {
    state.withLock { state in
      for record in records { state.store(record) }
      state.writes = [:]
      state.faults = faults
    }
  }

  func record(_ name: String) -> Record? { state.withLock { $0.records[name] } }
  func writes(of name: String) -> Int { state.withLock { $0.writes[name, default: 0] } }
  var requestSizes: [Int] { state.withLock(\.requestSizes) }

  /// What somebody else does meanwhile.
  func edit(_ name: String, _ body: (inout Record) -> Void) {
    state.withLock { state in
      guard var record = state.records[name] else { return }
      body(&record)
      state.store(record)
    }
  }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    QueryPage(records: state.withLock { Array($0.records.values) })
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try state.withLock { state in
      state.lookedUp.append(request.desiredKeys)
      if state.lostLookups > 0 {
        state.lostLookups -= 1
        throw ContainerFailure(.outcomeUnknown, "the connection was lost")
      }
      return
        request.recordNames.map { name in
          state.records[name].map(RecordOutcome.record)
            ?? .failed(recordName: name, ServerError(.notFound, "Record not found"))
        }
    }
  }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try state.withLock { state in
      state.requestSizes.append(operations.count)
      if let poison = state.poison, operations.contains(where: { $0.recordName == poison }) {
        throw ServerError(.badRequest, "BadRequestException: Unexpected input")
      }
      if let most = state.maxOperations, operations.count > most {
        throw ContainerFailure(.tooLarge, "HTTP status 413")
      }
      let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
      switch fault {
      case nil: return operations.map { state.apply($0) }
      case .refuse(let error): throw state.identified(error)
      case .unavailable: throw ContainerFailure(.unavailable(retryAfter: .seconds(60)), "throttled")
      case .loseRequest: throw ContainerFailure(.outcomeUnknown, "connection reset")
      case .loseReply:
        _ = operations.map { state.apply($0) }
        throw ContainerFailure(.outcomeUnknown, "connection reset")
      case .eachRecord(let error):
        return operations.map { .failed(recordName: $0.recordName, state.identified(error)) }
      }
    }
  }
}

extension FaultyContainer.State {
  /// As the service gives it: with the id of the reply.
  mutating func identified(_ error: ServerError) -> ServerError {
    var error = error
    replies += 1
    error.uuid = "request-\(replies)"
    return error
  }

  mutating func store(_ record: Record) {
    var record = record
    record.changeTag = "t\(nextTag)"
    nextTag += 1
    records[record.recordName] = record
    writes[record.recordName, default: 0] += 1
  }

  mutating func apply(_ operation: RecordOperation) -> RecordOutcome {
    let name = operation.recordName ?? "unnamed"
    let existing = records[name]
    switch (operation.kind, existing) {
    case (.create, .some):
      return .failed(recordName: name, ServerError(.conflict, "record to insert already exists"))
    case (.update, nil),
      (.update, .some) where operation.changeTag != existing?.changeTag:
      return .failed(recordName: name, ServerError(.conflict, "client oplock error updating record"))
    case (.delete, _):
      records[name] = nil
      return .deleted(recordName: name)
    default:
      var record = existing ?? Record(recordType: operation.recordType ?? "", recordName: name)
      for (field, value) in operation.fields { record.fields[field] = value }
      store(record)
      return .record(records[name] ?? record)
    }
  }
}
