internal import CloudKitModel
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

  /// One filter of a query, whose value may be a parameter.
  struct Condition: Sendable {
    let field: String
    let comparator: Comparator
    let value: Value
  }

  package let name: String
  package let recordType: String
  let conditions: [Condition]
  let sorts: [Sort]
  /// Rows that the screen shows.
  let limit: Int
  let phrases: [String]
  /// The field whose references the screen looks up.
  let lookup: String?
  /// True if an empty screen is not a finding.
  let mayBeEmpty: Bool
  /// The schema file of the app that the screen belongs to, beside the file of the queries.
  package let schema: String?
  /// The subscription that the app makes with the same filters; `nil` for none.
  let subscription: AppSubscription?

  var parameters: [Parameter] {
    conditions.compactMap { if case .parameter(let parameter) = $0.value { parameter } else { nil } }
  }
}

extension AppScreenQuery {
  /// Reads the queries of a file. Invalid queries are reported and left out.
  package static func read(_ source: SourceText) -> (queries: [AppScreenQuery], diagnostics: [Diagnostic]) {
    let (found, diagnostics) = AppQuery.read(source, code: CurationRule.unreadableQuery.code)
    var reader = Reader(source: source, diagnostics: diagnostics)
    let queries = found.filter(\.isWhole).compactMap { query in
      reader.query(query).map { (screen: $0, subscription: query.node["subscription"]) }
    }
    for (index, query) in queries.enumerated() {
      let others = (queries[..<index] + queries[(index + 1)...]).map(\.screen)
      reader.check(query.screen, query.subscription, others)
    }
    return (queries.map(\.screen), reader.diagnostics)
  }

  /// Makes screens of the queries in a file, and collects findings in it.
  private struct Reader {
    let source: SourceText
    var diagnostics: [Diagnostic]

    private mutating func report(_ message: String, _ node: JSONNode, help: String? = nil) {
      diagnostics.append(
        Diagnostic(CurationRule.unreadableQuery, message, at: source.range(node.range), help: help))
    }

    /// Reports a subscription that the service refuses beside another of the same user.
    mutating func check(_ query: AppScreenQuery, _ node: JSONNode?, _ others: [AppScreenQuery]) {
      guard let reason = query.collision(with: others), let node else { return }
      diagnostics.append(
        Diagnostic(
          CurationRule.collidingSubscriptions, "the subscription of '\(query.name)' \(reason)",
          at: source.range(node.range)))
    }

    mutating func query(_ query: AppQuery) -> AppScreenQuery? {
      let node = query.node
      guard let name = node["name"]?.string else {
        report("a query needs its \"name\"", node)
        return nil
      }
      let conditions = query.filters.compactMap { condition($0, node) }
      guard conditions.count == query.filters.count else { return nil }
      var limit: Int64 = 200
      if let node = node["limit"] {
        guard case .scalar(.integer(let value)) = node.content, (1...10_000).contains(value) else {
          report("\"limit\" is a number from 1 to 10000", node)
          return nil
        }
        limit = value
      }
      let subscription = node["subscription"].map { AppSubscription($0.value) }
      if case .some(nil) = subscription {
        report(
          "\"subscription\" is {\"firesOn\": [...]} with some of create, update and delete, each once, and perhaps "
            + "\"desiredKeys\" with the names of fields",
          node["subscription"] ?? node)
        return nil
      }
      return AppScreenQuery(
        name: name, recordType: query.recordType, conditions: conditions,
        sorts: query.sorts.map { Sort(FieldName($0.field), ascending: $0.isAscending) },
        limit: Int(limit), phrases: node["phrases"]?.elements?.compactMap(\.string) ?? [],
        lookup: node["lookup"]?.string, mayBeEmpty: node["mayBeEmpty"]?.value.bool ?? false,
        schema: query.schema, subscription: subscription ?? nil)
    }

    private mutating func condition(_ filter: AppQuery.Filter, _ query: JSONNode) -> Condition? {
      guard let value = filter.value else {
        report("a filter by '\(filter.field)' needs its \"value\"", query)
        return nil
      }
      guard let text = value.string, text.hasPrefix("$") else {
        return Condition(field: filter.field, comparator: filter.comparator, value: .plain(value.value))
      }
      guard let parameter = Parameter(rawValue: String(text.dropFirst())) else {
        let known = Parameter.allCases.map { "$" + $0.rawValue }
        report(
          "there is no parameter '\(text)'", value,
          help: SpellingSuggestion.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
            ?? "Known: \(known.joined(separator: ", ")).")
        return nil
      }
      return Condition(field: filter.field, comparator: filter.comparator, value: .parameter(parameter))
    }
  }
}
