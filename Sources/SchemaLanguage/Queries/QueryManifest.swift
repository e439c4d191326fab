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
  /// Findings about the file itself, under the code ``SchemaCode/unreadableQueries``.
  package let diagnostics: [Diagnostic]

  /// Reads a manifest. Invalid parts are reported and left out.
  package init(parsing source: SourceText) {
    (queries, diagnostics) = AppQuery.read(source)
  }
}
