public import CloudKitModel
internal import GRDB
internal import Platform
internal import Synchronization

/// The engine of the local container: both environments of one file, for callers of any identity.
///
/// Refusals are thrown as ``Refusal``, in the service's words and with the reason; whatever is wrong with the file
/// or its surroundings as `ContainerFailure`.
public final class LocalStore: Sendable {
  public enum Location: Sendable, Hashable {
    case memory
    case file(String)
  }

  public enum Access: Sendable, Hashable {
    /// Makes the file when there is none; its folder must exist.
    case readWriteOrNew
    /// A missing file is a failure, as in ``readOnly``.
    case readWrite
    /// Never writes to the container, and never makes one. SQLite keeps an empty `-wal` and a `-shm` file beside it
    /// to agree with writers. Where the folder is not writable it does without, unless there is a log that can only
    /// be read with them.
    case readOnly
    /// As ``readOnly``, but a missing file is an empty container.
    case readOnlyOrEmpty

    var isReadOnly: Bool { self == .readOnly || self == .readOnlyOrEmpty }
  }

  public let location: Location
  public let settings: LocalSettings
  let isReadOnly: Bool
  let database: any DatabaseWriter
  private let layouts = Mutex<[Environment: (generation: Int64, layout: TableLayout)]>([:])

  /// Throws `ContainerFailure` when the file cannot be used; nothing has been changed then.
  public init(
    _ location: Location, access: Access = .readWriteOrNew, settings: LocalSettings = LocalSettings()
  )
    throws
  {
    self.location = location
    self.settings = settings
    isReadOnly = access.isReadOnly
    switch location {
    case .file(let path) where try access != .readOnlyOrEmpty || !LocalStore.isMissing(path):
      database = try DatabaseFile.open(path, access, settings)
    case .memory, .file: database = try DatabaseFile.memory(settings)
    }
  }

  /// Whether there is nothing at the path. Throws `ContainerFailure` when that cannot be told, as behind a folder
  /// that may not be entered.
  public static func isMissing(_ path: String) throws -> Bool {
    do { return try PathStatus(path) == .missing } catch {
      throw StorageFailure.failure(error, container: path)
    }
  }

  /// Throws `ContainerFailure` where there is nothing at the path and no file can be made there.
  public static func checkRoom(for path: String) throws {
    do { try DatabaseFile.checkRoom(for: path) } catch {
      throw StorageFailure.failure(error, container: path)
    }
  }

  /// `local:PATH` or `memory:`.
  public var name: String {
    switch location {
    case .memory: "memory:"
    case .file(let path): "local:\(path)"
    }
  }

  // MARK: - Records

  /// One page of a query. Throws ``Refusal``.
  public func query(_ request: QueryRequest, in environment: Environment, as identity: Identity) async throws
    -> QueryPage
  {
    try await read(environment) { db, layout in
      try QueryRunner(db: db, layout: layout, identity: identity, settings: self.settings).page(request)
    }
  }

  /// Throws ``Refusal`` for more than 200 names.
  public func lookup(_ request: LookupRequest, in environment: Environment, as identity: Identity)
    async throws
    -> [EntryOutcome]
  {
    try checkCount(request.recordNames.count, ContainerLimits.recordsPerRequest)
    return try await read(environment) { db, layout in
      try Lookup(db: db, layout: layout, identity: identity, settings: self.settings).outcomes(request)
    }
  }

  /// Applies the operations in one transaction: a killed process leaves all of the accepted ones or none.
  /// Throws ``Refusal`` for more than 200, or for somebody who is not signed in.
  public func modify(_ operations: [RecordOperation], in environment: Environment, as identity: Identity)
    async throws -> [EntryOutcome]
  {
    try checkCount(operations.count, ContainerLimits.operationsPerRequest)
    guard identity.userRecordName != nil else {
      throw Refusal(
        .authenticationRequired, "request needs authorization", "writing needs a signed-in user or a key")
    }
    return try await write(environment) { db, layout in
      try Modification(db, layout, identity, self.settings).apply(operations)
    }
  }

  private func checkCount(_ count: Int, _ limit: Int) throws {
    guard count > limit else { return }
    throw Refusal(
      settings.behaviour.overLimitCode,
      "Your request contains \(count) items which is more than the maximum number of items in a single request "
        + "(\(limit))",
      "split the request")
  }

  // MARK: - Transactions

  func read<Value: Sendable>(
    _ environment: Environment, _ body: @escaping @Sendable (Database, TableLayout) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.read { db in try body(db, self.layout(db, environment)) }
    } catch {
      throw StorageFailure.failure(error, container: name, reading: isReadOnly)
    }
  }

  func write<Value: Sendable>(
    _ environment: Environment, _ body: @escaping @Sendable (Database, TableLayout) throws -> Value
  ) async throws -> Value {
    try checkWritable()
    do {
      return try await database.write { db in try body(db, self.layout(db, environment)) }
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }

  func checkWritable() throws {
    guard isReadOnly else { return }
    throw ContainerFailure(.readOnly, "\(name) was opened for reading only")
  }

  /// Read again only after the schema has changed, by whatever process. Called before a transaction changes
  /// anything, so that what is kept is what was committed.
  func layout(_ db: Database, _ environment: Environment) throws -> TableLayout {
    let sql = "SELECT value FROM _counter WHERE name = 'schemaGeneration'"
    let generation = try db.first(sql) { $0.integer(0) } ?? 0
    if let cached = layouts.withLock({ $0[environment] }), cached.generation == generation {
      return cached.layout
    }
    let layout = try TableLayout.load(db, environment)
    layouts.withLock { $0[environment] = (generation, layout) }
    return layout
  }
}
