import CloudKitModel
import LocalContainer
import SchemaLanguage
import Synchronization

/// A clock that stands still until a test moves it.
final class StoppedClock: Sendable {
  private let time = Mutex<Int64>(1_000)

  func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
  var now: Timestamp { Timestamp(milliseconds: time.withLock(\.self)) }
}

/// The settings of a reproducible container.
func fixedSettings(
  _ behavior: ServerBehavior = ServerBehavior(), clock: StoppedClock = StoppedClock()
) -> LocalContainerSettings {
  let names = Mutex(0)
  var settings = LocalContainerSettings(
    now: { clock.now },
    makeRecordName: {
      names.withLock {
        $0 += 1
        return "made-\($0)"
      }
    })
  settings.makeTagStart = { 0 }
  settings.behavior = behavior
  return settings
}

/// A container in memory with the given schema in development.
func container(
  _ schema: String = librarySchema, _ behavior: ServerBehavior = ServerBehavior(),
  identity: CallerIdentity = .serverKey, clock: StoppedClock = StoppedClock()
) async throws -> LocalContainer {
  let container = try LocalContainer.open(
    .memory, identity: identity, settings: fixedSettings(behavior, clock: clock))
  try await container.importSchema(schema)
  return container
}

extension LocalContainer {
  /// The same store for another caller, perhaps in another environment.
  func seen(by identity: CallerIdentity, in environment: Environment? = nil) -> LocalContainer {
    LocalContainer(store: store, environment: environment ?? self.environment, identity: identity)
  }

  @discardableResult
  func create(_ name: String?, _ fields: [String: FieldValue] = [:], type: String = "Book") async throws
    -> RecordOutcome
  {
    try await one(RecordOperation(.create, recordType: type, recordName: name, fields: fields))
  }

  @discardableResult
  func one(_ operation: RecordOperation) async throws -> RecordOutcome {
    let outcomes = try await modify([operation])
    guard outcomes.count == 1 else { throw WrongCount(count: outcomes.count) }
    return outcomes[0]
  }

  func names(_ query: Query, limit: Int? = nil) async throws -> [String] {
    try await self.query(QueryRequest(query, resultsLimit: limit)).records.map(\.recordName)
  }
}

struct WrongCount: Error { var count: Int }

/// A book to load, without a time.
func book(_ name: String, _ fields: [String: FieldValue] = [:], createdBy creator: String? = nil) -> Record {
  let stamp = creator.map {
    RecordStamp(timestamp: Timestamp(milliseconds: 0), userRecordName: $0, deviceID: "")
  }
  return Record(recordType: "Book", recordName: name, fields: fields, created: stamp)
}

/// A server error as "CODE: reason", to compare in one line.
func refusal(_ body: () async throws -> some Sendable) async throws -> String? {
  do {
    _ = try await body()
    return nil
  } catch let error as ServerError {
    return error.description
  }
}

/// One of every field type, with every index.
let librarySchema = """
  DEFINE SCHEMA

      CREATE ROLE Librarian;

      RECORD TYPE Book (
          "___createTime" TIMESTAMP QUERYABLE SORTABLE,
          "___createdBy"  REFERENCE QUERYABLE,
          "___etag"       STRING QUERYABLE,
          "___modTime"    TIMESTAMP QUERYABLE SORTABLE,
          "___recordID"   REFERENCE QUERYABLE SORTABLE,
          author          REFERENCE QUERYABLE,
          bought          TIMESTAMP QUERYABLE SORTABLE,
          cover           ASSET,
          digest          BYTES QUERYABLE,
          editors         LIST<REFERENCE> QUERYABLE,
          note            STRING,
          pages           INT64 QUERYABLE SORTABLE,
          place           LOCATION QUERYABLE SORTABLE,
          price           DOUBLE QUERYABLE SORTABLE,
          scores          LIST<DOUBLE> QUERYABLE,
          secret          ENCRYPTED STRING,
          tags            LIST<STRING> QUERYABLE,
          title           STRING QUERYABLE SORTABLE SEARCHABLE,
          year            INT64 SORTABLE,
          GRANT READ TO "_world",
          GRANT READ, CREATE, WRITE TO Librarian
      );

      RECORD TYPE Loan (
          "___recordID" REFERENCE QUERYABLE,
          book          REFERENCE QUERYABLE,
          GRANT READ, WRITE TO "_creator",
          GRANT CREATE TO "_icloud",
          GRANT READ TO Librarian
      );

      RECORD TYPE Person (
          "___recordID" REFERENCE QUERYABLE,
          name          STRING,
          GRANT WRITE TO "_creator",
          GRANT CREATE TO "_icloud",
          GRANT READ TO "_world"
      );
  """
