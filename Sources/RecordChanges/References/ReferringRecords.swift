internal import CloudKitModel
internal import SchemaLanguage

/// Reads the records that refer to others.
struct ReferringRecords {
  /// A record with a field that names another record.
  struct Link {
    var record: Record
    var field: ReferenceField
    var target: String
  }

  private let container: any Container

  init(in container: any Container) { self.container = container }

  /// The links of a field to records. Empty when the container has no such type.
  ///
  /// Throws the container's errors, such as ACCESS_DENIED for a type that the key may not read.
  func links(of field: ReferenceField, to targets: Set<String>) async throws -> [Link] {
    let records: [Record]
    do { records = try await self.records(of: field, to: targets.sorted()) } catch let refusal as ServerError
      where refusal.code == .notFound
    {
      return []
    }
    return records.flatMap { record in
      Set(record[field.field]?.referredNames ?? []).intersection(targets).sorted()
        .map { Link(record: record, field: field, target: $0) }
    }
  }

  private func records(of field: ReferenceField, to names: [String]) async throws -> [Record] {
    let everything = Query(field.recordType)
    let desiredKeys = [field.field] + Record.knownNameFields
    do {
      var found: [Record] = []
      for some in names.chunks(of: ContainerLimits.namesPerQuery) {
        guard let value = field.values(Array(some)) else { break }
        var query = everything
        query.filters = [Filter(.init(field.field), .in, value)]
        found += try await container.allRecords(query, desiredKeys: desiredKeys)
      }
      if field.kind != .list { return found }
    } catch let refusal as ServerError where refusal.code == .badRequest {
      // The field has no index: every record is read.
    }
    return try await container.allRecords(everything, desiredKeys: desiredKeys)
  }
}

extension ReferenceField {
  /// What a filter compares the field with; `nil` for a list, which is read whole.
  fileprivate func values(_ names: [String]) -> FieldValue? {
    switch kind {
    case .name: .strings(names)
    case .reference: .references(names)
    case .list: nil
    }
  }
}
