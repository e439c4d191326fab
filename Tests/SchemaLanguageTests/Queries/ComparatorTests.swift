import Testing

@testable import SchemaLanguage

@Suite("Comparators") struct ComparatorTests {
  @Test(
    "comparators have names and symbols, and need an index",
    arguments: [
      ("==", Comparator.equals, [Index.queryable], false), ("=", .equals, [.queryable], false),
      ("!=", .notEquals, [.queryable], false),
      ("<", .lessThan, [.queryable, .sortable], false),
      ("<=", .lessThanOrEquals, [.queryable, .sortable], false),
      (">", .greaterThan, [.queryable, .sortable], false),
      (">=", .greaterThanOrEquals, [.queryable, .sortable], false),
      ("IN", .in, [.queryable], true), ("NOT_IN", .notIn, [.queryable], true),
      ("BEGINS_WITH", .beginsWith, [.queryable, .sortable], false),
      ("CONTAINS_ANY_TOKENS", .containsAnyTokens, [.searchable], false),
      ("LIST_CONTAINS", .listContains, [.queryable], false),
      ("LIST_CONTAINS_ANY", .listContainsAny, [.queryable], true),
      ("NOT_LIST_CONTAINS_ALL", .notListContainsAll, [.queryable], true),
      ("NEAR", .near, [.queryable], false),
    ])
  func comparators(_ text: String, _ comparator: Comparator, _ indexes: [Index], _ takesList: Bool) {
    #expect(Comparator(symbolOrName: text) == comparator)
    #expect(comparator.neededIndexes == indexes)
    #expect(comparator.takesList == takesList)
    #expect(Comparator(symbolOrName: text.lowercased() + "?") == nil)
  }
}
