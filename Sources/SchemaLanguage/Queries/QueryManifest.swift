package import Diagnostics

/// The queries of an app, read from a JSON file, so that their indexes can be checked without running them:
///
///     [{"recordType": "PublicFeed",
///       "filters": [{"field": "category", "comparator": "EQUALS"}],
///       "sorts": ["title"]}]
///
/// A query without filters asks for all records of its type. System fields have their names in the schema or those of
/// the web services: `___recordID` or `recordName`.
package struct QueryManifest: Sendable {
  let queries: [AppQuery]
  /// Findings about the file itself, under ``rule``.
  package let diagnostics: [Diagnostic]

  package static let rule = Rule(
    "CK0601", "unreadable-queries", .error,
    summary: "A list of an app's queries is not valid",
    rationale:
      "The file must be a JSON list of `{\"recordType\", \"filters\": [{\"field\", \"comparator\"}], \"sorts\": [...]}`; "
      + "`schema rehearse` also needs a `name` for each query and a `value` for each filter. What is not valid of a query is "
      + "not checked, and the query is not run.",
    example: "", useInstead: "", source: Rule.reference("web-services", "comparators-and-indexes"))

  /// Reads a manifest. Invalid parts are reported and left out.
  package init(parsing source: SourceText) {
    (queries, diagnostics) = AppQuery.read(source)
  }
}
