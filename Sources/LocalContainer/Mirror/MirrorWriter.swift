internal import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database

/// Writes some records to a mirror as the service has them: with its change tags, times and stamps.
final class MirrorWriter {
  enum Effect {
    case new, changed, same
    /// The file has a version that was written later. Only a lookup says which one the service has.
    case older
  }

  private let db: Database
  private let layout: SchemaTables
  private let hasAside: Bool
  private let namesAreIndexed: Bool
  private let writer: RecordWriter
  private var reader: RecordReader
  private var stamps = UserStamps()

  init(db: Database, layout: SchemaTables) throws {
    self.db = db
    self.layout = layout
    writer = try RecordWriter(db: db, tables: layout.tables)
    reader = RecordReader(db, layout, deviceID: "")
    namesAreIndexed = try MirrorNames(db: db, tables: layout.tables).areIndexed
    hasAside = try db.has("SELECT 1 FROM _mirror_aside LIMIT 1")
  }

  /// Ends the work, and removes the names of users that no stamp has any more.
  func finish() throws { try stamps.write(db) }

  private struct Present {
    let id: Int64
    let type: Int64
    let tag: SQLValue
    /// Milliseconds since 1970.
    let modified: Int64

    static let columns = "id, type, tag, modifiedAt"

    init(_ row: SQLRow) {
      (id, type, tag, modified) = (row.integer(0), row.integer(1), row[2], row.integer(3))
    }
  }

  /// Stores a record unless the file has its version. Values that do not fit the schema are kept aside.
  ///
  /// - Parameters:
  ///   - isCurrent: whether a lookup brought the record. An index may still show a former one.
  ///   - force: to write also a version that the file has, whose fields may differ under a new schema.
  func put(
    _ record: Record, in table: RecordTypeTable, isCurrent: Bool, force: Bool
  ) throws -> (id: Int64, Effect) {
    let tag = MirrorTag.stored(record.changeTag)
    let present = try self.present(record.recordName)
    if let present, !isCurrent, let modified = record.modified?.timestamp.milliseconds,
      modified < present.modified
    {
      return (present.id, .older)
    }
    if let present, present.type == table.id {
      guard force || present.tag != tag else { return (present.id, .same) }
      guard let old = try reader.selection(table).record(db, id: present.id) else { throw Self.missingRow }
      let new = try fitting(record, in: table)
      var header = try header(of: record, tag)
      // To write the same stamp again would renew its index entries.
      if old.created == record.created { header.created = nil }
      try writer.update(present.id, in: table, from: old, to: new, header: header)
      try drop(old)
      return (present.id, present.tag == tag && old.fields == new.fields ? .same : .changed)
    }
    if let present { try delete(present.id) }
    let id = try writer.insert(fitting(record, in: table), into: table, header: header(of: record, tag))
    return (id, .new)
  }

  /// - Parameter isFormer: whether the file has another version of the record, to which the values kept aside belong.
  func delete(_ id: Int64, isFormer: Bool = false) throws {
    let sql = "SELECT \(Present.columns) FROM \(layout.tables.record) WHERE id = ?"
    guard let present = try db.first(sql, [.integer(id)], Present.init),
      let table = layout[typeID: present.type], let record = try reader.selection(table).record(db, id: id)
    else { throw Self.missingRow }
    try writer.delete(id, record, from: table)
    try drop(record)
    if !isFormer { try db.run("DELETE FROM _mirror_aside WHERE record = ?", [.text(record.recordName)]) }
  }

  func id(of recordName: String, version: String?, in table: RecordTypeTable) throws -> Int64? {
    guard let present = try present(recordName), present.type == table.id,
      present.tag == MirrorTag.stored(version)
    else { return nil }
    return present.id
  }

  /// `nil` also while a first copy goes on, whose records are new.
  private func present(_ recordName: String) throws -> Present? {
    guard namesAreIndexed else { return nil }
    let sql = "SELECT \(Present.columns) FROM \(layout.tables.record) WHERE name = ?"
    return try db.first(sql, [.text(recordName)], Present.init)
  }

  private func header(of record: Record, _ tag: SQLValue) throws -> RecordHeader {
    try RecordHeader(tag: tag, created: stored(record.created), modified: stored(record.modified))
  }

  private func stored(_ stamp: RecordStamp?) throws -> RecordHeader.Stamp {
    RecordHeader.Stamp(
      time: stamp?.timestamp.milliseconds ?? 0, user: try stamps.add(1, of: stamp?.userRecordName, db))
  }

  private func drop(_ record: Record) throws {
    for stamp in [record.created, record.modified] { try stamps.add(-1, of: stamp?.userRecordName, db) }
  }

  /// The record with the fields that fit the schema. The others are kept aside.
  private func fitting(_ record: Record, in table: RecordTypeTable) throws -> Record {
    var fitting = record
    for (name, value) in record.fields {
      let fits = table[field: name]?.type == value.type
      guard !fits || hasAside else { continue }
      let key = [SQLValue.text(record.recordName), .text(name)]
      if fits {
        try db.run("DELETE FROM _mirror_aside WHERE record = ? AND field = ?", key)
      } else {
        fitting.fields[name] = nil
        try db.run(
          "INSERT OR REPLACE INTO _mirror_aside VALUES (?, ?, ?, ?)",
          key + [.text(table.type.name), StoredValue.encode(value)])
      }
    }
    return fitting
  }

  private static let missingRow = StorageFailure.damaged("a record is listed, but its row is missing")
}

/// A service's change tag in the directory of records: as a number if it looks like a tag of this tool, which takes less
/// room, else as its bytes.
enum MirrorTag {
  static func stored(_ text: String?) -> SQLValue {
    guard let text else { return .blob([]) }
    guard let number = ChangeTag.number(text), ChangeTag.text(number) == text else {
      return .blob(Array(text.utf8))
    }
    return .integer(number)
  }

  static func text(_ stored: SQLValue) -> String? {
    switch stored {
    case .integer(let number): ChangeTag.text(number)
    case .blob(let bytes): bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    default: nil
    }
  }
}
