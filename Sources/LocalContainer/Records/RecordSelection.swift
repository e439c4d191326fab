internal import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database

/// Reads records of one type from SQLite, with all fields or only the desired ones.
struct RecordSelection {
  let table: RecordTypeTable
  let columns: [FieldColumn]
  /// Those of single references, which hold only the record name: the action is in the table of links. Lists store actions
  /// with their elements.
  private let references: [FieldColumn]
  /// The SELECT list, in the order in which ``record(_:)`` reads it.
  let expressions: [String]
  let deviceID: String
  let source: String
  private let oneRecordSQL: String

  init(_ layout: SchemaTables, _ table: RecordTypeTable, desiredKeys: [String]?, deviceID: String) {
    self.table = table
    self.deviceID = deviceID
    let desired = desiredKeys.map(Set.init)
    columns = table.columns.filter { desired?.contains($0.field.name) ?? true }
    references = columns.filter { $0.type == .scalar(.reference) }
    let system = [
      "t._id", "r.name", "r.tag", "r.createdAt", "(SELECT name FROM _user WHERE id = r.createdBy)",
      "r.modifiedAt",
      // Most records were last modified by their creator, whose name need not be read twice.
      "CASE r.modifiedBy WHEN r.createdBy THEN NULL ELSE (SELECT name FROM _user WHERE id = r.modifiedBy) END",
    ]
    let actions = references.map {
      "(SELECT action FROM \(layout.tables.link) WHERE source = t._id AND field = \($0.field.name.sqlText))"
    }
    expressions = system + columns.map { "t." + $0.sql } + actions
    source = "\(table.sql) t JOIN \(layout.tables.record) r ON r.id = t._id"
    oneRecordSQL = "SELECT \(expressions.joined(separator: ", ")) FROM \(source) WHERE t._id = ?"
  }

  func record(_ row: SQLRow) throws -> Record {
    var record = Record(recordType: table.type.name, recordName: row.text(1))
    record.changeTag = MirrorTag.text(row[2])
    let creator = row.text(4)
    record.created = stamp(row.integer(3), creator)
    record.modified = stamp(row.integer(5), row.isNull(6) ? creator : row.text(6))
    record.fields.reserveCapacity(columns.indices.count { !row.isNull(7 + $0) })
    for (index, column) in columns.enumerated() {
      if let value = try StoredValue.decode(row[7 + index], as: column.type) {
        record.fields[column.field.name] = value
      }
    }
    for (place, column) in zip((7 + columns.count)..., references) {
      guard let action = Reference.Action(rawValue: row.text(place)),
        let name = record.fields[column.field.name]?.referredName
      else { continue }
      record.fields[column.field.name] = .reference(Reference(name, action: action))
    }
    return record
  }

  private func stamp(_ milliseconds: Int64, _ userRecordName: String) -> RecordStamp {
    RecordStamp(
      timestamp: Timestamp(milliseconds: milliseconds), userRecordName: userRecordName, deviceID: deviceID)
  }

  func record(_ db: Database, id: Int64) throws -> Record? {
    try db.first(oneRecordSQL, [.integer(id)], record)
  }
}

/// Change tags: a counter in the file, printed in base 36 as the service prints its own
/// (Documentation/reference/web-services.md#change-tags). Each handle that writes starts it at a random number.
enum ChangeTag {
  /// The counter starts below this number.
  static let startLimit: Int64 = 1 << 62

  /// The number of the last tag that was given. Throws ``StorageFailure/damaged(_:)`` for a number that no counter
  /// reaches, which adding could overflow.
  static func last(_ db: Database) throws -> Int64 {
    let number = try db.number("SELECT value FROM _counter WHERE name = 'changeTag'")
    guard (0..<startLimit + startLimit / 2).contains(number) else {
      throw StorageFailure.damaged("its counter of change tags is out of range")
    }
    return number
  }

  static func setLast(_ number: Int64, _ db: Database) throws {
    try db.run("UPDATE _counter SET value = ? WHERE name = 'changeTag'", [.integer(number)])
  }

  static func text(_ number: Int64) -> String { String(number, radix: 36) }
  static func number(_ text: String) -> Int64? { Int64(text, radix: 36) }
}

/// The table of user record names, each stored once and referred to by row id, with the number of stamps that name it.
/// A name goes with its last stamp, so that the name of a person is not kept longer than the records
/// (Documentation/Privacy.md#erasing). Counting is needed, because records have no index of their users.
enum UserTable {
  static let unknownID: Int64 = -1

