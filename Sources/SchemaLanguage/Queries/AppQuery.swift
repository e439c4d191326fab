package import Diagnostics

/// A query in a file of an app's queries, with the places of its parts.
package struct AppQuery: Sendable {
  package struct Filter: Sendable {
    package let field: String
    package let comparator: Comparator
    package let value: JSONNode?
    let place: Range<Int>
  }

  package struct Sort: Sendable {
    package let field: String
    package let isAscending: Bool
    let place: Range<Int>
  }

  package let node: JSONNode
  package let recordType: String
  let typePlace: Range<Int>
  package private(set) var filters: [Filter] = []
  package private(set) var sorts: [Sort] = []
  /// The schema file of the app that asks it, beside the file of the queries.
  package let schema: String?
  /// Whether no part was left out because it is not valid.
  package private(set) var isWhole = true

  /// Reads a file of queries. What is not valid is reported under a code and left out.
  package static func read(_ source: SourceText, code: String) -> (
    queries: [AppQuery], diagnostics: [Diagnostic]
  ) {
    var reader = Reader(source: source, code: code)
    reader.read()
    return (reader.queries, reader.diagnostics)
  }

  private struct Reader {
    let source: SourceText
    let code: String
    var queries: [AppQuery] = []
    var diagnostics: [Diagnostic] = []

    mutating func read() {
      do throws(JSONSyntaxError) {
        let root = try JSONNode(parsing: source.bytes)
        if root.members != nil { checkKeys(of: root, ["queries", "$schema", "description", "schema"]) }
        let list = root["queries"] ?? root
        guard let queries = list.elements else { return report("expected a list of queries", list.range) }
        for query in queries { read(query, schema: root["schema"]?.string) }
      } catch { diagnostics.append(error.diagnostic(in: source, code: code)) }
    }

    private mutating func read(_ node: JSONNode, schema: String?) {
      guard let type = node["recordType"], let name = type.string else {
        return report("a query needs its \"recordType\"", node.range)
      }
      let before = diagnostics.count
      checkKeys(
        of: node,
        [
          "name", "description", "recordType", "filters", "sorts", "limit", "fields",
          // Keys that only 'schema rehearse' reads.
          "phrases", "lookup", "mayBeEmpty", "schema", "subscription",
        ])
      guard let filters = list(node["filters"], "\"filters\""), let sorts = list(node["sorts"], "\"sorts\"")
      else { return }
      var query = AppQuery(
        node: node, recordType: name, typePlace: type.range, schema: node["schema"]?.string ?? schema)
      query.filters = filters.compactMap { filter($0) }
      query.sorts = sorts.compactMap { sort($0) }
      query.isWhole = diagnostics.count == before
      queries.append(query)
    }

    /// The elements of an optional list, none if it is missing; `nil` if it is not a list, which is reported.
    private mutating func list(_ node: JSONNode?, _ what: String) -> [JSONNode]? {
      guard let node else { return [] }
      if let elements = node.elements { return elements }
      report("\(what) must be a list", node.range)
      return nil
    }

    private mutating func filter(_ node: JSONNode) -> Filter? {
      guard let field = node["field"], let name = field.string else {
        report("a filter needs its \"field\"", node.range)
        return nil
      }
      checkKeys(of: node, ["field", "comparator", "value"])
      let comparator = node["comparator"]
      if let comparator, comparator.string == nil {
        report("a comparator is a word in quotes, such as \"EQUALS\"", comparator.range)
        return nil
      }
      let word = comparator?.string ?? "EQUALS"
      guard let known = Comparator(symbolOrName: word) else {
        let near = SpellingSuggestion.nearest(to: word, among: Comparator.allCases.map(\.rawValue))
        report(
          "there is no comparator '\(word)'", comparator?.range ?? node.range,
          help: near.map { "did you mean \($0)?" })
        return nil
      }
      return Filter(field: name, comparator: known, value: node["value"], place: field.range)
    }

    /// `"title"` or `{"field": "title", "ascending": false}`
    private mutating func sort(_ node: JSONNode) -> Sort? {
      let field = node.string == nil ? node["field"] : node
      guard let field, let name = field.string else {
        report("a sort needs its \"field\"", node.range)
        return nil
      }
      if node.members != nil { checkKeys(of: node, ["field", "ascending"]) }
      return Sort(field: name, isAscending: node["ascending"]?.value.bool ?? true, place: field.range)
    }

    private mutating func checkKeys(of node: JSONNode, _ known: [String]) {
      for member in node.members ?? [] where !known.contains(member.key) {
        let near = SpellingSuggestion.nearest(to: member.key, among: known)
        report("unknown key '\(member.key)'", member.keyRange, help: near.map { "did you mean \"\($0)\"?" })
      }
    }

    private mutating func report(_ message: String, _ range: Range<Int>, help: String? = nil) {
      diagnostics.append(Diagnostic(code, .error, message, at: source.range(range), help: help))
    }
  }
}
