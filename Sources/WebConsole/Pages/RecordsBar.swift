internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import Records
internal import Reporting
internal import SchemaLanguage
internal import Synchronization

/// The line above a table of records: how many there are, the filters, and what unfolds: a form for another filter with
/// the values of short lists, and the choice of columns.
struct RecordsBar {
  let console: LocalConsole
  let asked: AskedRecords
  let fields: [Field]
  let columns: RecordColumns
  let facets: RecordFacets

  var html: HTML {
    let count: HTML = facets.records.map { "<span>\($0) record\($0 == 1 ? "" : "s")</span>\n" } ?? ""
    return "<div class=\"bar\">\n\(count)\(chips)\(filter)\(chooser)</div>\n"
  }

  private func address(_ query: [(String, String)]) -> HTML {
    console.link("records", asked.type, query: query)
  }

  private var chips: HTML {
    asked.filters.enumerated().map { index, filter in
      var others = asked.filters
      others.remove(at: index)
      return
        "<a class=\"chip\"\(address(asked.query(filters: others)))\(attribute: "aria-label", "Remove the filter \(filter)")>\(filter) ×</a>\n"
        as HTML
    }.joined()
  }

  private func form(_ kind: HTML, keeping query: [(String, String)], _ content: HTML) -> HTML {
    let kept = query.map { name, value in
      "<input type=\"hidden\"\(attribute: "name", name)\(attribute: "value", value)>" as HTML
    }
    return
      "<form\(kind) method=\"get\"\(console.action("records", asked.type))>\(kept.joined())\n\(content)</form>\n"
  }

  private var filter: HTML {
    let own = fields.filter { !$0.name.hasPrefix("___") }
    let names = own + fields.filter { $0.name.hasPrefix("___") && !$0.indexes.isEmpty }
    func group(_ label: HTML, isIndexed: Bool) -> HTML {
      let options = names.filter { $0.indexes.isEmpty != isIndexed }.map { Self.option($0.name) }
      return options.isEmpty ? "" : "<optgroup label=\"\(label)\">\(options.joined())</optgroup>"
    }
    let symbols = Comparator.symbols.filter { $0.text != "=" }
    let words = Comparator.allCases.filter { comparator in !symbols.contains { $0.comparator == comparator } }
    let operators = (symbols.map(\.text) + words.map(\.rawValue)).map(Self.option).joined()
    let values = facets.fields.flatMap { field in
      field.values.map { value in
        "<option\(attribute: "value", value.value)\(attribute: "label", "\(field.name): \(value.name)")>"
          as HTML
      }
    }
    let content: HTML = """
      <label>Field <select name="field">\(group("Indexed", isIndexed: true))\
      \(group("Not indexed: CloudKit refuses", isIndexed: false))</select></label>
      <label>Operator <select name="op">\(operators)</select></label>
      <label>Value <input type="text" name="value" list="values" required></label>
      <datalist id="values">\(values.joined())</datalist>
      <button>Add filter</button>

      """
    return """
      <details><summary>Filter</summary>
      \(form(" class=\"line\"", keeping: asked.query(), content))<p class="soft">All filters must hold. A time may count from now, as <code>-30d</code>; IN takes values with commas.</p>
      \(facetLists)</details>

      """
  }

  private static func option(_ value: String) -> HTML { "<option>\(value)</option>" }

  private var facetLists: HTML {
    let lists = facets.fields.map { field, values in
      let rows = values.map { value in
        "<li><a\(address(asked.query(filters: asked.filters + ["\(field) == \(value.value)"])))><bdi>\(value.name)</bdi></a> <small>\(value.records)</small></li>\n"
          as HTML
      }
      return "<div><strong>\(field)</strong><ul>\n\(rows.joined())</ul></div>\n" as HTML
    }
    return lists.isEmpty ? "" : "<div class=\"facets\">\n\(lists.joined())</div>\n"
  }

  /// The columns to choose from. When none is chosen, the console chooses.
  private var chooser: HTML {
    let choices = columns.available.sorted().map { name -> HTML in
      let state: HTML = columns.shown.contains(name) ? " checked" : ""
      return
        "<label><input type=\"checkbox\" name=\"column\"\(attribute: "value", name)\(state)> \(name)</label>\n"
    }
    guard !choices.isEmpty else { return "" }
    let content: HTML = """
      <fieldset><legend>Fields beside \(columns.title ?? "the record name")</legend>
      \(choices.joined())</fieldset>
      <button>Show</button>

      """
    return """
      <details><summary>Columns (\(columns.shown.count) of \(choices.count))</summary>
      \(form("", keeping: asked.query(columns: []), content))</details>

      """
  }
}

struct RecordColumns: Equatable {
  /// The number of columns beside the title that are shown unless the reader chooses others.
  static let suggested = 6

  /// The field that says what a record is, which is the first column; `nil` for a type without text.
  let title: String?
  /// The other fields of the type, in the order of the columns.
  let available: [String]
  let shown: [String]

