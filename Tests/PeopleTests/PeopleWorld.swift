import Catalog
import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Synchronization

@testable import People

/// A container in which two users have written, and the operator's key.
struct PeopleWorld {
  static let jane = "_11111111111111111111111111111111"
  static let bob = "_22222222222222222222222222222222"

  let store: LocalStore
  let schema: Schema
  var roles: CallerIdentity.CustomRoles = .all

  init(_ schema: String = PeopleWorld.schema, _ settings: LocalContainerSettings = .init()) async throws {
    store = try LocalStore(.memory, settings: settings)
    self.schema = try Schema(parsing: schema)
    try await store.importSchema(self.schema, into: .development)
  }

  /// Sessions, messages in them and subscriptions, as in the schemas of this project.
  static let schema = """
    DEFINE SCHEMA
      CREATE ROLE Editor; CREATE ROLE Officer;
      RECORD TYPE AdminLease ( "___recordID" REFERENCE QUERYABLE, GRANT READ, CREATE, WRITE TO Editor );
      RECORD TYPE FeedSubscription ( "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
        feedRecordName STRING QUERYABLE, GRANT READ, WRITE TO Officer, GRANT READ TO Editor,
        GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud" );
      RECORD TYPE LiveSession ( "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
        hostId STRING QUERYABLE, title STRING,
        GRANT READ, WRITE TO Officer, GRANT READ, CREATE TO "_icloud", GRANT WRITE TO "_creator" );
      RECORD TYPE ChatMessage ( "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
        message STRING, sessionId STRING QUERYABLE, userId STRING QUERYABLE,
        GRANT READ, WRITE TO Officer, GRANT READ, CREATE TO "_icloud", GRANT WRITE TO "_creator" );
      RECORD TYPE PublicFeed ( "___recordID" REFERENCE QUERYABLE, title STRING,
        GRANT READ TO "_world", GRANT CREATE, WRITE TO Editor );
    """

  /// What the operator's key sees.
  var container: LocalContainer { container(.init(userRecordName: "_operator", customRoles: roles)) }

  func container(_ identity: CallerIdentity) -> LocalContainer {
    LocalContainer(store: store, environment: .development, identity: identity)
  }

  /// Writes records as a user of the app, or as the key.
  func write(_ user: String? = nil, _ records: (type: String, name: String, fields: [String: FieldValue])...)
    async throws
  {
    let container =
      user.map { self.container(CallerIdentity(userRecordName: $0)) }
      ?? self.container(.init(userRecordName: "_operator", customRoles: .all))
    let outcomes = try await container.modify(
      records.map { RecordOperation(.create, recordType: $0.type, recordName: $0.name, fields: $0.fields) })
    for outcome in outcomes { if let error = outcome.error { throw error } }
  }

  func subscription(_ feed: String, of user: String) -> (
    type: String, name: String, fields: [String: FieldValue]
  ) {
    (
      "FeedSubscription", CatalogRecordNames.subscription(feed: feed, user: user),
      ["feedRecordName": .string(feed)]
    )
  }

  static func person(_ name: String = jane) throws -> Person { try Person(parsing: Array(name.utf8)) }

  var references: ReferenceFields { ReferenceFields(CatalogReferences.all, in: schema) }

  func plan(_ container: (any Container)? = nil, _ pseudonyms: [PseudonymCondition] = []) async throws
    -> PersonSearchPlan
  {
    try await PersonSearchPlan(
      of: container ?? self.container, schema, references: references, pseudonyms: pseudonyms)
  }

  /// The names that a search finds, by type.
  func found(in container: (any Container)? = nil, _ pseudonyms: [PseudonymCondition] = []) async throws
    -> [String: Set<String>]
  {
    let container = container ?? self.container
    let search = PersonSearch(container: container, person: try Self.person(), pseudonyms: pseudonyms)
    let found = try await search.run(try await plan(container, pseudonyms))
    return found.reduce(into: [:]) { $0[$1.plan.recordType] = Set($1.records.map(\.record.recordName)) }
  }

  func erasure(
    _ options: PersonErasure.Options = .init(), in container: (any Container)? = nil,
    of person: String = jane, waiting wait: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) throws -> PersonErasure {
    PersonErasure(
      of: try Self.person(person), in: container ?? self.container, schema, references: references,
      options: options, wait: wait)
  }

  /// Plans and erases, as the command does.
  func erase(
    _ options: PersonErasure.Options = .init(), in container: (any Container)? = nil,
    waiting wait: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) async throws -> PersonErasureResult {
    let target = container ?? self.container
    let erasure = try erasure(options, in: target, waiting: wait)
    let session = WriteSession(
      WritingJob("person erase", kind: .job), container: target,
      dependencies: WriteSessionDependencies(
        now: { Timestamp(milliseconds: 0) }, runID: "run", schema: schema, wait: { _ in }))
    return try await session.run { writer in
      try await erasure.apply(try await erasure.plan(), through: writer)
    }
  }

  /// The names of all records of a type.
  func names(_ type: String) async throws -> Set<String> {
    let all = container(.init(userRecordName: "_operator", customRoles: .all))
    return Set(try await all.allRecords(Query(type), desiredKeys: []).map(\.recordName))
  }

  func way(_ type: String, _ container: (any Container)? = nil) async throws -> TypeSearchPlan? {
    try await plan(container).types.first { $0.recordType == type }
  }
}

/// The time of a container, which a test moves.
final class ContainerTime: Sendable {
  private let value: Mutex<Int64>

  init(_ milliseconds: Int64) { value = Mutex(milliseconds) }

  var milliseconds: Int64 {
    get { value.withLock(\.self) }
    set { value.withLock { $0 = newValue } }
  }
}
