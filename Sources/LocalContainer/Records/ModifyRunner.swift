package import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database

/// One modify request: operations in order, each with an outcome of its own
/// (Documentation/reference/web-services.md#modify).
///
/// Each operation is checked completely before it writes, so that a refused operation changes nothing.
final class ModifyRunner {
  private let db: Database
  private var layout: SchemaTables {
    didSet { reader = RecordReader(db, layout, deviceID: settings.deviceID) }
  }
  private var reader: RecordReader
  private let identity: CallerIdentity
  private let settings: LocalContainerSettings
  private let permissions: Permissions
  private let writer: RecordWriter
  private let isService: Bool
  private var tag: Int64
  private let stamp: RecordHeader.Stamp
  private var namesSeen: Set<String> = []
  private var stamps = UserStamps()
  /// The records that this request deleted, if the index lags behind.
  private(set) var deleted: [Record] = []

  /// - Parameter isService: true for what the service itself writes; needs no CREATE or WRITE grant.
  init(
    _ db: Database, _ layout: SchemaTables, _ identity: CallerIdentity, _ settings: LocalContainerSettings,
    isService: Bool = false
  ) throws {
    self.db = db
    self.layout = layout
    reader = RecordReader(db, layout, deviceID: settings.deviceID)
    self.identity = identity
    self.settings = settings
    self.isService = isService
    permissions = Permissions(identity: identity, behavior: settings.behavior)
    writer = try RecordWriter(db: db, tables: layout.tables)
    tag = try ChangeTag.last(db)
    // A request that writes nothing leaves no name.
    stamp = RecordHeader.Stamp(
      time: settings.now().milliseconds, user: try stamps.add(0, of: identity.userRecordName, db))
  }

  func apply(_ operations: [RecordOperation]) throws -> [RecordOutcome] {
    var outcomes: [RecordOutcome?] = Array(repeating: nil, count: operations.count)
    for index in WritingOrder(operations).indices {
      let operation = operations[index]
      outcomes[index] =
        try settings.behavior.justInTimeSchema ? outcome(growingBy: operation) : outcome(of: operation)
    }
    try ChangeTag.setLast(tag, db)
    try stamps.write(db)
    return outcomes.compactMap(\.self)
  }

  /// The outcome with a just-in-time schema, which keeps nothing of a refused operation.
  private func outcome(growingBy operation: RecordOperation) throws -> RecordOutcome? {
    let before = layout
    var result: RecordOutcome?
    try db.inSavepoint {
      let outcome = try self.outcome(of: operation)
      result = outcome
      guard case .failed = outcome else { return .commit }
      layout = before
      return .rollback
    }
    return result
  }

  private func outcome(of operation: RecordOperation) throws -> RecordOutcome {
    do {
      try checkName(operation)
      switch operation.kind {
      case .delete, .forceDelete: return try delete(operation)
      default: return try save(operation)
      }
    } catch let refusal as ServerError {
      return .failed(recordName: operation.recordName, refusal)
    }
  }

