import CloudKitModel
import ContainerFaults
import Synchronization

/// Records in memory, read by pages of two, for tests of what only reads; writes go through ``apply(_:)``.
final class MemoryContainer: ContainerDouble {
  let identity = ContainerIdentity(name: "memory:", environment: .development)
  private let state = Mutex(State())

  /// Whether its schema has the field for the slugs of feeds; an older one refuses a query of it.
  private let storesSlugs: Bool
  /// Whether the key may read subscriptions.
  private let hidesSubscriptions: Bool

  private struct State {
    var records: [String: Record] = [:]
    var queries = 0
    var hidden: Set<String> = []
    var tag = 0
  }

  init(_ records: [Record] = [], storesSlugs: Bool = true, hidesSubscriptions: Bool = false) {
    self.storesSlugs = storesSlugs
    self.hidesSubscriptions = hidesSubscriptions
    for record in records { put(record) }
  }

  subscript(name: String) -> Record? { state.withLock { $0.records[name] } }
  var count: Int { state.withLock { $0.records.count } }
  /// Pages that were asked for.
  var queries: Int { state.withLock { $0.queries } }

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
    let query = request.query
    if !storesSlugs, query.filters.contains(where: { $0.field.storedName == "slug" }) {
      throw ServerError(.badRequest, "Did not find field: 'slug'")
    }
    if hidesSubscriptions, query.recordType == "FeedSubscription" {
      throw ServerError(.accessDenied, "not permitted")
    }
    let matches = state.withLock { state in
      state.queries += 1
      return state.records.values
        .filter { record in
          record.recordType == query.recordType && !state.hidden.contains(record.recordName)
            && query.filters.allSatisfy { filter in
              let values = filter.value.elements ?? [filter.value]
              return record[filter.field.storedName].map(values.contains) ?? false
            }
        }
        .sorted { $0.recordName < $1.recordName }
    }
    let start = request.continuationMarker.flatMap(Int.init) ?? 0
    let size = query.recordType == "FeedSubscription" ? 200 : 2
    let page = matches.dropFirst(start).prefix(size).map { $0.reduced(to: request.desiredKeys) }
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
