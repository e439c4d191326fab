internal import CloudKitModel
internal import Foundation  // FileManager; GRDB brings Foundation along anyway
internal import GRDB
internal import GRDBSQLite
internal import Platform
internal import SQLiteShim

/// Opens the SQLite file of a container, after checking that it is one. A refused file is left unchanged.
enum DatabaseFile {
  /// SQLite's page cache of a connection that reads, in KiB. The system caches the file as well, and a run has several
  /// of them.
  private static let readingCache = 512
  /// The cache of the one connection that writes. A request of 200 records in an indexed table changes about a thousand
  /// pages; those that do not fit are written to the log several times.
  static let writingCache = 4096

  /// The pages of SQLite's log after which they are copied into the file, which waits for the disk twice. Most runs end,
  /// and copy them once, before the log has 16 MB.
  static let pagesInLog = 4096

  struct Opened {
    let database: any DatabaseWriter
    let identity: StoredIdentity
    /// `nil` for a database in memory.
    let file: FileIdentity?
    var warning: String?
  }

  static func memory(_ settings: LocalContainerSettings) throws -> Opened {
    let queue = try DatabaseQueue(configuration: configuration(settings, readOnly: false))
    try queue.write { try DatabaseLayout.create($0, file: nil) }
    return Opened(database: queue, identity: try queue.read { try StoredIdentity($0) }, file: nil)
  }

  static func open(
    _ path: String, _ access: LocalStore.Access, _ settings: LocalContainerSettings, _ busyFile: BusyFile
  ) throws -> Opened {
    let readOnly = access.isReadOnly
    do {
      if access == .readWriteOrNew, try FileStatus.of(path) == nil { try create(path) }
      try checkPlace(path, access)
      let files = try ContainerFiles(path)
      try checkHeader(files.path)
      let opened = readOnly ? try ReadOnlyDatabaseURI.text(of: files.path) : files.path
      let pool = try DatabasePool(
        path: opened, configuration: configuration(settings, readOnly: readOnly, busyFile))
      try prepare(pool, path, files.identity, readOnly: readOnly)
      try files.requireUnchanged()
      return Opened(
        database: pool, identity: try pool.read { try StoredIdentity($0) }, file: files.identity,
        warning: files.warning)
    } catch {
      throw StorageFailure.failure(error, container: path, reading: readOnly)
    }
  }

  /// Reads a file that may be damaged, with the same checks of the place and the header. Nothing is expected of the rest.
  static func inspect<Value: Sendable>(
    _ path: String, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try checkPlace(path, .readOnly)
    let files = try ContainerFiles(path)
    try checkHeader(files.path)
    let queue = try DatabaseQueue(
      path: ReadOnlyDatabaseURI.text(of: files.path), configuration: hardened(readOnly: true))
    // Without a transaction, whose end would fail after a page that cannot be read.
    return try await queue.unsafeRead { db in
      if try isEmpty(db, path) { throw empty(path) }
      return try body(db)
    }
  }

  /// How many bytes of the file its header promises and it does not have; 0 while a log may have them.
  static func missingBytes(_ path: String) throws -> Int64 {
    try checkPlace(path, .readOnly)
    let files = try ContainerFiles(path)
    guard let header = FileManager.default.contents(ofFirst: 100, at: files.path), header.count == 100,
      header[24..<28] == header[92..<96], try ReadOnlyDatabaseURI.hasNoLog(files.path),
      let size = try FileStatus.of(files.path)?.size
    else { return 0 }
    let pageSize = Int64(header[16]) << 8 | Int64(header[17])
    let pages = Int64(Int32(bigEndianBytes: header[28..<32]))
    return max(0, (pageSize == 1 ? 65_536 : pageSize) * pages - size)
  }

  /// Creates the file of an empty container, unless another process does so first.
  private static func create(_ path: String) throws {
    try checkRoom(for: path)
    do { try ContainerFiles.requireNothing(beside: path) } catch {
      // They belong to a container that another process has created meanwhile.
      guard try FileStatus.of(path) == nil else { return }
      throw error
    }
    let partial = try PartialDatabase(beside: path)
    do {
      // With a log from the start: the switch to it writes a journal.
      try write(partial, .wal) { db in try DatabaseLayout.create(db, file: partial.identity) }
      // Without the name, it is another process that created the container.
      _ = try partial.publish()
    } catch {
      try partial.remove()
      throw error
    }
    try partial.remove()
  }

