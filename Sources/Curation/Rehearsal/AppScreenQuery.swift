package import Diagnostics
internal import SchemaLanguage

/// One screen of an app: a query with parameters.
package struct AppScreenQuery: Sendable {
  /// The value in a filter: a constant, or a parameter.
  enum Value: Sendable, Equatable {
    case plain(JSONValue)
    /// `$category` and the like.
    case parameter(Parameter)
  }

  /// The words that stand for a value of the app, which a rehearsal replaces with real ones.
  enum Parameter: String, Sendable, CaseIterable {
    case category, collection, feed, session, tag, feeds, phrase, now, lastMonth
  }

  struct Condition: Sendable {
    let filter: AppQuery.Filter
    let value: Value
  }

  let query: AppQuery
  let conditions: [Condition]
  /// Whether nothing of it was left out because it is not valid: only then it is run.
  let isWhole: Bool

  package var name: String { query.name }
  /// Rows that the screen shows.
  var limit: Int { Int(query.node["limit"]?.value.integer ?? 200) }
  var phrases: [String] { query.node["phrases"]?.elements?.compactMap(\.string) ?? [] }
  /// The field whose references the screen looks up.
  var lookup: String? { query.node["lookup"]?.string }
  /// True if an empty screen is not a finding.
  var mayBeEmpty: Bool { query.node["mayBeEmpty"]?.value.bool ?? false }
  /// The subscription that the app makes with the same filters; `nil` for none.
  var subscription: AppSubscription? { query.subscription }
  package var recordType: String { query.recordType }
  /// The schema file of the app that the screen belongs to, beside the file of the queries.
  package var schema: String? { query.schema }

  /// The predicate of the subscription: `isHidden EQUALS 0`, a filter each.
  var subscribedFilters: [String] {
    conditions.map { condition in
      let value =
        switch condition.value {
        case .plain(let json): json.text()
        case .parameter(let parameter): "$\(parameter.rawValue)"
        }
      let distance = condition.filter.distance.map { " within \(JSONValue.double($0).text()) meters" } ?? ""
      return "\(condition.filter.field) \(condition.filter.comparator.rawValue) \(value)\(distance)"
    }
  }

  var parameters: [Parameter] {
    conditions.compactMap { if case .parameter(let parameter) = $0.value { parameter } else { nil } }
  }

  /// Reads the queries of a file. What is not valid is reported and left out.
  package static func read(_ source: SourceText) -> (queries: [AppScreenQuery], diagnostics: [Diagnostic]) {
    let manifest = QueryManifest(parsing: source)
    var diagnostics = manifest.diagnostics
    let queries = manifest.queries.map { AppScreenQuery($0, &diagnostics) }
    return (queries, diagnostics)
  }

  /// Where the query has a key; its name for one that it does not have.
  func place(of key: String) -> SourceRange {
    query.source.range(of: query.node[key] ?? query.node["name"] ?? query.node)
  }

  private init(_ query: AppQuery, _ diagnostics: inout [Diagnostic]) {
    let before = diagnostics.count
    if query.node["name"] == nil {
      diagnostics.report(
        query, "a rehearsed query of '\(query.recordType)' needs its \"name\"", query.node,
        help: "add \"name\" with what the app calls the screen")
    }
    self.query = query
    conditions = query.filters.compactMap { Self.condition($0, query, &diagnostics) }
    isWhole = query.isWhole && diagnostics.count == before
  }

  private static func condition(
    _ filter: AppQuery.Filter, _ query: AppQuery, _ diagnostics: inout [Diagnostic]
  ) -> Condition? {
    guard let value = filter.value else {
      diagnostics.report(
        query, "a rehearsed filter by '\(filter.field)' needs its \"value\"", filter.node,
        help: "add \"value\" with a value of the app, or a parameter such as $\(Parameter.category.rawValue)")
      return nil
    }
    guard let text = value.string, text.hasPrefix("$") else {
      return Condition(filter: filter, value: .plain(value.value))
    }
    guard let parameter = Parameter(rawValue: String(text.dropFirst())) else {
      let known = Parameter.allCases.map { "$" + $0.rawValue }
      diagnostics.report(
        query, "there is no parameter '\(text)'", value,
        help: SpellingSuggestion.nearest(to: text, among: known).map { "did you mean '\($0)'?" }
          ?? "use one of \(known.joined(separator: ", "))")
      return nil
    }
    return Condition(filter: filter, value: .parameter(parameter))
  }
}

extension [Diagnostic] {
  fileprivate mutating func report(
    _ query: AppQuery, _ message: String, _ node: JSONNode, help: String
  ) {
    report(
      SchemaCode.unreadableQueries, query.subject + message, at: query.source.range(of: node), help: help)
  }
}