  /// - Parameters:
  ///   - asked: the fields that the reader chose; empty for a suggestion.
  ///   - records: the records of the page. A field without a value, or with one value in all of them, is not suggested.
  ///   - persons: the fields that may name a person.
  init(_ fields: [Field], asked: [String], records: [Record], persons: Set<String> = []) {
    // A field without a value says of no record what it is.
    let title = Self.title(of: fields, except: persons).flatMap { field in
      records.isEmpty || records.contains { $0.fields[field] != nil } ? field : nil
    }
    let others = fields.filter { $0.name != title && !$0.name.hasPrefix("___") }
    let ranks = others.map { ($0.name, Self.rank(of: $0)) }
    let available = (0...3).flatMap { rank in ranks.filter { $0.1 == rank }.map(\.0) }
    let varied = available.filter { field in
      let values = Set(records.map { $0.fields[field] })
      return values != [nil] && (values.count > 1 || records.count == 1)
    }
    let chosen = asked.isEmpty ? Array(varied.prefix(Self.suggested)) : asked
    self.title = title
    self.available = available
    shown = available.filter(chosen.contains)
  }

  /// What the app queries comes first. Times come after other values, lists last, because they fill a cell.
  private static func rank(of field: Field) -> Int {
    switch FieldType(field.type) {
    case .list: 3
    case .scalar(.timestamp): 2
    case .scalar: field.indexes.isEmpty ? 1 : 0
    }
  }

  static func isNumber(_ field: Field) -> Bool {
    [.scalar(.int64), .scalar(.double)].contains(FieldType(field.type))
  }

  /// `title`, else `name`, else the first STRING that names no person.
  static func title(of fields: [Field], except persons: Set<String> = []) -> String? {
    let texts = fields.filter {
      FieldType($0.type) == .scalar(.string) && !$0.name.hasPrefix("___") && !persons.contains($0.name)
    }
    return ["title", "name"].first { name in texts.contains { $0.name == name } } ?? texts.first?.name
  }

  /// What a record is called in its first column; `nil` when it has no such value.
  static func title(of record: Record, field: String?) -> String? {
    guard let field, let text = record.fields[field]?.string, !text.isEmpty else { return nil }
    return ConsoleParts.shortened(FieldValue.string(text).display)
  }
}

struct RecordFacets: Sendable {
  /// A value as a filter writes it, and as it is called.
  typealias Value = (value: String, name: String, records: Int64)

  /// By field, the value with the most records first.
  var fields: [(name: String, values: [Value])] = []
  /// The records that match the filters; `nil` if unknown.
  var records: Int64?
}

extension LocalConsole {
  /// Above this number of records a page does not count values, because that reads all of them.
  private static let maxCounted: Int64 = 20_000
  private static let maxValues = 20
  /// In bytes: a longer value is not offered, because its address would be refused.
  private static let maxValueLength = 200

  /// Counts what matches a query by the fields that filters may use and that have few values.
  func facets(of query: Query, _ fields: [Field], _ schema: Schema) async throws -> RecordFacets {
    let all = try await store.info().counts.first {
      $0.environment == options.environment && $0.recordType == query.recordType
    }?.records
    var facets = RecordFacets(records: query.filters.isEmpty ? all : nil)
    guard let all, all <= Self.maxCounted else { return facets }
    let title = RecordColumns.title(of: fields, except: personFields(of: query.recordType, in: schema))
    let countable: [FieldType] = [.scalar(.string), .scalar(.reference), .scalar(.int64)]
    for field in fields
    where field.name != title && !field.name.hasPrefix("___") && field.indexes.contains(.queryable)
      && !field.type.isEncrypted && countable.contains(FieldType(field.type))
    {
      let groups = try await groups(of: field.name, query)
      facets.records = groups.reduce(0) { $0 + $1.records }
      let values = groups.filter { (1...Self.maxValueLength).contains($0.group.utf8.count) }
      // Where each record has a value of its own, a list of them says nothing.
      guard (2...Self.maxValues).contains(values.count), values.contains(where: { $0.records > 1 }) else {
        continue
      }
      let isReference = FieldType(field.type) == .scalar(.reference)
      let references = isReference ? values.map { FieldValue.reference(Reference($0.group)) } : []
      let titles = try await titles(of: references, in: schema)
      let offered = values.sorted { ($1.records, $0.group) < ($0.records, $1.group) }.map {
        (value: FilterExpression.written($0.group), name: titles[$0.group] ?? $0.group, records: $0.records)
      }
      facets.fields.append((field.name, offered))
    }
    return facets
  }

  private func groups(of field: String, _ query: Query) async throws -> [GroupCount] {
    let groups = Mutex<[GroupCount]>([])
    _ = try await container.countGroups(
      GroupCountRequest(recordType: query.recordType, groupField: field, filters: query.filters)
    ) { found in groups.withLock { $0 += found } }
    return groups.withLock { $0 }
  }
}