  /// Writes to a database that no other process uses, and closes it.
  static func write(
    _ partial: PartialDatabase, _ mode: Configuration.JournalModeConfiguration = .default,
    _ body: (Database) throws -> Void
  ) throws {
    let queue = try queue(partial, mode)
    try queue.write(body)
    try queue.close()
  }

  static func queue(
    _ partial: PartialDatabase, _ mode: Configuration.JournalModeConfiguration = .default
  ) throws -> DatabaseQueue {
    var configuration = hardened(readOnly: false)
    configuration.journalMode = mode
    return try DatabaseQueue(path: partial.path, configuration: configuration)
  }

  static func memoryQueue() throws -> DatabaseQueue {
    try DatabaseQueue(configuration: hardened(readOnly: false))
  }

  private static func configuration(
    _ settings: LocalContainerSettings, readOnly: Bool, _ busyFile: BusyFile? = nil
  ) -> Configuration {
    var configuration = hardened(readOnly: readOnly)
    configuration.allowsUnsafeTransactions = settings.keepsTransactionsOpen
    if let busyFile { configuration.busyMode = .callback { _ in busyFile.triesAgain() } }
    configuration.prepareDatabase { db in
      db.add(function: EarthDistance.function)
      let cache = db.configuration.readonly ? readingCache : writingCache
      try db.execute(sql: "PRAGMA cache_size = -\(cache)")
      if !readOnly {
        try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = \(pagesInLog)")
      }
      if let pages = settings.maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
    return configuration
  }

  /// A configuration for files from untrusted sources: no statement can open another file, and the file's own
  /// schema can neither call functions nor change SQLite's internal tables. An authorizer is not available because
  /// GRDB uses the connection's only one; a limit of 0 attached databases has the same effect.
  private static func hardened(readOnly: Bool) -> Configuration {
    _ = prepareProcess
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.prepareDatabase { db in
      let codes = [prepareProcess, SQLiteShim_harden(db.sqliteConnection)]
      for code in codes where code != SQLITE_OK {
        throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
      // What is deleted is overwritten: an erasure must not leave a person's records in the free pages of the file.
      if !readOnly { try db.execute(sql: "PRAGMA secure_delete = ON") }
    }
    return configuration
  }

  /// Runs once in a process, before the first connection. An SQLite result code.
  private static let prepareProcess: Int32 = {
    SQLiteShim_doNotCountMemory()
    return SQLiteShim_refuseSuperJournals()
  }()

  // MARK: - Before opening

  private static func checkPlace(_ path: String, _ access: LocalStore.Access) throws {
    let files = FileManager.default
    switch try FileKind(path) {
    case .folder:
      throw ContainerFailure(.storage, "\(path) is a folder", hint: "Give the path of a file.")
    case .other:
      throw ContainerFailure(.storage, "\(path) is a pipe or a device", hint: "Give the path of a file.")
    case .file:
      guard files.isReadableFile(atPath: path) else {
        throw ContainerFailure(.storage, "\(path) cannot be read", hint: "Check its permissions.")
      }
      guard access.isReadOnly || files.isWritableFile(atPath: path) else {
        throw ContainerFailure(.storage, "\(path) cannot be written", hint: "Check its permissions.")
      }
    case .missing where try FileStatus.of(path)?.kind == .link:
      throw ContainerFailure(
        .storage, "\(path) is a link to a file that does not exist",
        hint: "Remove the link, or name the file it points to.")
    case .missing:
      throw ContainerFailure(
        .storage, "there is no container at \(path)",
        hint:
          "Create one: celestra-admin container init --schema FILE. Without a file: celestra-admin schema init FILE --template celestra. Or name another container with --container."
      )
    }
  }

  static func checkRoom(for path: String) throws {
    guard case .missing = try FileKind(path) else { return }
    let folder = FileKind.folder(of: path)
    switch try FileKind(folder) {
    case .missing:
      throw ContainerFailure(
        .storage, "the folder of \(path) does not exist", hint: "Create it, or give another path.")
    case .folder where FileManager.default.isWritableFile(atPath: folder): break
    case .folder, .file, .other:
      throw ContainerFailure(
        .storage, "no file can be created in the folder of \(path)", hint: "Check the folder's permissions.")
    }
  }

  /// Checks the header before opening: opening another program's SQLite file for writing would change it.
  private static func checkHeader(_ path: String) throws {
    guard let header = FileManager.default.contents(ofFirst: 100, at: path), !header.isEmpty else { return }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
      let what =
        header.allSatisfy { $0 == 0 }
        ? "zeros, as after a power failure" : "another program's, encrypted, or overwritten at its beginning"
      throw StorageFailure.notContainer(path, what)
    }
    let applicationID = Int32(bigEndianBytes: header[68..<72])
    let version = Int32(bigEndianBytes: header[60..<64])
    if applicationID != 0 || version != 0 {
      try checkMarks(applicationID, version, path)
    } else {
      // The file is another program's, or a container whose application ID is still in the log. Open it for reading
      // to find out.
      let opened = try ReadOnlyDatabaseURI.text(of: path)
      _ = try DatabaseQueue(path: opened, configuration: hardened(readOnly: true)).read {
        try isEmpty($0, path)
      }
    }
  }

  private static func checkMarks(_ applicationID: Int32, _ version: Int32, _ path: String) throws {
    guard applicationID == DatabaseLayout.applicationID else {
      throw ContainerFailure(
        .notContainer, "\(path) is an SQLite file, but not a container",
        hint: "Give another path, or move the file away.")
    }
    guard version <= DatabaseLayout.version else {
      throw ContainerFailure(
        .storage,
        "\(path) was written by a newer celestra-admin (layout \(version), this one knows \(DatabaseLayout.version))",
        hint: "Update celestra-admin. Nothing was changed.")
    }
    guard version == DatabaseLayout.version else {
      throw ContainerFailure(
        .storage, "\(path) was written by a celestra-admin from before its first release",
        hint: "Make the container again, or export the records with that version. Nothing was changed.")
    }
  }

  // MARK: - After opening

  private static func prepare(_ pool: DatabasePool, _ path: String, _ file: FileIdentity?, readOnly: Bool)
    throws
  {
    let isNew = try pool.read { try isEmpty($0, path) }
    guard isNew else { return }
    guard !readOnly else { throw empty(path) }
    try pool.write { db in
      // Another process may have created the tables meanwhile.
      guard try isEmpty(db, path) else { return }
      try DatabaseLayout.create(db, file: file)
    }
  }

  private static func empty(_ path: String) -> ContainerFailure {
    ContainerFailure(
      .storage, "\(path) is empty",
      hint: "Create the container with 'container init' or 'schema apply', or restore a backup into it.")
  }

  /// Whether the file has no tables yet. Throws if it has tables of another program.
  private static func isEmpty(_ db: Database, _ path: String) throws -> Bool {
    let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if tables > 0 || applicationID != 0 { try checkMarks(applicationID, version, path) }
    return tables == 0
  }
}

extension FileManager {
  fileprivate func contents(ofFirst count: Int, at path: String) -> [UInt8]? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { file.closeFile() }
    return Array(file.readData(ofLength: count))
  }
}

