package import Diagnostics

/// What keeps the service from answering a query of an app, as far as a schema shows it.
package struct AppQueryProblem: Sendable {
  package enum Kind: String, RuleCode {
    case missingIndex = "CK0201"
    /// The schema has no such record type or field.
    case unknownName = "CK0202"
    /// A range on a field that is SORTABLE alone, about which Apple's pages and the service disagree.
    case rangeWithoutQueryable = "CK0204"
    /// Values of the field's type are not compared in this way, or not with this value.
    case comparison = "CK0208"

    package static var page: RulePage { SchemaRules.page }
  }

  package let kind: Kind
  /// Without the query's name.
  package let message: String
  package let place: SourceRange
  package let help: String
  var field: String?
  /// The line of that field with the index that is missing.
  package var line: String?
  /// Whether a filter causes it, which a subscription has, too.
  package var isOfFilter = false

  package var isRefusal: Bool { kind != .rangeWithoutQueryable }

  /// Why the service answers no query of a record type, whatever the schema says of it, and what to do; `nil` for most.
  package static func refusal(ofType name: String) -> (message: String, help: String)? {
    name == SystemNames.users
      ? (
        "'\(name)' can be looked up by record name, never queried",
        "keep what the app asks for in a type of its own"
      ) : nil
  }
}

package struct AppQueryCheck: Sendable {
  private let types: [String: RecordType]
  /// The indexes that some query needs and a field lacks, by record type and field: a line to write has all of them.
  private var lacking: [[String]: EnumSet<Index>] = [:]

  package init(_ queries: [AppQuery], against schema: Schema) {
    types = schema.recordTypes.keyed(by: \.name)
    for query in queries {
      guard let type = types[query.recordType] else { continue }
      for need in query.needs(in: type) {
        guard let field = type.declared(need.field), let index = need.lack(of: field)?.index,
          need.filter?.comparator.applies(to: field.type) ?? true
        else { continue }
        lacking[[type.name, field.name], default: []].insert(index)
      }
    }
  }

  /// In the order of the query's parts: the record type, filters, sorts.
  package func problems(of query: AppQuery) -> [AppQueryProblem] {
    let refusal = AppQueryProblem.refusal(ofType: query.recordType)
    guard refusal == nil, let type = types[query.recordType] else { return [unknownType(query, refusal)] }
    return query.needs(in: type).flatMap { need in
      guard let field = type.declared(need.field) else { return [unknown(need, of: type, query)] }
      let comparison = need.filter.flatMap { Self.comparison($0, field, of: type) }.map { message, help in
        AppQueryProblem(
          kind: .comparison, message: message, place: query.source.range(need.place), help: help,
          field: field.name, isOfFilter: true)
      }
      let applies = need.filter?.comparator.applies(to: field.type) ?? true
      return [comparison, applies ? missingIndex(need, field, of: type, query) : nil].compactMap(\.self)
    }
  }

  private func unknownType(
    _ query: AppQuery, _ refusal: (message: String, help: String)?
  ) -> AppQueryProblem {
    AppQueryProblem(
      kind: .unknownName, message: refusal?.message ?? "there is no record type '\(query.recordType)'",
      place: query.source.range(query.typePlace),
      help: refusal?.help
        ?? SpellingSuggestion.help(query.recordType, among: types.keys.sorted(), quote: "")
        ?? "correct the query, add the record type to the schema, or name another app's schema file as \"schema\""
    )
  }

  private func unknown(_ need: AppQuery.Need, of type: RecordType, _ query: AppQuery) -> AppQueryProblem {
    AppQueryProblem(
      kind: .unknownName, message: "'\(type.name)' has no field '\(need.field)'",
      place: query.source.range(need.place),
      help: SpellingSuggestion.help(need.field, among: type.fields.map(\.name), quote: "")
        ?? "correct the query, or add the field to the schema", isOfFilter: need.filter != nil)
  }

  private func missingIndex(
    _ need: AppQuery.Need, _ field: Field, of type: RecordType, _ query: AppQuery
  ) -> AppQueryProblem? {
    guard let (index, isRange) = need.lack(of: field) else { return nil }
    guard index != .sortable || field.isSystem || field.type.hasOrder else {
      return AppQueryProblem(
        kind: .comparison,
        message: "\(need.what) does not work on '\(type.name).\(field.name)', which is \(field.type)",
        place: query.source.range(need.place), help: DataType.adviceWithoutOrder, field: field.name)
    }
    var wanted = field
    wanted.indexes.formUnion(lacking[[type.name, field.name]] ?? [index])
    let line = wanted.text()
    let name = "'\(type.name).\(field.name)'"
    return AppQueryProblem(
      kind: isRange ? .rangeWithoutQueryable : .missingIndex,
      message: isRange
        ? "\(need.what) on \(name) may be refused: the field is SORTABLE but not QUERYABLE"
        : "\(need.what) needs a \(index.rawValue) index on \(name)",
      place: query.source.range(need.place), help: "declare it as \(line),", field: field.name, line: line,
      isOfFilter: need.filter != nil)
  }

  /// The values of one filter (Documentation/reference/web-services.md#in-filters).
  private static let maxValues = 250

  /// What is wrong with the comparator or the value of a filter, and what to do; `nil` for nothing.
  private static func comparison(
    _ filter: AppQuery.Filter, _ field: Field, of type: RecordType
  ) -> (message: String, help: String)? {
    let name = "'\(type.name).\(field.name)', which is \(field.type)"
    guard filter.comparator.applies(to: field.type) else {
      return (
        "\(filter.comparator.rawValue) does not work on \(name)",
        Comparator.advice(for: field.type, in: Comparator.serviceWords)
      )
    }
    if filter.comparator == .near, filter.value != nil, filter.distance == nil {
      return ("NEAR needs a distance", "write the meters beside the value: \"distance\": 5000")
    }
    // `$category` and the like are values that a rehearsal finds.
    guard let value = filter.value, value.string?.hasPrefix("$") != true else { return nil }
    guard let values = filter.comparator.takesList ? value.elements : [value] else {
      return ("\(filter.comparator.rawValue) needs a list as its value", "write [\(value.value.text())]")
    }
    guard values.count <= maxValues else {
      return (
        "\(filter.comparator.rawValue) has \(values.count) values, and the service takes at most \(maxValues)",
        "ask with several queries"
      )
    }
    return values.lazy.compactMap {
      AppQueryProblem.mismatch($0.value, field.type, "\(type.name).\(field.name)")
    }
    .first
  }
}

