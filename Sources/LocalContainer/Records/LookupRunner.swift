internal import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database

/// Answers one lookup request, name by name.
struct LookupRunner {
  let db: Database
  let layout: SchemaTables
  let identity: CallerIdentity
  let settings: LocalContainerSettings

  func outcomes(_ request: LookupRequest) throws -> [RequestEntryOutcome] {
    try request.recordNames.map { name in
      do {
        return .record(try record(name, request.desiredKeys))
      } catch let refusal as ServiceRefusal {
        return .refused(recordName: name, refusal)
      }
    }
  }

  private func record(_ name: String, _ desiredKeys: [String]?) throws -> Record {
    let sql = "SELECT id, type FROM \(layout.tables.record) WHERE name = ?"
    guard let (id, type) = try db.first(sql, [.text(name)], { ($0.integer(0), $0.integer(1)) }),
      let table = layout[typeID: type]
    else { throw ServiceRefusal(.notFound, "Record not found", "no record of any type has this name") }
    let selection = RecordSelection(
      layout, table, desiredKeys: desiredKeys, deviceID: settings.deviceID)
    guard let record = try selection.record(db, id: id) else {
      throw StorageFailure.damaged(
        "record \(id) is listed, but its row in the table of its record type is missing")
    }
    let permissions = Permissions(identity: identity, behavior: settings.behavior)
    guard permissions.allows(.read, on: table.type, creator: record.created?.userRecordName) else {
      throw permissions.refusal(.read, on: table.type)
    }
    return record
  }
}