  private func checkName(_ operation: RecordOperation) throws {
    guard let name = operation.recordName else {
      guard operation.kind == .create else {
        throw ServerError.malformed("\(operation.kind.rawValue) needs a recordName")
      }
      return
    }
    let limit = settings.behavior.recordNameLength
    guard !name.isEmpty, name.utf8.count <= limit, name.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw ServerError(
        .badRequest, "Invalid record name: it must be 1 to \(limit) ASCII characters.",
        "a record name is 1 to \(limit) ASCII characters")
    }
    guard namesSeen.insert(name).inserted || settings.behavior.repeatedRecord == .accept else {
      throw ServerError(
        .badRequest, "record '\(name)' is specified multiple times",
        "send one operation for each record in a request")
    }
  }

  // MARK: - Saving

  private func save(_ operation: RecordOperation) throws -> RecordOutcome {
    let existing = try operation.recordName.flatMap { try reader.record($0) }
    switch (operation.kind, existing) {
    case (.create, _?):
      throw ServerError(
        .conflict, "record to insert already exists",
        "use update with the record's change tag, or a force operation")
    case (.update, nil), (.replace, nil): throw missing()
    case (_, nil): return try insert(operation)
    case (_, let existing?): return try update(operation, existing)
    }
  }

  private func insert(_ operation: RecordOperation) throws -> RecordOutcome {
    let table = try table(for: operation)
    guard isService || permissions.allows(.create, on: table.type, creator: nil) else {
      throw permissions.refusal(.create, on: table.type)
    }
    let fields = try FieldWriteCheck(table: table, environment: layout.environment).accepted(operation.fields)
    var record = Record(
      recordType: table.type.name, recordName: operation.recordName ?? settings.makeRecordName())
    record.fields = fields.compactMapValues(\.self)
    try checkSaved(record, before: nil, in: table)
    tag += 1
    if !table.isStored {
      try SchemaWriter(db: db, layout: layout).store(table)
      layout = try SchemaTables.load(db, layout.environment)
    }
    try writer.insert(record, into: table, header: header)
    try stamps.add(2, of: identity.userRecordName, db)
    return .record(saved(record, created: nil, keys: operation.desiredKeys))
  }

  private func update(_ operation: RecordOperation, _ existing: StoredRecord) throws -> RecordOutcome {
    let table = try table(of: existing, operation)
    let old = existing.record
    try checkAccess(to: existing, table)
    if operation.kind == .update || operation.kind == .replace { try checkTag(operation, old) }
    let fields = try FieldWriteCheck(table: table, environment: layout.environment).accepted(operation.fields)
    var new = old
    if operation.kind == .replace || operation.kind == .forceReplace { new.fields = [:] }
    for (name, value) in fields { new.fields[name] = value }
    try checkSaved(new, before: old, in: table)
    if new.fields != old.fields || settings.behavior.writeWithoutChangeMakesTag {
      tag += 1
      try writer.update(existing.id, in: table, from: old, to: new, header: header)
      try stamps.add(-1, of: old.modified?.userRecordName, db)
      try stamps.add(1, of: identity.userRecordName, db)
      return .record(saved(new, created: old.created, keys: operation.desiredKeys))
    }
    return .record(old.keeping(operation.desiredKeys))
  }

  private func saved(_ record: Record, created: RecordStamp?, keys: [String]?) -> Record {
    var record = record.keeping(keys)
    let stamp = RecordStamp(
      timestamp: Timestamp(milliseconds: self.stamp.time), userRecordName: identity.userRecordName ?? "",
      deviceID: settings.deviceID)
    record.changeTag = ChangeTag.text(tag)
    record.created = created ?? stamp
    record.modified = stamp
    return record
  }

  private func checkTag(_ operation: RecordOperation, _ old: Record) throws {
    guard let tag = operation.changeTag else {
      let behavior = settings.behavior
      let choice = operation.kind == .delete ? behavior.deleteWithoutTag : behavior.updateWithoutTag
      if choice == .accept { return }
      throw ServerError.malformed("\(operation.kind.rawValue) needs a recordChangeTag")
    }
    guard tag == old.changeTag else {
      throw ServerError(
        .conflict, "client oplock error updating record",
        "the change tag is \(old.changeTag ?? "none"), the request has \(tag)")
    }
  }

  private func checkSaved(_ record: Record, before: Record?, in table: RecordTypeTable) throws {
    try FieldWriteCheck.checkSize(record, settings.behavior)
    for (name, value) in record.fields {
      let references = value.actingReferences
      guard !references.isEmpty, before?.fields[name] != value else { continue }
      for reference in references { try check(reference, from: record, field: name) }
    }
  }

  private func check(_ reference: Reference, from record: Record, field: String) throws {
    switch reference.action {
    case .none: return
    case .validate:
      guard try reference.recordName == record.recordName || exists(reference.recordName) else {
        throw ServerError(
          .validatingReferenceError, "record referenced by field '\(field)' does not exist",
          "\(reference.recordName) must be saved first, or in the same request")
      }
    case .deleteSelf:
      let limit = settings.behavior.deleteSelfSources
      let sources = try ReferenceTable(db: db, tables: layout.tables).deleteSelfSources(
        of: reference.recordName, besides: record.recordName)
      guard sources < limit else {
        throw ServerError(
          .badRequest, "more than \(limit) references with the action DELETE_SELF to one record",
          "\(reference.recordName) has \(sources) already")
      }
    }
  }

  // MARK: - Deleting

  private func delete(_ operation: RecordOperation) throws -> RecordOutcome {
    guard let name = operation.recordName else { throw ServerError.malformed("delete needs a recordName") }
    guard let existing = try reader.record(name) else { return .deleted(recordName: name) }
    let table = try table(of: existing, operation)
    try checkAccess(to: existing, table)
    if operation.kind == .delete { try checkTag(operation, existing.record) }
    let links = ReferenceTable(db: db, tables: layout.tables)
    for record in try links.recordsToDelete(with: existing.id, name) { try remove(record) }
    return .deleted(recordName: name)
  }

  private func remove(_ id: Int64) throws {
    let sql = "SELECT type FROM \(layout.tables.record) WHERE id = ?"
    guard let type = try db.first(sql, [.integer(id)], { $0.integer(0) }),
      let table = layout[typeID: type],
      let record = try reader.selection(table).record(db, id: id)
    else { return }
    try writer.delete(id, record, from: table)
    if settings.behavior.indexDelay > 0 { deleted.append(record) }
    for stamp in [record.created, record.modified] { try stamps.add(-1, of: stamp?.userRecordName, db) }
  }

  private var header: RecordHeader { RecordHeader(tag: .integer(tag), modified: stamp) }

  // MARK: - Reading

  private func exists(_ name: String) throws -> Bool {
    try db.has("SELECT 1 FROM \(layout.tables.record) WHERE name = ?", [.text(name)])
  }

  // MARK: - Types and access

  private func table(for operation: RecordOperation) throws -> RecordTypeTable {
    guard let type = operation.recordType else {
      throw ServerError.malformed("a new record needs a recordType")
    }
    try growSchema(type, operation.fields)
    guard let table = layout[recordType: type] else { throw unknownType(type) }
    return table
  }

  private func table(of existing: StoredRecord, _ operation: RecordOperation) throws -> RecordTypeTable {
    let type = existing.table.type.name
    if let asked = operation.recordType, asked != type {
      guard layout[recordType: asked] != nil else { throw unknownType(asked) }
      throw ServerError(
        .badRequest, "record type '\(asked)' does not match the record's type '\(type)'",
        "the type of a record cannot change, and record names are unique across all types")
    }
    try growSchema(type, operation.fields)
    return layout[recordType: type] ?? existing.table
  }

  private func checkAccess(to existing: StoredRecord, _ table: RecordTypeTable) throws {
    let creator = existing.record.created?.userRecordName
    guard isService || permissions.allows(.write, on: table.type, creator: creator) else {
      throw permissions.refusal(.write, on: table.type)
    }
  }

  private func growSchema(_ type: String, _ fields: [String: FieldValue?]) throws {
    guard settings.behavior.justInTimeSchema, layout.environment == .development else { return }
    guard let grown = try layout.schema.growing(type, by: fields) else { return }
    try SchemaWriter(db: db, layout: layout).replace(with: grown)
    layout = try SchemaTables.load(db, layout.environment)
  }

  private func unknownType(_ type: String) -> ServerError {
    let explanation = "the \(layout.environment.rawValue) schema has no record type \(type)"
    guard layout.environment == .production else {
      return ServerError(.notFound, "could not find record_type with name '\(type)'", explanation)
    }
    return ServerError(.badRequest, "Cannot create new type \(type) in production schema", explanation)
  }

  private func missing() -> ServerError {
    let code = settings.behavior.updateOfMissing
    let reason = code == .conflict ? "Oplock error updating deleted record" : "Record not found"
    return ServerError(code, reason, "no record has this name: create it")
  }
}

extension Record {
  package func keeping(_ keys: [String]?) -> Record {
    guard let keys else { return self }
    var record = self
    record.fields = record.fields.filter { keys.contains($0.key) }
    return record
  }
}