extension AppQueryProblem {
  /// Why a filter cannot compare a field of a type with a value, and what to do; `nil` where it can.
  package static func mismatch(
    _ value: JSONValue, _ type: DataType, _ field: String
  ) -> (message: String, help: String)? {
    guard !type.primitive.canBe(value) else { return nil }
    return (
      "the value \(value.text()) cannot be compared with '\(field)', which is \(type)",
      "write a value that the field can have"
    )
  }
}

extension AppQuery {
  fileprivate struct Need {
    /// As the schema names it.
    let field: String
    /// Any one of these is enough; messages suggest the first.
    let accepted: [Index]
    /// "a filter with EQUALS", for a message.
    let what: String
    let place: Range<Int>
    var filter: Filter?

    func lack(of field: Field) -> (index: Index, isRange: Bool)? {
      guard let index = accepted.first, !field.indexes.contains(index) else { return nil }
      return (index, !field.indexes.isDisjoint(with: EnumSet(accepted)))
    }
  }

  fileprivate func needs(in type: RecordType) -> [Need] {
    // A filter that is not valid is still one.
    let isForAll = node["filters"].map { $0.elements?.isEmpty ?? false } ?? true
    let all = Need(
      field: SystemField.recordName.storedName, accepted: NeededIndexes.ofQueryForAll,
      what: "a query for every record", place: typePlace)
    return (isForAll ? [all] : [])
      + filters.map {
        Need(
          field: storedName(of: $0.field, in: type), accepted: $0.comparator.neededIndexes,
          what: "a filter with \($0.comparator.rawValue)", place: $0.place, filter: $0)
      }
      + sorts.map {
        Need(
          field: storedName(of: $0.field, in: type), accepted: NeededIndexes.ofSort, what: "a sort",
          place: $0.place)
      }
  }
}

extension RecordType {
  /// The field of a name; a system field that the text does not declare has no index.
  package func declared(_ name: String) -> Field? {
    self[field: name] ?? SystemField(storedName: name).map { Field(name, $0.dataType) }
  }

  /// The field's line with indexes added, as an export would print it.
  package func line(of name: String, adding indexes: EnumSet<Index>) -> String {
    let known = declared(name) ?? Field(name, .string)
    return Field(known.name, known.type, known.indexes.union(indexes)).text()
  }
}

extension Primitive {
  fileprivate func canBe(_ value: JSONValue) -> Bool {
    switch (self, value) {
    case (.plain(.string), .string), (.plain(.bytes), .string), (.plain(.timestamp), .string),
      (.reference, .string), (.reference, .object), (.plain(.location), .object), (.asset, .object),
      (.plain(.int64), .bool), (.plain(.int64), .integer), (.plain(.double), .integer),
      (.plain(.double), .double),
      (.number, .integer), (.number, .double), (.plain(.timestamp), .integer):
      true
    default: false
    }
  }
}
