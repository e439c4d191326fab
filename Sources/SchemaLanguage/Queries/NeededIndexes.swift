/// The indexes that queries need, for the lint rules and for containers
/// (Documentation/reference/web-services.md#comparators-and-indexes).
public enum NeededIndexes {
  /// For a query without filters, on `___recordID`.
  public static let ofQueryForAll: [Index] = [.queryable]

  public static let ofSort: [Index] = [.sortable]

  /// The indexes for a filter: any one of them is enough, and messages suggest the first. `nil` for an unknown
  /// comparator.
  public static func ofFilter(_ comparator: String) -> [Index]? { byComparator[comparator] }

  /// All comparators, by their names in Web Services.
  public static var comparators: [String] { byComparator.keys.sorted() }

  private static let byComparator: [String: [Index]] = {
    let words = ["CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS"]
    // Whether SORTABLE alone is enough is unknown: Apple's schema page says so, the service's errors do not.
    let ranges = [
      "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN", "GREATER_THAN_OR_EQUALS", "BEGINS_WITH",
      "NOT_BEGINS_WITH",
    ]
    let values = [
      "EQUALS", "NOT_EQUALS", "IN", "NOT_IN", "NEAR", "LIST_CONTAINS", "NOT_LIST_CONTAINS",
      "LIST_CONTAINS_ANY",
      "NOT_LIST_CONTAINS_ANY", "LIST_CONTAINS_ALL", "NOT_LIST_CONTAINS_ALL", "LIST_MEMBER_BEGINS_WITH",
      "NOT_LIST_MEMBER_BEGINS_WITH",
    ]
    let rows =
      words.map { ($0, [Index.searchable]) } + ranges.map { ($0, [.queryable, .sortable]) }
      + values.map { ($0, [.queryable]) }
    return Dictionary(uniqueKeysWithValues: rows)
  }()
}