  static func id(of name: String, _ db: Database) throws -> Int64? {
    try db.first("SELECT id FROM _user WHERE name = ?", [.text(name)]) { $0.integer(0) }
  }

  /// Counts the stamps of all users in all records, after many records went at once.
  static func recountUses(_ db: Database) throws {
    let stamps = Environment.allCases.flatMap { environment in
      ["createdBy", "modifiedBy"].map { "SELECT \($0) AS user FROM \(environment.tables.record)" }
    }
    try db.run("UPDATE _user SET uses = 0")
    try db.run(
      """
      UPDATE _user SET uses = stamps.count
      FROM (SELECT user, count(*) AS count FROM (\(stamps.joined(separator: " UNION ALL "))) GROUP BY user) AS stamps
      WHERE _user.id = stamps.user
      """)
    try db.run("DELETE FROM _user WHERE uses = 0")
  }

  static func makeID(of name: String, _ db: Database) throws -> Int64 {
    if let id = try id(of: name, db) { return id }
    try db.run("INSERT INTO _user (name) VALUES (?)", [.text(name)])
    return db.lastInsertedRowID
  }
}

struct UserStamps {
  /// The row id of each user, and how many more stamps name the user than before, or fewer.
  private var users: [String: (id: Int64, change: Int64)] = [:]

  /// Counts stamps of a user, whose row it makes. A name that is missing or empty has none.
  ///
  /// - Returns: the user's row id.
  @discardableResult
  mutating func add(_ count: Int64, of name: String?, _ db: Database) throws -> Int64 {
    guard let name, !name.isEmpty else { return UserTable.unknownID }
    if let index = users.index(forKey: name) {
      users.values[index].change += count
      return users.values[index].id
    }
    let id = try UserTable.makeID(of: name, db)
    users[name] = (id, count)
    return id
  }

  /// Adds to what the table of users counts, and removes the users that no stamp names any more.
  func write(_ db: Database) throws {
    for (id, change) in users.values {
      if change != 0 {
        try db.run("UPDATE _user SET uses = uses + ? WHERE id = ?", [.integer(change), .integer(id)])
      }
      if change <= 0 { try db.run("DELETE FROM _user WHERE id = ? AND uses <= 0", [.integer(id)]) }
    }
  }
}

struct StoredRecord {
  let id: Int64
  let table: RecordTypeTable
  let record: Record
}

struct RecordReader {
  private let db: Database
  private let layout: SchemaTables
  private let deviceID: String
  private let desiredKeys: [String]?
  /// By table, because making one takes longer than reading a record with it.
  private var selections: [Int64: RecordSelection] = [:]

  init(_ db: Database, _ layout: SchemaTables, deviceID: String, desiredKeys: [String]? = nil) {
    self.db = db
    self.layout = layout
    self.deviceID = deviceID
    self.desiredKeys = desiredKeys
  }

  mutating func outcomes(
    _ recordNames: [String], _ permissions: Permissions
  ) throws -> [RecordOutcome] {
    try recordNames.map { name in
      guard let found = try record(name) else {
        let refusal = ServerError(
          .notFound, "Record not found", "no record of any type has this name")
        return .failed(recordName: name, refusal)
      }
      let creator = found.record.created?.userRecordName
      return permissions.allows(.read, on: found.table.type, creator: creator)
        ? .record(found.record) : .failed(recordName: name, permissions.refusal(.read, on: found.table.type))
    }
  }

  mutating func record(_ name: String) throws -> StoredRecord? {
    let sql = "SELECT id, type FROM \(layout.tables.record) WHERE name = ?"
    guard let (id, type) = try db.first(sql, [.text(name)], { ($0.integer(0), $0.integer(1)) }) else {
      return nil
    }
    guard let table = layout[typeID: type], let record = try selection(table).record(db, id: id) else {
      throw StorageFailure.damaged(
        "record \(id) is listed, but its row in the table of its record type is missing")
    }
    return StoredRecord(id: id, table: table, record: record)
  }

  mutating func selection(_ table: RecordTypeTable) -> RecordSelection {
    if let known = selections[table.id] { return known }
    let selection = RecordSelection(layout, table, desiredKeys: desiredKeys, deviceID: deviceID)
    selections[table.id] = selection
    return selection
  }
}
