internal import CloudKitModel
internal import LocalContainer
internal import SchemaLanguage
internal import Synchronization

struct RecordFacets: Sendable {
  /// A value as a filter writes it, and as it is called.
  struct Value: Sendable {
    let value: String
    let name: String
    let records: Int64
  }

  /// By field, the value with the most records first.
  var fields: [(name: String, values: [Value])] = []
  /// The records that match the filters; `nil` if unknown.
  var records: Int64?
}

extension LocalConsole {
  /// Above this number of records a page does not count values, because that reads all of them.
  private static let maxCounted: Int64 = 20_000
  private static let maxValues = 20

  /// Counts what matches a query by the fields that filters may use and that have few values.
  func facets(of query: Query, _ fields: [Field], _ schema: Schema) async throws -> RecordFacets {
    let all = try await store.info().counts.first {
      $0.environment == options.environment && $0.recordType == query.recordType
    }?.records
    var facets = RecordFacets(records: query.filters.isEmpty ? all : nil)
    guard let all, all <= Self.maxCounted else { return facets }
    let title = RecordColumns.title(of: fields)
    let countable: [FieldType] = [.scalar(.string), .scalar(.reference), .scalar(.int64)]
    for field in fields
    where field.name != title && !field.name.hasPrefix("___") && field.indexes.contains(.queryable)
      && !field.type.isEncrypted && countable.contains(FieldType(field.type))
    {
      let groups = try await groups(of: field.name, query)
      facets.records = groups.reduce(0) { $0 + $1.records }
      let values = groups.filter { !$0.group.isEmpty }
      // Where each record has a value of its own, a list of them says nothing.
      guard (2...Self.maxValues).contains(values.count), values.contains(where: { $0.records > 1 }) else {
        continue
      }
      let isReference = FieldType(field.type) == .scalar(.reference)
      let references = isReference ? values.map { FieldValue.reference(Reference($0.group)) } : []
      let titles = try await titles(of: references, in: schema)
      facets.fields.append(
        (
          field.name,
          values.sorted { ($1.records, $0.group) < ($0.records, $1.group) }.map {
            RecordFacets.Value(value: $0.group, name: titles[$0.group] ?? $0.group, records: $0.records)
          }
        ))
    }
    return facets
  }

  private func groups(of field: String, _ query: Query) async throws -> [GroupCount] {
    let groups = Mutex<[GroupCount]>([])
    _ = try await container.countGroups(
      GroupCountRequest(recordType: query.recordType, groupField: field, filters: query.filters)
    ) { found in groups.withLock { $0 += found } }
    return groups.withLock { $0 }
  }
}
