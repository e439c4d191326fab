package import CloudKitModel
internal import GRDB
package import Platform
internal import Synchronization

/// The SQLite database behind ``LocalContainer``, with both environments (development and production). Each call
/// names its environment and identity.
///
/// Throws ``ServerError`` for a request that the service would refuse, and `ContainerFailure` if the file cannot be
/// used.
package final class LocalStore: Sendable {
  package enum Location: Sendable, Hashable {
    case memory
    case file(String)
  }

  package enum Access: Sendable, Hashable {
    /// Reads and writes; creates a missing file, but not its folder.
    case readWriteOrNew
    /// Reads and writes; fails if the file is missing.
    case readWrite
    /// Only reads; fails if the file is missing. SQLite may create an empty `-wal` and a `-shm` file beside it, to
    /// coordinate with writers. In a folder that is not writable it reads without them, and fails if a log needs
    /// them.
    case readOnly
    /// Only reads; a missing file is read as an empty container.
    case readOnlyOrEmpty

    var isReadOnly: Bool { self == .readOnly || self == .readOnlyOrEmpty }
  }

  package let location: Location
  package let settings: LocalContainerSettings
  let isReadOnly: Bool
  /// What the user should know about the files of this container, although they can be used: one sentence.
  package let warning: String?
  /// What the file says about the container that it mirrors, when it was opened; `nil` unless it is a mirror.
  package let mirror: MirrorMark?
  let database: any DatabaseWriter
  let busyFile: BusyFile
  let lag = IndexLag()
  let identity: Mutex<StoredIdentity.State>
  private let layouts = Mutex<[Environment: (generation: Int64, layout: SchemaTables)]>([:])

  /// Opens the database. Throws `ContainerFailure` if the file cannot be used; the file is unchanged then.
  package init(
    _ location: Location, access: Access = .readWriteOrNew,
    settings: LocalContainerSettings = LocalContainerSettings()
  ) throws {
    if case .file(let path) = location { try Self.useFiles(of: path) }
    self.location = location
    self.settings = settings
    isReadOnly = access.isReadOnly
    let busyFile = BusyFile(timeout: settings.busyTimeout, waits: settings.waits)
    defer { busyFile.waitEnded() }
    self.busyFile = busyFile
    let opened =
      switch location {
      case .file(let path) where try access != .readOnlyOrEmpty || !LocalStore.isMissing(path):
        try DatabaseFile.open(path, access, settings, busyFile)
      case .memory, .file: try DatabaseFile.memory(settings)
      }
    database = opened.database
    warning = opened.warning
    if isReadOnly {
      RunFiles.atEnd(reading: true) { [weak database] in if let database { Self.close(database) } }
    } else {
      // Kept until then: what is released by another thread may not be closed when the process ends.
      RunFiles.atEnd(reading: false) { [database] in Self.close(database) }
    }
    do {
      mirror = try database.read(MirrorMark.init)
      if let mirror, !settings.keepsTransactionsOpen {
        try Self.indexNames(of: mirror, database, location, settings, busyFile)
      }
    } catch {
      throw StorageFailure.failure(error, container: Self.name(of: location), reading: access.isReadOnly)
    }
    identity = Mutex(StoredIdentity.State(identity: opened.identity, file: opened.file))
  }

  /// Its readers first: a connection that only reads cannot write the log into the file when it is the last one.
  private static func close(_ database: any DatabaseWriter) {
    (database as? DatabasePool)?.invalidateReadOnlyConnections()
    // What another program still reads stays in the log.
    try? database.close()
  }

  /// Notes the files of a container (``RunFiles``). Throws `FileFailure` if one is to take a result of the run.
  package static func useFiles(of path: String) throws(FileFailure) {
    // SQLite keeps its files beside the one behind a link.
    let real = (try? FileKind.resolvedPath(path)) ?? path
    for file in ContainerFiles.all(of: real) + [MirrorKey.path(real)] {
      try RunFiles.use(file, as: "a file of the container local:\(path)")
    }
  }

  /// Makes the index of a mirror's names if its first copy was stopped before it did, or goes on. It then continues with
  /// the index.
  private static func indexNames(
    of mirror: MirrorMark, _ database: any DatabaseReader, _ location: Location,
    _ settings: LocalContainerSettings, _ busyFile: BusyFile
  ) throws {
    let environment = mirror.source.environment
    guard case .file(let path) = location,
      try !database.read({ try MirrorNames(db: $0, tables: environment.tables).areIndexed })
    else { return }
    let writing = try DatabaseFile.open(path, .readWrite, settings, busyFile).database
    try writing.write { db in
      _ = try MirrorNames(db: db, tables: environment.tables).index(SchemaTables.load(db, environment))
    }
    try writing.close()
  }

  /// Whether no file exists at the path. Throws `ContainerFailure` if that is unknown, for example in a folder
  /// without search permission.
  package static func isMissing(_ path: String) throws -> Bool {
    do { return try FileKind(path) == .missing } catch {
      throw StorageFailure.failure(error, container: path)
    }
  }

  /// Throws `ContainerFailure` if no file exists at the path and none can be created there.
  package static func checkRoom(for path: String) throws {
    do { try DatabaseFile.checkRoom(for: path) } catch {
      throw StorageFailure.failure(error, container: path)
    }
  }

  /// The container's name in options and messages: `local:PATH` or `memory:`.
  package var name: String { Self.name(of: location) }

  private static func name(of location: Location) -> String {
    switch location {
    case .memory: "memory:"
    case .file(let path): "local:\(path)"
    }
  }

  /// Throws ``ServerError`` for more entries in a request than the service takes
  /// (Documentation/reference/web-services.md#limits).
  package func checkCount(_ count: Int) throws(ServerError) {
    let limit = ContainerLimits.operationsPerRequest
    guard count > limit else { return }
    throw ServerError(
      settings.behavior.overLimit,
      "Your request contains \(count) items which is more than the maximum number of items in a single request "
        + "(\(limit))",
      "split the request")
  }

  // MARK: - Transactions

  func read<Value: Sendable>(
    _ environment: Environment, _ body: @escaping @Sendable (Database, SchemaTables) throws -> Value
  ) async throws -> Value {
    defer { busyFile.waitEnded() }
    do {
      return try await database.read { db in try body(db, self.layout(db, environment)) }
    } catch {
      throw StorageFailure.failure(error, container: name, reading: isReadOnly)
    }
  }

  func write<Value: Sendable>(
    _ environment: Environment, _ body: @escaping @Sendable (Database, SchemaTables) throws -> Value
  ) async throws -> Value {
    try checkWritable()
    defer { busyFile.waitEnded() }
    do {
      return try await database.write { db in
        try self.renewIdentity(db)
        return try body(db, self.layout(db, environment))
      }
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }

  /// Throws `ContainerFailure` for a handle that only reads, and for a mirror.
  package func checkWritable() throws {
    if let mirror, !settings.keepsTransactionsOpen {
      throw ContainerFailure(
        .readOnly,
        "\(name) is a mirror of \(mirror.source.name), and nothing but 'container backup' writes to it",
        hint:
          "To write to the service, run the same command with \(mirror.source.options)"
          + (mirror.source.id == nil ? "" : " and the service's CLOUDKIT_BASE_URL")
          + ". To try a change, make a container of the file: container restore FILE --container local:TRIAL.sqlite."
      )
    }
    guard isReadOnly else { return }
    throw ContainerFailure(.readOnly, "\(name) is open for reading only")
  }

  /// The environment's tables, cached until any process changes the schema. Call it before the transaction writes,
  /// so that the cache only holds committed layouts.
  func layout(_ db: Database, _ environment: Environment) throws -> SchemaTables {
    let generation = try db.number("SELECT value FROM _counter WHERE name = 'schemaGeneration'")
    if let cached = layouts.withLock({ $0[environment] }), cached.generation == generation {
      return cached.layout
    }
    let layout = try SchemaTables.load(db, environment)
    layouts.withLock { $0[environment] = (generation, layout) }
    return layout
  }
}
