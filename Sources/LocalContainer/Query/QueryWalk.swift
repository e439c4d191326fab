internal import CloudKitModel

/// Along which field's index a query is read, page after page.
///
/// The service's order of a query without sorts is not documented (Documentation/reference/web-services.md#pages). Here
/// it is the order of the index that finds the records: with any other, each page would find all of them again.
struct QueryWalk: Sendable {
  /// The first sort's field or, without sorts, that of an IN filter or of a range; `nil` walks by row id.
  let field: FieldName?
  let ascending: Bool
  /// The query gives no order: the walk's does.
  let isImplied: Bool
  /// The index is one of the directory's.
  let usesDirectory: Bool

  init(_ query: Query, _ table: TypeTable) {
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

  /// Another filter's index would find the records in another order, all of them for every page. A text that must
  /// be equal may find so few that this is still better; SQLite weighs that.
  func forbidsIndex(of filter: Filter) -> Bool {
    guard isImplied, let field, filter.field != field else { return false }
    return filter.comparator != .equals || (filter.value.string ?? filter.value.reference?.recordName) == nil
  }
}

extension TypeTable {
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
