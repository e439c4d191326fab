internal import FoundationEssentials
internal import GRDB
internal import Platform
internal import Synchronization

struct StoredIdentity: Sendable, Hashable {
  struct State: Sendable {
    var identity: StoredIdentity
    /// `nil` for a database in memory.
    let file: FileIdentity?
    var isSettled = false
  }

  /// A UUID in lower case.
  let id: String
  /// A UUID in lower case.
  let incarnation: String
  /// The file that this was written to; another one is a copy of it. `nil` in memory.
  let file: FileIdentity?

  static let definition = """
    CREATE TABLE IF NOT EXISTS _identity (
      id TEXT NOT NULL, incarnation TEXT NOT NULL, device INTEGER, inode INTEGER)
    """

  init(id: String? = nil, file: FileIdentity?) {
    self.id = id ?? Self.makeUUID()
    incarnation = Self.makeUUID()
    self.file = file
  }

  /// Reads the identity. Throws ``StorageFailure/damaged(_:)`` for an id that is missing, or that no container can
  /// have: it may contain anything.
  init(_ db: Database) throws {
    guard try db.has("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_identity'"),
      let stored = try db.first(
        "SELECT id, incarnation, device, inode FROM _identity", [], StoredIdentity.init)
    else { throw StorageFailure.damaged("it has no id") }
    guard Self.isUUID(stored.id), Self.isUUID(stored.incarnation) else {
      throw StorageFailure.damaged("its id is invalid")
    }
    self = stored
  }

  private init(_ row: SQLRow) {
    id = row.text(0)
    incarnation = row.text(1)
    file = row.isNull(2) ? nil : FileIdentity(device: row.integer(2), inode: row.integer(3))
  }

  func write(_ db: Database) throws {
    try db.execute(sql: Self.definition)
    try db.run("DELETE FROM _identity")
    let place = file.map { [SQLValue.integer($0.device), .integer($0.inode)] } ?? [.null, .null]
    try db.run("INSERT INTO _identity VALUES (?, ?, ?, ?)", [.text(id), .text(incarnation)] + place)
  }

  private static func makeUUID() -> String { UUID().uuidString.lowercased() }

  private static func isUUID(_ text: String) -> Bool {
    UUID(uuidString: text)?.uuidString.lowercased() == text
  }
}

extension LocalStore {
  /// The container's id: made when the container is created, and the same whatever path leads to its file. A backup has
  /// an id of its own; a restored container keeps its id. A UUID in lower case.
  package var id: String { identity.withLock { $0.identity.id } }

  /// Whether a missing file is read as an empty container. The file that is made later has another id.
  var isOfMissingFile: Bool {
    if case .file = location { identity.withLock { $0.file == nil } } else { false }
  }

  /// Distinguishes the contents that one id has had: new after each restore, and at the first write to a copy of the
  /// file. A UUID in lower case.
  package var incarnation: String { identity.withLock { $0.identity.incarnation } }

  /// Prepares the first write of this handle, in its transaction: a copied file gets a new incarnation,
  /// and change tags start at a new number.
  func renewIdentity(_ db: Database) throws {
    let state = identity.withLock(\.self)
    guard !state.isSettled else { return }
    var settled = try StoredIdentity(db)
    if settled.file != state.file {
      settled = StoredIdentity(id: settled.id, file: state.file)
      try settled.write(db)
    }
    try ChangeTag.setLast(settings.makeTagStart(), db)
    db.afterNextTransaction { [settled] _ in
      self.identity.withLock {
        $0.identity = settled
        $0.isSettled = true
      }
    }
  }
}
