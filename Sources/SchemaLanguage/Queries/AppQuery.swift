package import Diagnostics

package struct AppQuery: Sendable {
  package struct Filter: Sendable {
    package let field: String
    package let comparator: Comparator
    package let value: JSONNode?
    /// Meters, for NEAR.
    package let distance: Double?
    package let node: JSONNode
    let place: Range<Int>
  }

  package struct Sort: Sendable {
    package let field: String
    package let isAscending: Bool
    let place: Range<Int>
  }

  package let source: SourceText
  package let node: JSONNode
  /// What a message about the query begins with; empty for a query without a name.
  package let subject: String
  package let recordType: String
  let typePlace: Range<Int>
  package fileprivate(set) var filters: [Filter] = []
  package fileprivate(set) var sorts: [Sort] = []
  /// The schema file of the app that asks it, from the folder of the file of the queries.
  package let schema: String?
  package var schemaPath: String? {
    schema.map { name in
      let folder = source.name.lastIndex(of: "/").map { source.name[...$0] } ?? ""
      return name.hasPrefix("/") ? name : folder + name
    }
  }
  /// The subscription that the app makes with the same filters; `nil` for none.
  package fileprivate(set) var subscription: AppSubscription?
  package var name: String { node["name"]?.string ?? "a query of \(recordType)" }
  /// Whether no part was left out because it is not valid.
  package fileprivate(set) var isWhole = true

  /// The name of a field in the schema. System fields also have the names of the web services, but `etag`, unless the
  /// type has a field of that name.
  package func storedName(of field: String, in type: RecordType?) -> String {
    guard type?[field: field] == nil, let system = SystemField(rawValue: field), system != .etag else {
      return field
    }
    return system.storedName
  }
}

