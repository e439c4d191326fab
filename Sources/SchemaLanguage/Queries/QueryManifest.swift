public import Diagnostics
import PositionedJSON

/// The queries an app makes, read from a JSON file, so that their indexes can be checked before anything
/// runs:
///
///     [{"recordType": "PublicFeed",
///       "filters": [{"field": "category", "comparator": "EQUALS"}],
///       "sorts": ["title"]}]
///
/// A query without filters asks for all records of its type. `recordName` stands for `___recordID`, and the
/// other system fields have the names of the web services.
public struct QueryManifest: Sendable {
  /// One index some query needs.
  struct Need: Sendable {
    let recordType: String
    let field: String
    let index: Index
    /// "a filter with EQUALS", for a message.
    let what: String
    let place: SourceRange
  }

  let needs: [Need]
  /// What is wrong with the file itself, under ``rule``.
  public let diagnostics: [Diagnostic]

  static let rule = Rule(
    "CK0601", "unreadable-queries", .error,
    summary: "The list of queries given with `--queries` cannot be understood",
    rationale:
      "It is a JSON list of `{\"recordType\", \"filters\": [{\"field\", \"comparator\"}], \"sorts\": [...]}`. "
      + "A query that cannot be read is not checked.",
    example: "", useInstead: "", source: "web-services.md section 3.2")

  /// Reads a manifest; what cannot be read is reported and left out.
  public init(parsing source: SourceText) {
    var reader = QueryManifestReader(source: source)
    reader.read()
    needs = reader.needs
    diagnostics = reader.diagnostics
  }
}

/// What each comparator needs (web-services.md section 3.2).
enum ComparatorIndex {
  static let byName: [String: Index] = [
    "EQUALS": .queryable, "NOT_EQUALS": .queryable, "IN": .queryable, "NOT_IN": .queryable,
    "LESS_THAN": .queryable, "LESS_THAN_OR_EQUALS": .queryable, "GREATER_THAN": .queryable,
    "GREATER_THAN_OR_EQUALS": .queryable, "BEGINS_WITH": .queryable, "NOT_BEGINS_WITH": .queryable,
    "NEAR": .queryable, "CONTAINS_ALL_TOKENS": .searchable, "CONTAINS_ANY_TOKENS": .searchable,
    "LIST_CONTAINS": .queryable, "NOT_LIST_CONTAINS": .queryable, "LIST_CONTAINS_ANY": .queryable,
    "NOT_LIST_CONTAINS_ANY": .queryable, "LIST_CONTAINS_ALL": .queryable, "NOT_LIST_CONTAINS_ALL": .queryable,
    "LIST_MEMBER_BEGINS_WITH": .queryable, "NOT_LIST_MEMBER_BEGINS_WITH": .queryable,
  ]

  static let symbols: [String: String] = [
    "==": "EQUALS", "=": "EQUALS", "!=": "NOT_EQUALS", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUALS",
    ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUALS",
  ]
}
