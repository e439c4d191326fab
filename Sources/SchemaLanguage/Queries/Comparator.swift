/// The comparison of a filter, by its name in Web Services.
package enum Comparator: String, Sendable, Hashable, CaseIterable {
  case equals = "EQUALS"
  case notEquals = "NOT_EQUALS"
  case lessThan = "LESS_THAN"
  case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
  case greaterThan = "GREATER_THAN"
  case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
  case near = "NEAR"
  case containsAllTokens = "CONTAINS_ALL_TOKENS"
  case containsAnyTokens = "CONTAINS_ANY_TOKENS"
  case `in` = "IN"
  case notIn = "NOT_IN"
  case beginsWith = "BEGINS_WITH"
  case notBeginsWith = "NOT_BEGINS_WITH"
  case listContains = "LIST_CONTAINS"
  case notListContains = "NOT_LIST_CONTAINS"
  case listContainsAny = "LIST_CONTAINS_ANY"
  case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
  case listContainsAll = "LIST_CONTAINS_ALL"
  case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
  case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

  /// The comparators that also have a symbol.
  package static let symbols: [(text: String, comparator: Comparator)] = [
    ("==", .equals), ("=", .equals), ("!=", .notEquals), ("<=", .lessThanOrEquals),
    (">=", .greaterThanOrEquals), ("<", .lessThan), (">", .greaterThan),
  ]

  /// From a symbol, or the name in Web Services.
  package init?(symbolOrName text: String) {
    let known = Self.symbols.first { $0.text == text }?.comparator ?? Self(rawValue: text)
    guard let known else { return nil }
    self = known
  }

  /// Whether the value is a list.
  package var takesList: Bool {
    switch self {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll: true
    default: false
    }
  }

  /// The indexes for a filter on a field: any one of them is enough, and messages suggest the first
  /// (Documentation/reference/web-services.md#comparators-and-indexes).
  package var neededIndexes: [Index] {
    switch self {
    case .containsAllTokens, .containsAnyTokens: [.searchable]
    // Whether SORTABLE alone is enough is unknown: Apple's schema page says so, the service's errors do not.
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .beginsWith, .notBeginsWith:
      [.queryable, .sortable]
    case .equals, .notEquals, .in, .notIn, .near, .listContains, .notListContains, .listContainsAny,
      .notListContainsAny, .listContainsAll, .notListContainsAll, .listMemberBeginsWith,
      .notListMemberBeginsWith:
      [.queryable]
    }
  }
}

/// The indexes that a query needs besides those of its filters, which ``Comparator/neededIndexes`` has
/// (Documentation/reference/web-services.md#comparators-and-indexes).
package enum NeededIndexes {
  /// For a query without filters, on `___recordID`.
  package static let ofQueryForAll: [Index] = [.queryable]

  package static let ofSort: [Index] = [.sortable]
}
