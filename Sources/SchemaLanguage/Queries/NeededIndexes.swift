/// The indexes that a query needs besides those of its filters, which ``Comparator/neededIndexes`` has
/// (Documentation/reference/web-services.md#comparators-and-indexes).
public enum NeededIndexes {
  /// For a query without filters, on `___recordID`.
  public static let ofQueryForAll: [Index] = [.queryable]

  public static let ofSort: [Index] = [.sortable]
}
