import CloudKitModel
import Synchronization

/// Records in memory, read by pages of two, for tests of what only reads; writes go through ``apply(_:)``.
final class MemoryContainer: Container {
  let identity = ContainerIdentity(name: "memory:", environment: .development)
  private let state = Mutex(State())

  private struct State {
    var records: [String: Record] = [:]
    var hidden: Set<String> = []
    var tag = 0
  }

  init(_ records: [Record] = []) {
    for record in records { put(record) }
  }

  subscript(name: String) -> Record? { state.withLock { $0.records[name] } }
  var count: Int { state.withLock { $0.records.count } }

  func put(_ record: Record) {
    state.withLock { state in
      state.tag += 1
      var record = record
      record.changeTag = String(state.tag)
      state.records[record.recordName] = record
    }
  }

  func remove(_ name: String) { state.withLock { $0.records[name] = nil } }

  /// Keeps records out of query results, as an index that lags behind does.
  func hideFromQueries(_ names: some Sequence<String>) { state.withLock { $0.hidden.formUnion(names) } }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    let matches = state.withLock { state in
      state.records.values
        .filter { $0.recordType == request.query.recordType && !state.hidden.contains($0.recordName) }
        .sorted { $0.recordName < $1.recordName }
    }
    let start = request.continuationMarker.flatMap(Int.init) ?? 0
    let page = matches.dropFirst(start).prefix(2).map { $0.reduced(to: request.desiredKeys) }
    let end = start + page.count
    return QueryPage(records: page, continuationMarker: end < matches.count ? String(end) : nil)
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    request.recordNames.map { name in
      self[name].map { .record($0.reduced(to: request.desiredKeys)) }
        ?? .failed(recordName: name, ServerError(.notFound, "Record not found"))
    }
  }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    operations.map { operation in
      let name = operation.recordName ?? ""
      let current = self[name]
      switch operation.kind {
      case .create where current != nil: return .failed(recordName: name, ServerError(.exists, "exists"))
      case .update where current?.changeTag != operation.changeTag:
        return .failed(recordName: name, ServerError(.conflict, "conflict"))
      case .delete:
        state.withLock { $0.records[name] = nil }
        return .deleted(recordName: name)
      default: break
      }
      var record = current ?? Record(recordType: operation.recordType ?? "", recordName: name)
      for (field, value) in operation.fields { record.fields[field] = value }
      put(record)
      return self[name].map(RecordOutcome.record) ?? .deleted(recordName: name)
    }
  }
}

extension Record {
  fileprivate func reduced(to keys: [String]?) -> Record {
    guard let keys else { return self }
    var record = self
    record.fields = fields.filter { keys.contains($0.key) }
    return record
  }
}
