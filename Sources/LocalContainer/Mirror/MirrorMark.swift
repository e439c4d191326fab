package import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

internal import class GRDB.Database

/// What a container's file says about the service's container that it mirrors
/// (Documentation/Operators.md#a-mirror-of-a-service).
package struct MirrorMark: Sendable, Hashable {
  /// The mirrored container.
  package let source: ContainerIdentity
  /// Whether the types were named when the file was made; otherwise the schema decides.
  package let hasChosenTypes: Bool
  /// See ``MirrorKey/check``.
  let keyCheck: String
  /// By name.
  package var types: [MirroredType]
  /// The types that the service had at the last run and that are not copied.
  package let leftOut: Set<String>

  /// The moment before which nothing is missing in any type; `nil` while the first copy of a type is not complete.
  package var asOf: Timestamp? {
    types.contains { $0.asOf == nil } ? nil : types.compactMap(\.asOf).min()
  }

  /// `incomplete: the first copy of FeedSubscription has not ended`; `nil` for a mirror that has no such type.
  package var gap: String? {
    let names = types.filter { $0.asOf == nil }.map(\.name).joined(separator: ", ")
    return asOf == nil
      ? "incomplete: \(names.isEmpty ? "its first copy" : "the first copy of \(names)") has not ended" : nil
  }

  /// Whether some type has only a part of its records, or was not reached: a type that the service does not show has none.
  package var isPartial: Bool { types.contains { $0.asOf == nil && ($0.started != nil || $0.behind == nil) } }

  /// How to bring it up to date, or to make it again: `celestra-admin container backup catalog.sqlite --container …`
  package func update(_ path: String, asNew: Bool = false) -> String {
    let chosen =
      asNew && hasChosenTypes ? "--types \(types.map(\.name).joined(separator: ",").shellWord) " : ""
    return "celestra-admin container backup \(path.shellWord) \(chosen)\(source.options)"
  }

  /// How to copy types that were left out.
  package func advice(toCopy types: [String], into path: String) -> String {
    "The file is a mirror, which has the record types that were chosen. To add these: celestra-admin container backup \(path.shellWord) --types \(types.joined(separator: ",").shellWord) \(source.options)"
  }

  /// How to get a record type of which the file has nothing although the service has it; `nil` for any other type.
  func remedy(forLackOf recordType: String, in path: String) -> String? {
    if leftOut.contains(recordType) { return advice(toCopy: [recordType], into: path) }
    guard let type = types.first(where: { $0.name == recordType }), type.started == nil, type.asOf == nil,
      let reason = type.behind
    else { return nil }
    return
      "The service did not show them to the last run (\(reason)). Run it with a key that may read them: \(update(path))"
  }

  /// The record types that the service has and of which the file has nothing, or not all, by name: why, with what to do.
  package var lacks: [String: String] {
    var lacks: [String: String] = [:]
    for name in leftOut {
      lacks[name] = "not in the mirror: 'container backup --types \(name)' adds it; or search the service"
    }
    for type in types where type.asOf == nil {
      lacks[type.name] =
        "its first copy has not ended\(type.behind.map { " (\($0))" } ?? ""): run 'container backup' again with a key that may read it, or search the service"
    }
    return lacks
  }

  /// `mirror of cloudkit:iCloud.com.example.App (production), as of 2026-11-27T10:00:00.000Z`
  package var description: String {
    let state = gap ?? asOf.map { "as of \($0.iso8601)" } ?? ""
    return "mirror of \(source.inWords), \(state)"
  }
}