/// The queries of an app, read from a JSON file, so that their indexes can be checked without running them:
///
///     [{"recordType": "PublicFeed",
///       "filters": [{"field": "category", "comparator": "EQUALS"}],
///       "sorts": ["title"]}]
///
/// A query without filters asks for all records of its type. System fields have their names in the schema or those of
/// the web services: `___recordID` or `recordName`.
package struct QueryManifest: Sendable {
  package private(set) var queries: [AppQuery] = []
  /// Findings about the file itself, under the code ``SchemaCode/unreadableQueries``.
  package private(set) var diagnostics: [Diagnostic] = []
  private let source: SourceText
  /// What a message begins with.
  private var subject = ""

  /// Reads a file of queries. What is not valid is reported and left out.
  package init(parsing source: SourceText) {
    self.source = source
    read()
  }

  private mutating func read() {
    do throws(JSONSyntaxError) {
      let root = try JSONNode(parsing: source.bytes)
      check(root, ["queries": .other, "$schema": .text, "description": .text, "schema": .text])
      let list = root["queries"] ?? root
      guard let queries = list.elements else { return report("expected a list of queries", at: list) }
      for query in queries { read(query, schema: root["schema"]?.string) }
      reportRepeatedNames()
      reportCollisions()
    } catch { diagnostics.append(error.diagnostic(in: source, code: SchemaCode.unreadableQueries.code)) }
  }

  private mutating func read(_ node: JSONNode, schema: String?) {
    subject = node["name"]?.string.map { "query '\($0)': " } ?? ""
    defer { subject = "" }
    let before = diagnostics.count
    check(
      node,
      [
        "name": .text, "description": .text, "recordType": .other, "filters": .other, "sorts": .other,
        "limit": .rows, "fields": .texts,
        // What only 'schema rehearse' reads.
        "phrases": .texts, "lookup": .text, "mayBeEmpty": .flag, "schema": .text, "subscription": .other,
      ])
    let filters = list(node["filters"], "\"filters\"").compactMap { filter($0) }
    let sorts = list(node["sorts"], "\"sorts\"").compactMap { sort($0) }
    guard let type = node["recordType"], let name = type.string else {
      return report(
        "a query needs its \"recordType\"", at: node["recordType"] ?? node,
        help: "write {\"recordType\": \"Note\"}, for example")
    }
    var query = AppQuery(
      source: source, node: node, subject: subject, recordType: name, typePlace: type.range,
      schema: node["schema"]?.string ?? schema)
    query.filters = filters
    query.sorts = sorts
    if let node = node["subscription"] {
      query.subscription = AppSubscription(node.value)
      if query.subscription == nil {
        report(
          "\"subscription\" does not say which changes it is about", at: node,
          help:
            "write {\"firesOn\": [...]} with some of create, update and delete, each once, and perhaps "
            + "\"desiredKeys\" with the names of fields")
      }
    }
    query.isWhole = diagnostics.count == before
    queries.append(query)
  }

  /// Reports the queries with the name of another, because results have no other name.
  private mutating func reportRepeatedNames() {
    for (name, first) in queries.compactMap({ $0.node["name"] }).repeated(by: \.string) {
      guard let text = name.string else { continue }
      diagnostics.report(
        SchemaCode.unreadableQueries, "two queries are named '\(text)'", at: source.range(of: name),
        notes: [Diagnostic.Note("the other one", at: source.range(of: first))],
        help: "give each query a name of its own")
    }
  }

  /// Reports the subscriptions that the service refuses beside another of the same user.
  private mutating func reportCollisions() {
    for (index, query) in queries.enumerated() {
      guard let reason = query.collision(with: Array(queries[..<index] + queries[(index + 1)...])),
        let node = query.node["subscription"]
      else { continue }
      let code = SchemaCode.collidingSubscriptions
      diagnostics.report(
        code, "the subscription of '\(query.name)' \(reason)", at: source.range(of: node),
        help: code.rule.help)
    }
  }

  /// The elements of an optional list, none if it is missing or not a list, which is reported.
  private mutating func list(_ node: JSONNode?, _ what: String) -> [JSONNode] {
    guard let node else { return [] }
    if let elements = node.elements { return elements }
    report("\(what) must be a list", at: node, help: "put it in [ and ]")
    return []
  }

  private mutating func filter(_ node: JSONNode) -> AppQuery.Filter? {
    guard let field = node["field"], let name = field.string else {
      report(
        "a filter needs its \"field\"", at: node,
        help: "write {\"field\": \"title\", \"comparator\": \"EQUALS\"}, for example")
      return nil
    }
    check(node, ["field": .other, "comparator": .other, "value": .other, "distance": .other])
    let comparator = node["comparator"]
    guard comparator == nil || comparator?.string != nil else {
      report(
        "a comparator is a word in quotes", at: comparator ?? node, help: "write \"EQUALS\", for example")
      return nil
    }
    let word = comparator?.string ?? "EQUALS"
    guard let known = Comparator(symbolOrName: word) else {
      let names = Comparator.symbols.map(\.text) + Comparator.allCases.map(\.rawValue)
      report(
        "there is no comparator '\(word)'", at: comparator ?? node,
        help: Comparator.nearest(to: word, among: names).map { "did you mean \($0)?" }
          ?? "use one of \(names.joined(separator: ", "))")
      return nil
    }
    let distance = node["distance"]
    if let distance, known != .near || (distance.value.number ?? -1) < 0 {
      report(
        "only NEAR has a \"distance\", a number of meters from 0 up", at: distance,
        help: known == .near ? "write \"distance\": 5000, for example" : "remove it")
      return nil
    }
    return AppQuery.Filter(
      field: name, comparator: known, value: node["value"], distance: distance?.value.number, node: node,
      place: field.range)
  }

  /// `"title"` or `{"field": "title", "ascending": false}`
  private mutating func sort(_ node: JSONNode) -> AppQuery.Sort? {
    let field = node.string == nil ? node["field"] : node
    guard let field, let name = field.string else {
      report("a sort needs its \"field\"", at: node, help: "write \"title\", for example")
      return nil
    }
    check(node, ["field": .other, "ascending": .flag])
    return AppQuery.Sort(field: name, isAscending: node["ascending"]?.value.bool ?? true, place: field.range)
  }

  /// What a member of an object has to be.
  private enum Form: String {
    case text = "text in quotes"
    case texts = "a list of texts in quotes"
    case flag = "true or false"
    case rows = "a number from 1 to 10000"
    /// Checked where it is read.
    case other

    func takes(_ node: JSONNode) -> Bool {
      switch self {
      case .text: node.string != nil
      case .texts: node.elements?.allSatisfy { $0.string != nil } ?? false
      case .flag: node.value.bool != nil
      case .rows: node.value.integer.map { (1...10_000).contains($0) } ?? false
      case .other: true
      }
    }
  }

  /// Reports the members of an object that are unknown or have another form.
  private mutating func check(_ node: JSONNode, _ known: KeyValuePairs<String, Form>) {
    for member in node.members ?? [] {
      guard let form = known.first(where: { $0.key == member.key })?.value else {
        report(
          "unknown key '\(member.key)'", at: source.range(member.keyRange),
          help: SpellingSuggestion.help(member.key, among: known.map(\.key))
            ?? "remove it, or use one of \(known.map(\.key).joined(separator: ", "))")
        continue
      }
      if !form.takes(member.value) {
        report("\"\(member.key)\" must be \(form.rawValue)", at: member.value)
      }
    }
  }

  private mutating func report(_ message: String, at node: JSONNode, help: String? = nil) {
    report(message, at: source.range(of: node), help: help)
  }

  private mutating func report(_ message: String, at place: SourceRange, help: String?) {
    diagnostics.report(SchemaCode.unreadableQueries, subject + message, at: place, help: help)
  }
}
