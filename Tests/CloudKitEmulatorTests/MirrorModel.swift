import CloudKitEmulator
import CloudKitModel
import Diagnostics
import LocalContainer
import Platform
import SchemaLanguage
import Synchronization
import Testing

/// What an app's users write into a service, at random, and the log of it with which a mirror is compared.
final class ServiceModel: Sendable {
  static let schema = """
    DEFINE SCHEMA
      CREATE ROLE Admin;
      RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE,
        title STRING QUERYABLE, count INT64, link REFERENCE, tags LIST<STRING>, ownerId STRING,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO Admin );
      RECORD TYPE Plain (
        "___recordID" REFERENCE QUERYABLE, title STRING, count INT64,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO Admin );
    """

  /// A version of a record, or its deletion.
  struct Version: Sendable {
    let record: Record?
    let from: Timestamp
  }

  private struct State {
    var log: [String: [Version]] = [:]
    var random: SeededGenerator
    var written = 0
  }

  private let container: LocalContainer
  private let now: @Sendable () -> Timestamp
  private let state: Mutex<State>

  init(_ store: LocalStore, seed: UInt64, now: @escaping @Sendable () -> Timestamp) {
    container = LocalContainer(store: store)
    self.now = now
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  var log: [String: [Version]] { state.withLock(\.log) }

  func pick(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.random) } }

  /// Creates, changes or deletes a record of either type. A name that was deleted may come back, also as another type.
  func write() async throws {
    let name = "r\(pick(0..<90))"
    let live = log[name]?.last?.record
    let number = state.withLock {
      $0.written += 1
      return $0.written
    }
    let fields: [String: FieldValue] = ["title": .string("é\(number)"), "count": .int64(Int64(number))]
    let operation: RecordOperation =
      if let live {
        if pick(0..<4) == 0 {
          RecordOperation(.forceDelete, recordType: live.recordType, recordName: name)
        } else {
          RecordOperation(
            .update, recordType: live.recordType, recordName: name, changeTag: live.changeTag,
            fields: fields.filter { _ in pick(0..<3) > 0 })
        }
      } else {
        RecordOperation(
          .create, recordType: pick(0..<3) == 0 ? "Plain" : "Note", recordName: name, fields: fields)
      }
    let outcome = try await container.modify([operation])[0]
    if let error = outcome.error { throw error }
    let version = Version(record: outcome.record, from: outcome.record?.modified?.timestamp ?? now())
    state.withLock { $0.log[name, default: []].append(version) }
  }

  /// How a mirror breaks its promise; empty if it keeps it.
  func problems(of mirror: MirrorContent) -> [String] {
    var problems: [String] = []
    for (name, record) in mirror.records {
      let version = log[name]?.first { $0.record?.changeTag == record.changeTag }?.record
      if version?.recordType != record.recordType || version?.fields != record.fields {
        problems.append("\(name) is as the service never had it")
      }
    }
    for (name, versions) in log {
      for type in mirror.mark.types { problems += self.problems(of: name, versions, type, mirror) }
    }
    return problems
  }

  private func problems(
    of name: String, _ versions: [Version], _ type: MirroredType, _ mirror: MirrorContent
  ) -> [String] {
    guard let asOf = type.asOf, let index = versions.lastIndex(where: { $0.from <= asOf }) else { return [] }
    // What was changed since may be as it was before.
    guard index == versions.count - 1 else { return [] }
    let found = mirror.records[name]
    if let record = versions[index].record {
      guard record.recordType == type.name, found?.changeTag != record.changeTag else { return [] }
      return ["\(name) is \(found == nil ? "missing" : "older than \(asOf)")"]
    }
    guard let deletionsAsOf = type.deletionsAsOf, versions[index].from <= deletionsAsOf,
      found?.recordType == type.name
    else { return [] }
    return ["\(name) was deleted before \(asOf)"]
  }
}

/// What the file of a mirror holds.
struct MirrorContent {
  let mark: MirrorMark
  let records: [String: Record]

  init(_ path: String) async throws {
    let store = try LocalStore(.file(path), access: .readOnly)
    mark = try #require(store.mirror)
    let container = LocalContainer(store: store, environment: mark.source.environment)
    var records: [String: Record] = [:]
    for type in try await store.schema(of: mark.source.environment).recordTypes where type.name != "Users" {
      for record in try await container.allRecords(Query(type.name)) { records[record.recordName] = record }
    }
    self.records = records
  }
}

/// A service to which others may write between the requests of a reader, who is cut off after some of them.
final class BusyService: Container {
  struct Cut: Error {}

  private let base: any Container
  private let model: ServiceModel?
  private let limit: Int
  private let requests = Mutex(0)
  /// A record of the last page, which comes again with the next one, as if it had changed and moved there.
  private let shown = Mutex<String?>(nil)

  init(_ base: any Container, _ model: ServiceModel?, limit: Int) {
    self.base = base
    self.model = model
    self.limit = limit
  }

  var identity: ContainerIdentity { base.identity }
  var grouping: (any GroupCountingContainer)? { base.grouping }
  var simulatedUsers: (any SimulatedUsersContainer)? { base.simulatedUsers }
  var clock: ContainerClock { base.clock }
  var callerRecordName: String? { base.callerRecordName }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    try await interfere()
    var page = try await base.query(request)
    guard model != nil else { return page }
    let former = shown.withLock { shown in
      defer { shown = page.records.first?.recordName }
      return request.continuationMarker == nil ? nil : shown
    }
    if let former, let record = try await base.lookup(LookupRequest([former])).first?.found {
      page.records.append(record)
    }
    return page
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try await interfere()
    return try await base.lookup(request)
  }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await base.modify(operations)
  }

  private func interfere() async throws {
    let count = requests.withLock {
      $0 += 1
      return $0
    }
    guard count <= limit else { throw Cut() }
    guard let model else { return }
    for _ in 0..<model.pick(0..<4) { try await model.write() }
  }
}
