internal import CloudKitModel
internal import SchemaLanguage

/// The field whose index gives the order in which a query's pages are read.
///
/// The service's order of a query without sorts is not documented (Documentation/reference/web-services.md#pages).
/// Here it is the order of the index that finds the records. In any other order, every page would have to find and
/// sort all records again.
struct IndexOrder: Sendable {
  /// The first sort's field or, without sorts, the field of an IN or range filter. `nil` means the order of row
  /// ids.
  let field: FieldName?
  let ascending: Bool
  /// Whether the query has no sorts, so that this order is the result's.
  let isImplied: Bool
  /// Whether the index belongs to the directory of records, not to the type's table.
  let usesDirectory: Bool

  init(_ query: Query, _ table: RecordTypeTable) {
    isImplied = query.sorts.isEmpty
    if let sort = query.sorts.first {
      field = sort.relativeLocation == nil ? sort.field : nil
      ascending = sort.ascending
      usesDirectory = sort.field.isSystem
      return
    }
    ascending = true
    let indexed = query.filters.filter { table.hasIndex(for: $0.field) }
    let equal = indexed.first { $0.comparator == .equals }
    field =
      indexed.first { $0.comparator == .in }?.field
      ?? (equal == nil ? indexed.first { $0.comparator.isRange }?.field : nil)
    usesDirectory = (field ?? equal?.field)?.isSystem ?? false
  }

  /// Whether SQLite must not use the index of this filter, which gives another order and so would need all records
  /// for every page. Allowed for text equality, which may match so few records that sorting them is cheaper; SQLite
  /// decides.
  func forbidsIndex(of filter: Filter) -> Bool {
    guard isImplied, let field, filter.field != field else { return false }
    return filter.comparator != .equals || (filter.value.string ?? filter.value.reference?.recordName) == nil
  }
}

extension RecordTypeTable {
  fileprivate func hasIndex(for field: FieldName) -> Bool {
    switch field {
    case .user(let name): self[field: name]?.hasColumnIndex ?? false
    case .system(let field): field != .etag
    }
  }
}

extension FieldName {
  fileprivate var isSystem: Bool { if case .system = self { true } else { false } }
}

extension Comparator {
  fileprivate var isRange: Bool {
    switch self {
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .beginsWith: true
    default: false
    }
  }
}
