package import Diagnostics

/// The queries of an app, read from a JSON file, so that their indexes can be checked without running them:
///
///     [{"recordType": "PublicFeed",
///       "filters": [{"field": "category", "comparator": "EQUALS"}],
///       "sorts": ["title"]}]
///
/// A query without filters asks for all records of its type. `recordName` stands for `___recordID`, and the
/// other system fields have the names of the web services.
package struct QueryManifest: Sendable {
  /// An index some query needs.
  struct Need: Sendable {
    let recordType: String
    let field: String
    /// Any one of these is enough; messages suggest the first.
    let accepted: [Index]
    /// "a filter with EQUALS", for a message.
    let what: String
    let place: SourceRange
    /// Where the query names its record type.
    let typePlace: SourceRange
    /// The schema file that the query belongs to; `nil` for any.
    let schema: String?
  }

  let needs: [Need]
  /// Findings about the file itself, under ``rule``.
  package let diagnostics: [Diagnostic]

  static let rule = Rule(
    "CK0601", "unreadable-queries", .error,
    summary: "The list of queries given with `--queries` is not valid",
    rationale:
      "The file must be a JSON list of `{\"recordType\", \"filters\": [{\"field\", \"comparator\"}], \"sorts\": [...]}`. "
      + "A query that is not valid is not checked.",
    example: "", useInstead: "", source: Rule.reference("web-services", "comparators-and-indexes"))

  /// Reads a manifest. Invalid parts are reported and left out.
  package init(parsing source: SourceText) {
    let (queries, diagnostics) = AppQuery.read(source, code: Self.rule.code)
    needs = queries.flatMap { Self.needs(of: $0, in: source) }
    self.diagnostics = diagnostics
  }

  private static func needs(of query: AppQuery, in source: SourceText) -> [Need] {
    func need(_ field: String, _ accepted: [Index], _ what: String, _ place: Range<Int>) -> Need {
      Need(
        recordType: query.recordType, field: systemField(field)?.storedName ?? field, accepted: accepted,
        what: what,
        place: source.range(place), typePlace: source.range(query.typePlace), schema: query.schema)
    }
    // A filter that is not valid is still one.
    let all =
      query.node["filters"]?.elements?.isEmpty ?? true
      ? [
        need(
          SystemField.recordName.storedName, NeededIndexes.ofQueryForAll, "a query for every record",
          query.typePlace)
      ] : []
    return all
      + query.filters.map {
        need($0.field, $0.comparator.neededIndexes, "a filter with \($0.comparator.rawValue)", $0.place)
      } + query.sorts.map { need($0.field, NeededIndexes.ofSort, "a sort", $0.place) }
  }

  /// The system field with this Web Services name. Excludes `etag`, which can also be a user's field.
  private static func systemField(_ name: String) -> SystemField? {
    SystemField(rawValue: name).flatMap { $0 == .etag ? nil : $0 }
  }
}
