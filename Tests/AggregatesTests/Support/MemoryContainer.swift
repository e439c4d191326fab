import CloudKitModel
import ContainerFaults
import SchemaLanguage
import Synchronization

/// A container in memory that a test can disturb. It knows the comparators and operations that recounts use, and
/// refuses the rest.
final class MemoryContainer: ContainerDouble {
  typealias Fault = @Sendable (_ query: QueryRequest, _ number: Int) throws -> Void

  fileprivate struct State {
    var records: [String: Record] = [:]
    var order: [String] = []
    var tag = 0
    var queries = 0
    var modifies = 0
    var conflicts = 0
  }

  let identity = ContainerIdentity(name: "memory:", environment: .development)
  private let state = Mutex(State())
  private let pageSize: Int
  private let fault: Fault
  /// The tag changes under every first write of a record, as with a busy second writer.
  private let contended: Bool

  init(pageSize: Int = 200, contended: Bool = false, fault: @escaping Fault = { _, _ in }) {
    self.pageSize = pageSize
    self.contended = contended
    self.fault = fault
  }

  var modifies: Int { state.withLock { $0.modifies } }
  var queries: Int { state.withLock { $0.queries } }

  subscript(name: String) -> Record? { state.withLock { $0.records[name] } }

  func insert(_ records: some Sequence<Record>) {
    state.withLock { state in for record in records { state.save(record) } }
  }

  func delete(_ name: String) { state.withLock { $0.records[name] = nil } }

  func count(_ type: String, where matches: (Record) -> Bool = { _ in true }) -> Int {
    state.withLock { $0.records.values.count { $0.recordType == type && matches($0) } }
  }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    let number = state.withLock { state in
      state.queries += 1
      return state.queries
    }
    try fault(request, number)
    return try state.withLock { state in
      var page = QueryPage(records: [])
      var place = request.continuationMarker.flatMap(Int.init) ?? 0
      while place < state.order.count {
        if let record = state.records[state.order[place]], try record.matches(request.query) {
          if page.records.count == pageSize {
            page.continuationMarker = String(place)
            return page
          }
          page.records.append(record.keeping(request.desiredKeys))
        }
        place += 1
      }
      return page
    }
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    state.withLock { state in
      request.recordNames.map { name in
        state.records[name].map { .record($0.keeping(request.desiredKeys)) }
          ?? .failed(recordName: name, ServerError(.notFound, "Record not found"))
      }
    }
  }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try Task.checkCancellation()
    return state.withLock { state in
      // A lease is not what a run is about.
      if operations.contains(where: { $0.recordType != "AdminLease" }) { state.modifies += 1 }
      return operations.map { state.apply($0, contended: contended) }
    }
  }
}

extension MemoryContainer.State {
  mutating func save(_ record: Record) {
    tag += 1
    var record = record
    record.changeTag = "t\(tag)"
    if records[record.recordName] == nil { order.append(record.recordName) }
    records[record.recordName] = record
  }

  mutating func apply(_ operation: RecordOperation, contended: Bool) -> RecordOutcome {
    let name = operation.recordName ?? ""
    func refusal(_ code: ServerError.Code) -> RecordOutcome {
      .failed(recordName: name, ServerError(code, "refused"))
    }
    let existing = records[name]
    switch operation.kind {
    case .create where existing != nil: return refusal(.conflict)
    case .update where existing == nil: return refusal(.notFound)
    // As the service does.
    case .delete where existing == nil: return .deleted(recordName: name)
    case .update, .delete:
      if contended, let existing, conflicts % 2 == 0, existing.recordType != "AdminLease" {
        conflicts += 1
        save(existing)
      } else {
        conflicts += 1
      }
      if records[name]?.changeTag != operation.changeTag { return refusal(.conflict) }
    default: break
    }
    if operation.kind == .delete {
      records[name] = nil
      return .deleted(recordName: name)
    }
    var record = existing ?? Record(recordType: operation.recordType ?? "", recordName: name)
    for (field, value) in operation.fields { record.fields[field] = value }
    save(record)
    return .record(records[name] ?? record)
  }
}

extension Record {
  fileprivate func keeping(_ keys: [String]?) -> Record {
    guard let keys else { return self }
    var record = self
    record.fields = fields.filter { keys.contains($0.key) }
    return record
  }

  fileprivate func matches(_ query: Query) throws -> Bool {
    guard recordType == query.recordType else { return false }
    return try query.filters.allSatisfy { filter in
      let value = fields[filter.field.storedName]
      switch filter.comparator {
      case .equals: return value == filter.value
      case .in:
        let members = filter.value.elements ?? []
        guard members.count <= 100 else { throw ServerError(.badRequest, "too many values") }
        return members.contains {
          $0 == value || $0.reference?.recordName == value?.reference?.recordName && value?.reference != nil
        }
      default: throw ServerError(.badRequest, "not a comparator of this container")
      }
    }
  }
}

/// The same container, able to count groups itself.
struct GroupingContainer: ContainerDouble, GroupCountingContainer {
  let base: MemoryContainer

  var identity: ContainerIdentity { base.identity }
  var grouping: (any GroupCountingContainer)? { self }
  func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await base.modify(operations)
  }

  func countGroups(_ request: GroupCountRequest, _ body: @escaping @Sendable ([GroupCount]) -> Void)
    async throws -> Int64
  {
    let checker = request.creatorNames.map(CreatorNames.Checker.init)
    var names: [String: NameTally] = [:]
    var counts: [String: Int64] = [:]
    var leftOut: Int64 = 0
    for record in try await base.allRecords(Query(request.recordType, filters: request.filters)) {
      guard request.recordNames?.accepts(record.recordName) ?? true else {
        leftOut += 1
        continue
      }
      let group = record[request.groupField]
      let name = group?.string ?? group?.reference?.recordName ?? ""
      counts[name, default: 0] += 1
      if let checker {
        let creator = record.created?.userRecordName ?? ""
        names[name, default: NameTally()].add(checker.check(record.recordName, group: name, creator: creator))
      }
    }
    body(checker == nil ? counts.map(GroupCount.init) : names.map { GroupCount(group: $0, names: $1) })
    return leftOut
  }
}
