public import Diagnostics

/// The queries of an app, read from a JSON file, so that their indexes can be checked without running them:
///
///     [{"recordType": "PublicFeed",
///       "filters": [{"field": "category", "comparator": "EQUALS"}],
///       "sorts": ["title"]}]
///
/// A query without filters asks for all records of its type. `recordName` stands for `___recordID`, and the
/// other system fields have the names of the web services.
public struct QueryManifest: Sendable {
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
  public let diagnostics: [Diagnostic]

  static let rule = Rule(
    "CK0601", "unreadable-queries", .error,
    summary: "The list of queries given with `--queries` is not valid",
    rationale:
      "The file must be a JSON list of `{\"recordType\", \"filters\": [{\"field\", \"comparator\"}], \"sorts\": [...]}`. "
      + "A query that is not valid is not checked.",
    example: "", useInstead: "", source: Rule.reference("web-services", "comparators-and-indexes"))

  /// Reads a manifest. Invalid parts are reported and left out.
  public init(parsing source: SourceText) {
    var reader = QueryManifestReader(source: source)
    reader.read()
    needs = reader.needs
    diagnostics = reader.diagnostics
  }
}

/// Converts a manifest's JSON to needed indexes, and reports invalid parts with their places.
private struct QueryManifestReader {
  let source: SourceText
  private(set) var needs: [QueryManifest.Need] = []
  private(set) var diagnostics: [Diagnostic] = []

  /// The schema of queries that name none.
  private var schema: String?
  /// The query that is read.
  private var query: (typePlace: SourceRange, schema: String?)?

  init(source: SourceText) { self.source = source }

  mutating func read() {
    do throws(JSONSyntaxError) {
      let root = try JSONNode(parsing: source.bytes)
      if root.members != nil { checkKeys(of: root, ["queries", "$schema", "description", "schema"]) }
      schema = root["schema"]?.string
      let list = root["queries"] ?? root
      guard let queries = list.elements else { return report("expected a list of queries", list.range) }
      for query in queries { read(query) }
    } catch {
      diagnostics.append(error.diagnostic(in: source, code: QueryManifest.rule.code))
    }
  }

  private mutating func read(_ query: JSONNode) {
    guard let type = query["recordType"], let name = type.string else {
      return report("a query needs its \"recordType\"", query.range)
    }
    checkKeys(
      of: query,
      [
        "recordType", "filters", "sorts", "name", "description", "fields", "limit",
        // Keys that only 'schema rehearse' reads.
        "phrases", "lookup", "mayBeEmpty", "schema", "subscription",
      ])
    guard let filters = list(query["filters"], "\"filters\""), let sorts = list(query["sorts"], "\"sorts\"")
    else {
      return
    }
    self.query = (source.range(type.range), query["schema"]?.string ?? schema)
    if filters.isEmpty {
      need(
        name, SystemField.recordName.storedName, NeededIndexes.ofQueryForAll, "a query for every record",
        type.range)
    }
    for filter in filters { read(filter: filter, of: name) }
    for sort in sorts { read(sort: sort, of: name) }
  }

  /// The elements of an optional list, none if it is missing; `nil` if it is not a list, which is reported.
  private mutating func list(_ node: JSONNode?, _ what: String) -> [JSONNode]? {
    guard let node else { return [] }
    if let elements = node.elements { return elements }
    report("\(what) must be a list", node.range)
    return nil
  }

  private mutating func read(filter: JSONNode, of type: String) {
    guard let field = filter["field"], let name = field.string else {
      return report("a filter needs its \"field\"", filter.range)
    }
    checkKeys(of: filter, ["field", "comparator", "value"])
    let comparator = filter["comparator"]
    if let comparator, comparator.string == nil {
      return report("a comparator is a word in quotes, such as \"EQUALS\"", comparator.range)
    }
    let word = comparator?.string ?? "EQUALS"
    guard let known = Comparator(symbolOrName: word) else {
      let near = SpellingSuggestion.nearest(to: word, among: Comparator.allCases.map(\.rawValue))
      return report(
        "there is no comparator '\(word)'", comparator?.range ?? filter.range,
        help: near.map { "did you mean \($0)?" })
    }
    need(type, name, known.neededIndexes, "a filter with \(known.rawValue)", field.range)
  }

  /// `"title"` or `{"field": "title", "ascending": false}`
  private mutating func read(sort: JSONNode, of type: String) {
    let field = sort.string == nil ? sort["field"] : sort
    guard let field, let name = field.string else { return report("a sort needs its \"field\"", sort.range) }
    if sort.members != nil { checkKeys(of: sort, ["field", "ascending"]) }
    need(type, name, NeededIndexes.ofSort, "a sort", field.range)
  }

  private mutating func checkKeys(of node: JSONNode, _ known: [String]) {
    for member in node.members ?? [] where !known.contains(member.key) {
      let near = SpellingSuggestion.nearest(to: member.key, among: known)
      report("unknown key '\(member.key)'", member.keyRange, help: near.map { "did you mean \"\($0)\"?" })
    }
  }

  private mutating func need(
    _ type: String, _ field: String, _ accepted: [Index], _ what: String, _ range: Range<Int>
  ) {
    let stored = Self.systemField(field)?.storedName ?? field
    let place = source.range(range)
    needs.append(
      QueryManifest.Need(
        recordType: type, field: stored, accepted: accepted, what: what, place: place,
        typePlace: query?.typePlace ?? place, schema: query?.schema))
  }

  /// The system field with this Web Services name. Excludes `etag`, which can also be a user's field.
  private static func systemField(_ name: String) -> SystemField? {
    SystemField(rawValue: name).flatMap { $0 == .etag ? nil : $0 }
  }

  private mutating func report(_ message: String, _ range: Range<Int>, help: String? = nil) {
    diagnostics.append(
      Diagnostic(QueryManifest.rule.code, .error, message, at: source.range(range), help: help))
  }
}
