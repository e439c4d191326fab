internal import CloudKitModel
public import Diagnostics
internal import SchemaLanguage

/// One screen of an app: a query with parameters.
public struct AppScreenQuery: Sendable {
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

  public let name: String
  public let recordType: String
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
  public let schema: String?
  /// The subscription that the app makes with the same filters; `nil` for none.
  let subscription: AppSubscription?

  var parameters: [Parameter] {
    conditions.compactMap { if case .parameter(let parameter) = $0.value { parameter } else { nil } }
  }
}

extension AppScreenQuery {
  private static let keys = [
    "name", "recordType", "filters", "sorts", "limit", "phrases", "lookup", "mayBeEmpty", "schema",
    "subscription", "description",
  ]

  /// Reads the queries of a file. Invalid queries are reported and left out.
  public static func read(_ source: SourceText) -> (queries: [AppScreenQuery], diagnostics: [Diagnostic]) {
    var reader = Reader(source: source)
    return (reader.read(), reader.diagnostics)
  }

  /// Reads a file of app queries and collects findings in it.
  private struct Reader {
    let source: SourceText
    var diagnostics: [Diagnostic] = []
    /// The schema of queries that name none.
    var schema: String?

    mutating func read() -> [AppScreenQuery] {
      do throws(JSONSyntaxError) {
        let root = try JSONNode(parsing: source.bytes)
        guard let list = (root["queries"] ?? root).elements else {
          report("expected a list of queries", root)
          return []
        }
        schema = root["schema"]?.string
        let queries = list.map { query($0) }
        for (index, query) in queries.enumerated() {
          let others = queries[..<index] + queries[(index + 1)...]
          if let query { check(query, list[index], others.compactMap(\.self)) }
        }
        return queries.compactMap(\.self)
      } catch {
        diagnostics.append(error.diagnostic(in: source, code: CurationRule.unreadableQuery.code))
        return []
      }
    }

    private mutating func report(_ message: String, _ node: JSONNode, help: String? = nil) {
      diagnostics.append(
        Diagnostic(CurationRule.unreadableQuery, message, at: source.range(node.range), help: help))
    }

    /// Reports a subscription that the service refuses beside another of the same user.
    private mutating func check(_ query: AppScreenQuery, _ node: JSONNode, _ others: [AppScreenQuery]) {
      guard let reason = query.collision(with: others), let node = node["subscription"] else { return }
      diagnostics.append(
        Diagnostic(
          CurationRule.collidingSubscriptions, "the subscription of '\(query.name)' \(reason)",
          at: source.range(node.range)))
    }

    private mutating func subscription(_ node: JSONNode) -> AppSubscription? {
      let subscription = AppSubscription(node.value)
      if subscription == nil {
        report(
          "\"subscription\" is {\"firesOn\": [...]} with some of create, update and delete, each once", node)
      }
      return subscription
    }

    private mutating func query(_ node: JSONNode) -> AppScreenQuery? {
      guard let name = node["name"]?.string, let type = node["recordType"]?.string else {
        report("a query needs its \"name\" and its \"recordType\"", node)
        return nil
      }
      for member in node.members ?? [] where !keys.contains(member.key) {
        let near = SpellingSuggestion.nearest(to: member.key, among: keys)
        report(
          "a query has no key '\(member.key)'", member.value, help: near.map { "Did you mean \"\($0)\"?" })
        return nil
      }
      guard let filters = list(node["filters"]), let sorts = list(node["sorts"]) else { return nil }
      let conditions = filters.map { condition($0) }
      let order = sorts.map { sort($0) }
      guard !conditions.contains(where: { $0 == nil }), !order.contains(where: { $0 == nil }) else {
        return nil
      }
      var limit: Int64 = 200
      if let node = node["limit"] {
        guard case .scalar(.integer(let value)) = node.content, (1...10_000).contains(value) else {
          report("\"limit\" is a number from 1 to 10000", node)
          return nil
        }
        limit = value
      }
      let made = node["subscription"].map { subscription($0) }
      if case .some(nil) = made { return nil }
      return AppScreenQuery(
        name: name, recordType: type, conditions: conditions.compactMap(\.self),
        sorts: order.compactMap(\.self),
        limit: Int(limit), phrases: node["phrases"]?.elements?.compactMap(\.string) ?? [],
        lookup: node["lookup"]?.string, mayBeEmpty: node["mayBeEmpty"]?.value.bool ?? false,
        schema: node["schema"]?.string ?? schema, subscription: made ?? nil)
    }

    private mutating func list(_ node: JSONNode?) -> [JSONNode]? {
      guard let node else { return [] }
      if let elements = node.elements { return elements }
      report("filters and sorts are lists", node)
      return nil
    }

    private mutating func condition(_ node: JSONNode) -> Condition? {
      guard let field = node["field"]?.string, let value = node["value"] else {
        report("a filter needs its \"field\" and its \"value\"", node)
        return nil
      }
      let word = node["comparator"]?.string ?? "EQUALS"
      guard let comparator = Comparator(rawValue: word) else {
        let near = SpellingSuggestion.nearest(to: word, among: Comparator.allCases.map(\.rawValue))
        report(
          "there is no comparator '\(word)'", node["comparator"] ?? node,
          help: near.map { "Did you mean \($0)?" })
        return nil
      }
      guard let text = value.string, text.hasPrefix("$") else {
        return Condition(field: field, comparator: comparator, value: .plain(value.value))
      }
      guard let parameter = Parameter(rawValue: String(text.dropFirst())) else {
        let known = Parameter.allCases.map { "$" + $0.rawValue }
        report(
          "there is no parameter '\(text)'", value,
          help: SpellingSuggestion.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
            ?? "Known: \(known.joined(separator: ", ")).")
        return nil
      }
      return Condition(field: field, comparator: comparator, value: .parameter(parameter))
    }

    private mutating func sort(_ node: JSONNode) -> Sort? {
      guard let field = node.string ?? node["field"]?.string else {
        report("a sort needs its \"field\"", node)
        return nil
      }
      return Sort(FieldName(field), ascending: node["ascending"]?.value.bool ?? true)
    }
  }
}