package struct MirroredType: Sendable, Hashable {
  package let name: String
  /// When the reading of the first copy began, by the service's clock.
  var started: Timestamp?
  var marker: String?
  /// What was created or changed before this moment, and not since, is in the file; `nil` before the first copy is
  /// complete.
  package var asOf: Timestamp?
  /// What was deleted before this moment is not in the file.
  package var deletionsAsOf: Timestamp?
  /// Whether the type had an index on the time of changes when it was last read whole.
  var isIndexed = false
  /// Whether the next reading needs all fields of all records, because the schema has changed.
  var needsAllFields = false
  /// Why the type could not be brought up to date; `nil` if it was.
  package var behind: String?
  /// See ``PersonDigests/rules(of:)``; `nil` before the first run that copies the type.
  var rules: String?

  init(_ name: String) { self.name = name }

  /// `FeedMetadata is behind (as of …): REASON`; `nil` for a type that is up to date.
  package var delay: String? {
    guard behind != nil || asOf == nil else { return nil }
    let since = asOf.map { "as of \($0.iso8601)" } ?? "incomplete"
    return "\(name) is behind (\(since)): \(behind ?? "its first copy has not ended")"
  }
}

extension MirrorMark {
  static let definition = """
    CREATE TABLE _mirror (
      source TEXT NOT NULL, environment TEXT NOT NULL, sourceID TEXT, hasChosenTypes INTEGER NOT NULL,
      keyCheck TEXT NOT NULL);
    CREATE TABLE _mirror_type (
      name TEXT PRIMARY KEY, started INTEGER, marker TEXT, asOf INTEGER, deletionsAsOf INTEGER,
      isIndexed INTEGER NOT NULL, needsAllFields INTEGER NOT NULL, behind TEXT, rules TEXT)
      WITHOUT ROWID;
    CREATE TABLE _mirror_left_out (name TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE _mirror_asset (checksum TEXT PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE _mirror_aside (
      record TEXT NOT NULL, field TEXT NOT NULL, type TEXT NOT NULL, value, PRIMARY KEY (record, field))
      WITHOUT ROWID;
    """

  /// Makes an ordinary container of a mirror.
  static func remove(_ db: Database) throws {
    for table in ["_mirror", "_mirror_type", "_mirror_left_out", "_mirror_aside", "_mirror_asset"] {
      try db.define("DROP TABLE IF EXISTS \(table)")
    }
    try MirrorViews.remove(db)
  }

  /// `nil` for a file that is not a mirror. Throws ``StorageFailure/damaged(_:)``.
  init?(_ db: Database) throws {
    guard try db.has("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_mirror'") else {
      return nil
    }
    let row = try db.first("SELECT source, environment, sourceID, hasChosenTypes, keyCheck FROM _mirror") {
      (
        name: $0.text(0), environment: Environment(rawValue: $0.text(1)),
        id: $0.isNull(2) ? nil : $0.text(2), hasChosenTypes: $0.integer(3) != 0, keyCheck: $0.text(4)
      )
    }
    guard let row, let environment = row.environment else {
      throw StorageFailure.damaged("it does not say what it mirrors")
    }
    source = ContainerIdentity(name: row.name, environment: environment, id: row.id)
    (hasChosenTypes, keyCheck) = (row.hasChosenTypes, row.keyCheck)
    types = try db.rows(MirroredType.selection) { MirroredType($0) }
    leftOut = Set(try db.rows("SELECT name FROM _mirror_left_out") { $0.text(0) })
  }
}

extension MirroredType {
  fileprivate static let selection = """
    SELECT name, started, marker, asOf, deletionsAsOf, isIndexed, needsAllFields, behind, rules
    FROM _mirror_type ORDER BY name
    """

  fileprivate init(_ row: SQLRow) {
    func time(_ column: Int) -> Timestamp? {
      row.isNull(column) ? nil : Timestamp(milliseconds: row.integer(column))
    }
    func text(_ column: Int) -> String? { row.isNull(column) ? nil : row.text(column) }
    name = row.text(0)
    (started, marker, asOf, deletionsAsOf) = (time(1), text(2), time(3), time(4))
    (isIndexed, needsAllFields, behind, rules) = (row.integer(5) != 0, row.integer(6) != 0, text(7), text(8))
  }

  func write(_ db: Database) throws {
    func time(_ time: Timestamp?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }
    func text(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    try db.run(
      "INSERT OR REPLACE INTO _mirror_type VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text(name), time(started), text(marker), time(asOf), time(deletionsAsOf),
        .integer(isIndexed ? 1 : 0), .integer(needsAllFields ? 1 : 0), text(behind), text(rules),
      ])
  }
}
