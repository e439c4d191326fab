package import CloudKitModel
package import SchemaLanguage

internal import class GRDB.Database

/// The records in which two containers differ, type by type. The records of both are compared in the order of their
/// names, so that memory does not grow with them.
package struct ContainerDifferences {
  private static let page = 500

  private let old: LocalContainer
  private let new: LocalContainer
  package let types: [String]
  package let uncompared: [String]
  /// By record type, the fields that are not compared: a mirror has digests there, and the other file has none, or those
  /// of another key.
  package let digests: [String: Set<String>]

  /// - Parameter relations: `schema.relations` of the project, with which mirrors were made; `nil` to compare digests as
  ///   any other value.
  package init(
    from old: LocalContainer, to new: LocalContainer, except excluded: Set<String>,
    relations: [DeclaredRelation]? = nil
  ) async throws {
    (self.old, self.new) = (old, new)
    let schemas = [
      try await old.store.schema(of: old.environment), try await new.store.schema(of: new.environment),
    ]
    let names = schemas.map { Set($0.recordTypes.map(\.name)).subtracting(excluded) }
    let types = names[0].intersection(names[1])
    self.types = types.sorted()
    uncompared = names[0].symmetricDifference(names[1]).sorted()
    let hasOneKey = relations == nil || old.store.mirror?.keyCheck == new.store.mirror?.keyCheck
    let persons = (hasOneKey ? [] : schemas).map { $0.fieldsOfPersons(relations ?? []) }
    digests = persons.reduce(into: [:]) { all, fields in
      all.merge(fields.filter { types.contains($0.key) && !$0.value.isEmpty }) { $0.union($1) }
    }
  }

  /// Whether the new container lacks a record of the old one, or one of its values, in a type that both have. A damaged
  /// old one may have more than can be read.
  package var mayLoseRecords: Bool {
    get async throws {
      struct Lost: Error {}
      do {
        for type in types {
          try await forEach(in: type) { was, isNow in
            if was?.fields.contains(where: { isNow?.fields[$0.key] != $0.value }) ?? false { throw Lost() }
            if was != nil, isNow == nil { throw Lost() }
          }
        }
        return try await !old.store.integrityProblems().isEmpty
      } catch is Lost {
        return true
      } catch let failure as ContainerFailure where failure.isOfFile {
        return true
      }
    }
  }

  /// Calls `body` with each record that differs, before and after; `nil` where it does not exist.
  package func forEach(in recordType: String, _ body: (Record?, Record?) throws -> Void) async throws {
    var before = VersionCursor(old, recordType)
    var after = VersionCursor(new, recordType)
    while true {
      let (left, right) = (try await before.next(), try await after.next())
      guard left != nil || right != nil else { return }
      let name = [left?.name, right?.name].compactMap(\.self).min() ?? ""
      let isBefore = left?.name == name
      let isAfter = right?.name == name
      if isBefore { before.advance() }
      if isAfter { after.advance() }
      if isBefore, isAfter, left?.tag == right?.tag { continue }
      let was = isBefore ? try await old.stored(left, without: digests[recordType]) : nil
      let isNow = isAfter ? try await new.stored(right, without: digests[recordType]) : nil
      if was?.fields != isNow?.fields || was == nil || isNow == nil { try body(was, isNow) }
    }
  }

  fileprivate struct Version: Sendable {
    let id: Int64
    let name: String
    let tag: SQLValue
    let type: Int64
  }

  /// A walk through the names and versions of a type, in the order of the names.
  private struct VersionCursor {
    private let container: LocalContainer
    private let recordType: String
    private var versions: ArraySlice<Version> = []
    private var last = ""
    private var isDone = false

    init(_ container: LocalContainer, _ recordType: String) {
      (self.container, self.recordType) = (container, recordType)
    }

    mutating func next() async throws -> Version? {
      if versions.isEmpty, !isDone {
        versions = try await container.versions(
          of: recordType, after: last, limit: ContainerDifferences.page)[...]
        last = versions.last?.name ?? last
        isDone = versions.count < ContainerDifferences.page
      }
      return versions.first
    }

    mutating func advance() { versions.removeFirst() }
  }
}

extension LocalContainer {
  fileprivate func versions(
    of recordType: String, after name: String, limit: Int
  ) async throws -> [ContainerDifferences.Version] {
    try await store.read(environment) { db, layout in
      guard let table = layout[recordType: recordType] else { return [] }
      return try db.rows(
        """
        SELECT id, name, tag FROM \(layout.tables.record) WHERE type = \(table.id) AND name > ?
        ORDER BY name LIMIT \(limit)
        """, [.text(name)]
      ) {
        ContainerDifferences.Version(id: $0.integer(0), name: $0.text(1), tag: $0[2], type: table.id)
      }
    }
  }

  fileprivate func stored(
    _ version: ContainerDifferences.Version?, without digests: Set<String>?
  ) async throws -> Record? {
    guard let version else { return nil }
    var record: Record? = try await store.read(environment) { db, layout in
      guard let table = layout[typeID: version.type] else { return nil }
      return try RecordSelection(layout, table, desiredKeys: nil, deviceID: "").record(db, id: version.id)
    }
    for field in digests ?? [] { record?.fields[field] = nil }
    return record
  }
}