extension Int32 {
  fileprivate init(bigEndianBytes bytes: some Collection<UInt8>) {
    self.init(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) })
  }
}

/// The URI with which SQLite opens a container file for reading.
///
/// SQLite coordinates readers and writers through two files beside the database, `-wal` and `-shm`, and creates
/// them if they are missing. In a folder that is not writable it cannot. If there is no log, no process is writing,
/// and the file can be opened as immutable (SQLite documentation, "URI Filenames").
private enum ReadOnlyDatabaseURI {
  static func text(of path: String) throws -> String {
    let folder = FileKind.folder(of: path)
    let canShare = ["-wal", "-shm"].allSatisfy { FileManager.default.isReadableFile(atPath: path + $0) }
    let standsAlone = try !canShare && hasNoLog(path)
    let isImmutable = standsAlone && !FileManager.default.isWritableFile(atPath: folder)
    return isImmutable ? "file:\(escaped(path))?immutable=1" : path
  }

  fileprivate static func hasNoLog(_ path: String) throws -> Bool {
    guard try !LocalStore.isMissing(path + "-wal") else { return true }
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return attributes[.size] as? Int == 0
  }

  /// Percent-encodes `?`, `#` and `%`, which have a meaning in a URI.
  static func escaped(_ path: String) -> String {
    path.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "%": escaped += "%25"
      case "?": escaped += "%3f"
      case "#": escaped += "%23"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
