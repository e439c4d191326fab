import Diagnostics

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

  package static let symbols: [(text: String, comparator: Comparator)] = [
    ("==", .equals), ("=", .equals), ("!=", .notEquals), ("<=", .lessThanOrEquals),
    (">=", .greaterThanOrEquals), ("<", .lessThan), (">", .greaterThan),
  ]

  /// The symbol or name that a word probably means: the nearest, or the shortest of which it is a part, as of
  /// `contains`. SQL's `<>` is near only to those that mean something else.
  package static func nearest(to word: String, among names: [String]) -> String? {
    if word == "<>" { return "!=" }
    let part = word.uppercased()
    let longer = names.filter { $0.split(separator: "_").contains(part[...]) }
    return SpellingSuggestion.nearest(to: word, among: names) ?? longer.min { $0.count < $1.count }
  }

  package init?(symbolOrName text: String) {
    let known = Self.symbols.first { $0.text == text }?.comparator ?? Self(rawValue: text)
    guard let known else { return nil }
    self = known
  }

  package var takesList: Bool {
    switch self {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll: true
    default: false
    }
  }

  /// Whether a field of the type is compared in this way
  /// (Documentation/reference/web-services.md#comparators-and-indexes).
  package func applies(to type: DataType) -> Bool {
    guard !type.isEncrypted else { return false }
    switch (self, type) {
    case (.near, _): return type == .location
    case (.beginsWith, _), (.notBeginsWith, _): return type == .string
    case (.containsAllTokens, _), (.containsAnyTokens, _): return type.primitive == .plain(.string)
    case (.listMemberBeginsWith, _), (.notListMemberBeginsWith, _): return type == .list(.plain(.string))
    case (.equals, .scalar), (.notEquals, .scalar), (.in, .scalar), (.notIn, .scalar): return type != .asset
    case (.lessThan, .scalar), (.lessThanOrEquals, .scalar), (.greaterThan, .scalar),
      (.greaterThanOrEquals, .scalar):
      return type.isNumber || [.string, .int64, .double, .timestamp].contains(type)
    case (.listContains, .list), (.notListContains, .list), (.listContainsAny, .list),
      (.notListContainsAny, .list), (.listContainsAll, .list), (.notListContainsAll, .list):
      return true
    default: return false
    }
  }

  /// What a filter on a field of a type can do instead of a comparison that does not apply.
  ///
  /// - Parameter words: the comparators to name, in the words of the query.
  package static func advice(for type: DataType, in words: [(comparator: Comparator, word: String)]) -> String
  {
    let usable = words.filter { $0.comparator.applies(to: type) }.map(\.word)
    guard let last = usable.last else {
      return "ask by another field, and let the app choose: no filter works on \(type)"
    }
    let list = usable.count > 1 ? "\(usable.dropLast().joined(separator: ", ")) or \(last)" : last
    return "use \(list)\(type == .string ? "; no filter finds a part of a word" : "")"
  }

  static let serviceWords = [
    Comparator.equals, .in, .lessThan, .greaterThan, .beginsWith, .containsAllTokens, .listContains, .near,
  ].map { (comparator: $0, word: $0.rawValue) }

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
