import CloudKitModel
import ContainerFaults
import LocalContainer
import Synchronization

/// Every write that a container carried out, with its author, whatever a reply said about it. Tests compare what the
/// tool says and does with this log.
final class WriteLog: Sendable {
  /// The author of a value, and when it was written.
  struct Origin: Sendable {
    let tick: Int
    let writer: String
  }

  struct FieldWrite: Sendable {
    let field: String
    let from: FieldValue?
    let to: FieldValue?
    /// The author of `from`; `nil` if nobody has written the field before.
    let previous: Origin?
  }

  /// One write of one record.
  struct Entry: Sendable {
    enum Action: Sendable { case create, update, delete }
    let tick: Int
    let writer: String
    let action: Action
    let recordType: String
    let recordName: String
    let fields: [FieldWrite]
  }

  fileprivate struct State {
    var tick = 0
    var records: [String: Record] = [:]
    var origins: [String: [String: Origin]] = [:]
    var entries: [Entry] = []
  }

  /// Reads every record, also subscriptions.
  private let container: LocalContainer
  private let state = Mutex(State())

  init(_ container: LocalContainer) { self.container = container }

  /// The records of the container without leases, by name.
  var records: [String: Record] { state.withLock(\.records) }
  var tick: Int { state.withLock(\.tick) }

  func entries(by writer: String) -> [Entry] {
    state.withLock { $0.entries.filter { $0.writer == writer } }
  }

  func entries(since tick: Int) -> [Entry] { state.withLock { $0.entries.filter { $0.tick > tick } } }

  func origin(_ record: String, _ field: String) -> Origin? {
    state.withLock { $0.origins[record]?[field] }
  }

  /// Compares the container with what is known, and logs what changed as written by `writer`.
  func note(_ writer: String, touched names: [String]) async throws {
    let names = Array(Set(names).union(state.withLock { $0.records.keys }))
    let found = try await container.lookupAll(names).compactMap(\.record)
    let now = Dictionary(found.map { ($0.recordName, $0) }, uniquingKeysWith: { first, _ in first })
    state.withLock { $0.record(now, names, by: writer) }
  }

  /// As ``note(_:touched:)`` after all records were replaced: each of them counts as written.
  func noteReplacement(_ writer: String) async throws {
    var found: [Record] = []
    for type in ["FeedCategory", "PublicFeed", "FeedCollection", "FeedMetadata", "FeedSubscription"] {
      found += try await container.allRecords(Query(type))
    }
    let now = Dictionary(found.map { ($0.recordName, $0) }, uniquingKeysWith: { first, _ in first })
    state.withLock { state in
      state.record(now, Array(Set(now.keys).union(state.records.keys)), by: writer)
      let origin = Origin(tick: state.tick, writer: writer)
      for record in found {
        for field in record.fields.keys { state.origins[record.recordName, default: [:]][field] = origin }
      }
    }
  }
}

extension WriteLog.State {
  fileprivate mutating func record(_ now: [String: Record], _ names: [String], by writer: String) {
    tick += 1
    for name in names.sorted() {
      let (before, after) = (records[name], now[name])
      guard before?.changeTag != after?.changeTag || before?.fields != after?.fields,
        let type = after?.recordType ?? before?.recordType, type != "AdminLease"
      else { continue }
      let keys = Set(before?.fields.keys.map(\.self) ?? []).union(after?.fields.keys.map(\.self) ?? [])
      let writes = keys.sorted().compactMap { field -> WriteLog.FieldWrite? in
        let (from, to) = (before?.fields[field], after?.fields[field])
        guard from != to else { return nil }
        return .init(field: field, from: from, to: to, previous: origins[name]?[field])
      }
      for write in writes { origins[name, default: [:]][write.field] = .init(tick: tick, writer: writer) }
      entries.append(
        .init(
          tick: tick, writer: writer, action: before == nil ? .create : after == nil ? .delete : .update,
          recordType: type, recordName: name, fields: writes))
      records[name] = after
    }
  }
}

/// A container whose writes are logged under the name of their author.
final class LoggedContainer: ContainerDouble {
  private let base: any Container
  private let log: WriteLog
  private let writer: String
  private let refuses: @Sendable (RecordOperation) -> Bool

  /// - Parameter refuses: writes that the container refuses.
  init(
    _ base: any Container, _ log: WriteLog, writer: String,
    refuses: @escaping @Sendable (RecordOperation) -> Bool = { _ in false }
  ) {
    self.base = base
    self.log = log
    self.writer = writer
    self.refuses = refuses
  }

  var identity: ContainerIdentity { base.identity }
  var clock: ContainerClock { base.clock }

  func query(_ request: QueryRequest) async throws -> QueryPage { try await base.query(request) }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    var outcomes: [RecordOutcome?] = operations.map { operation in
      refuses(operation)
        ? .failed(recordName: operation.recordName, ServerError(.accessDenied, "WRITE not permitted")) : nil
    }
    let permitted = operations.indices.filter { outcomes[$0] == nil }
    if !permitted.isEmpty {
      let done = try await base.modify(permitted.map { operations[$0] })
      for (index, outcome) in zip(permitted, done) { outcomes[index] = outcome }
    }
    if operations.contains(where: { $0.recordType != "AdminLease" }) {
      try await log.note(writer, touched: operations.compactMap(\.recordName))
    }
    return outcomes.compactMap(\.self)
  }
}
