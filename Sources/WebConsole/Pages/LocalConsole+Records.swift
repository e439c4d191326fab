internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import Records
internal import Reporting
internal import SchemaLanguage

extension LocalConsole {
  private static let pageSize = 50

  /// One page of a query, or the lines that the schema lacks for it.
  func records(of type: String, _ values: FormValues) async throws -> HTML {
    let schema = try await store.schema(of: options.environment)
    let asked = AskedRecords(type, values)
    let query = try KnownRecordType(type, in: schema).query(
      filters: asked.filters, sorts: asked.sorts, printed: asked.columns, now: options.now())
    let fields = schema[recordType: type]?.fields ?? []
    func bar(_ columns: RecordColumns, _ facets: RecordFacets = RecordFacets()) -> HTML {
      RecordsBar(console: self, asked: asked, fields: fields, columns: columns, facets: facets).html
    }
    let unread = columns(of: type, in: schema, asked: asked.columns, records: [])
    let missing = query.missingIndexes(in: schema)
    guard missing.isEmpty else { return bar(unread) + Self.notice(of: missing) }
    var request = QueryRequest(query, resultsLimit: Self.pageSize)
    request.continuationMarker = values["marker"]
    do {
      let page = try await container.query(request)
      let columns = columns(of: type, in: schema, asked: asked.columns, records: page.records)
      let facets = try await facets(of: query, fields, schema)
      let shown = page.records.flatMap { record in columns.shown.compactMap { record.fields[$0] } }
      let titles = try await titles(of: shown, in: schema)
      let byName = Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }
      return bar(columns, facets) + table(page.records, asked, columns, byName, titles)
        + next(page.continuationMarker, asked, columns)
    } catch let refusal as ServerError {
      return bar(unread)
        + Self.notice(
          "The container refuses this query: \(refusal.reason)</p>\n<p>\(refusal.explanation)")
    }
  }

  /// What CloudKit would refuse, with the lines to add before it does.
  private static func notice(of missing: [MissingIndex]) -> HTML {
    let lines = missing.map { index in
      "<li>RECORD TYPE \(index.recordType): <code>\(index.line)</code></li>\n" as HTML
    }
    return """
      <div class="notice"><p>CloudKit refuses this query, because \(missing.count == 1 ? "1 index is" : "\(missing.count) indexes are") missing. \
      Change the schema so that it has:</p>
      <ul>
      \(lines.joined())</ul></div>

      """
  }

  private func table(
    _ records: [Record], _ asked: AskedRecords, _ columns: RecordColumns, _ fields: [String: Field],
    _ titles: [String: String]
  ) -> HTML {
    guard !records.isEmpty else { return "<p>No record matches.</p>\n" }
    let numbers = Set(columns.shown.filter { fields[$0].map(RecordColumns.isNumber) ?? false })
    let heads = ([columns.title].compactMap(\.self) + columns.shown).map { name in
      head(
        name, asked, isSortable: fields[name]?.indexes.contains(.sortable) ?? false, numbers.contains(name))
    }
    let rows = records.map { record -> HTML in
      let cells = columns.shown.map { name in
        let shown = record.fields[name].map { show($0, titles, isShort: true) } ?? ""
        return "<td\(attribute: "class", numbers.contains(name) ? "number" : nil)>\(shown)</td>" as HTML
      }
      let title: HTML =
        RecordColumns.title(of: record, field: columns.title).map { "<bdi>\($0)</bdi>" }
        ?? ConsoleParts.shortRecordName(record.recordName)
      return """
        <tr><th scope="row"><a\(link("record", record.recordName))>\(title)</a></th>\(cells.joined())\
        <td>\(ConsoleParts.copied(record.recordName, isShort: true))</td></tr>

        """
    }
    let first: HTML = columns.title == nil ? "<th scope=\"col\">Record</th>" : ""
    return """
      <div class="wide" role="region" tabindex="0"\(attribute: "aria-label", "Records of \(asked.type)")>
      <table class="records">
      <thead><tr>\(first)\(heads.joined())<th scope="col">Record name</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>
      </div>
      <p class="soft">\(ConsoleParts.timeZone)</p>

      """
  }

  /// A column's head, which sorts by it where the schema lets a query do so.
  private func head(_ name: String, _ asked: AskedRecords, isSortable: Bool, _ isNumber: Bool) -> HTML {
    let kind = isNumber ? "number" : nil
    guard isSortable else {
      return "<th scope=\"col\"\(attribute: "class", kind) title=\"Not SORTABLE in the schema\">\(name)</th>"
    }
    let order: String? = asked.sorts.first.flatMap {
      $0 == name ? "ascending" : $0 == "\(name):desc" ? "descending" : nil
    }
    let query = asked.query(sorts: [order == "ascending" ? "\(name):desc" : name])
    return
      "<th scope=\"col\"\(attribute: "class", kind)\(attribute: "aria-sort", order)><a class=\"sort\"\(link("records", asked.type, query: query))>\(name)</a></th>"
  }

  /// The next page has the same columns, whatever its records would suggest.
  private func next(_ marker: String?, _ asked: AskedRecords, _ columns: RecordColumns) -> HTML {
    guard let marker else { return "" }
    let query = asked.query(columns: columns.shown) + [("marker", marker)]
    return "<p><a\(link("records", asked.type, query: query))>Next page</a></p>\n"
  }

  /// What the records are called to which values refer, by their names.
  func titles(of values: [FieldValue], in schema: Schema) async throws -> [String: String] {
    let references = values.flatMap { $0.elements ?? [$0] }.compactMap(\.reference?.recordName)
    let names = Set(references).sorted().prefix(ContainerLimits.recordsPerRequest)
    guard !names.isEmpty else { return [:] }
    let found = try await container.lookup(LookupRequest(Array(names)))
    return found.reduce(into: [:]) { titles, outcome in
      guard case .record(let record) = outcome else { return }
      titles[record.recordName] = title(of: record, in: schema)
    }
  }

  /// What a record is called; `nil` when it has no such value.
  func title(of record: Record, in schema: Schema) -> String? {
    RecordColumns.title(
      of: record,
      field: RecordColumns.title(
        of: schema[recordType: record.recordType]?.fields ?? [],
        except: personFields(of: record.recordType, in: schema)))
  }

  /// The columns of a type's records. A field that may name a person is not what a record is called.
  func columns(of type: String, in schema: Schema, asked: [String], records: [Record]) -> RecordColumns {
    RecordColumns(
      schema[recordType: type]?.fields ?? [], asked: asked, records: records,
      persons: personFields(of: type, in: schema))
  }

  func personFields(of type: String, in schema: Schema) -> Set<String> {
    let names = schema[recordType: type].map(PersonFields(schema, options.relations).names(of:))
    return Set((names ?? []).map(\.name))
  }

  /// A value: references and addresses as links, the rest as ``ConsoleParts`` shows it.
  func show(_ value: FieldValue, _ titles: [String: String], isShort: Bool) -> HTML {
    switch value {
    case .reference(let reference): return self.reference(reference.recordName, titles)
    case .list(of: .reference, let values):
      let names = values.compactMap(\.reference?.recordName)
      let shown = names.prefix(isShort ? 3 : names.count).map { reference($0, titles) }.joined(
        separator: ", ")
      return names.count > 3 && isShort ? "\(shown) and \(names.count - 3) more" : shown
    default: return ConsoleParts.value(value, isShort: isShort)
    }
  }

  private func reference(_ name: String, _ titles: [String: String]) -> HTML {
    guard let title = titles[name] else {
      return "<a\(link("record", name))>\(ConsoleParts.shortRecordName(name))</a>"
    }
    return "<a\(link("record", name))\(attribute: "title", name)><bdi>\(title)</bdi></a>"
  }
}

extension LocalConsole {
  /// One record as a document: what it is called, and every field. Its creator is personal data and is not shown.
  func record(_ name: String) async throws -> (title: String, content: HTML) {
    let outcomes = try await container.lookup(LookupRequest([name]))
    switch outcomes.first {
    case .record(let record):
      let schema = try await store.schema(of: options.environment)
      let title = title(of: record, in: schema) ?? record.recordName
      return (title, try await document(record, schema))
    case .failed(_, let refusal):
      return ("Record", Self.notice("\(refusal.reason)</p>\n<p>\(refusal.explanation)"))
    default: return ("Record", "<p>No record has this name.</p>\n")
    }
  }

  private func document(_ record: Record, _ schema: Schema) async throws -> HTML {
    let titles = try await titles(of: Array(record.fields.values), in: schema)
    let columns = columns(of: record.recordType, in: schema, asked: [], records: [record])
    let order = [columns.title].compactMap(\.self) + columns.available
    let rows = order.compactMap { name in
      record.fields[name].map { value in
        "<dt>\(name) <small>\(value.type.wireName)</small></dt><dd>\(show(value, titles, isShort: false))</dd>\n"
          as HTML
      }
    }
    let absent = order.filter { record.fields[$0] == nil }
    let without: HTML =
      absent.isEmpty ? "" : "<p class=\"soft\">Without a value: \(absent.joined(separator: ", ")).</p>\n"
    let times: [HTML] = [
      record.created.map { "created \(ConsoleParts.time($0.timestamp))" },
      record.modified.map { "changed \(ConsoleParts.time($0.timestamp))" },
      record.changeTag.map { "change tag \($0)" },
    ].compactMap(\.self)
    return """
      <p class="soft"><a\(link("records", record.recordType))>\(record.recordType)</a> \
      \(ConsoleParts.copied(record.recordName, isShort: false))</p>
      <p class="soft">\(times.joined(separator: "; ")). \(ConsoleParts.timeZone)</p>
      <dl>
      \(rows.joined())</dl>
      \(without)\(referring(to: record, schema))
      """
  }

  private func referring(to record: Record, _ schema: Schema) -> HTML {
    let links = schema.parsed.relations().filter { $0.target == record.recordType }.compactMap {
      relation -> HTML? in
      guard let field = schema[recordType: relation.type]?[field: relation.field],
        field.indexes.contains(.queryable)
      else { return nil }
      let name = FilterExpression.written(record.recordName)
      let filter = "\(relation.field) \(relation.isToMany ? "LIST_CONTAINS" : "==") \(name)"
      let address = link("records", relation.type, query: [("filter", filter)])
      return "<li><a\(address)>\(relation.type)</a> by \(relation.field)</li>\n"
    }
    return links.isEmpty ? "" : "<h2>Records that refer to it</h2>\n<ul>\n\(links.joined())</ul>\n"
  }
}

struct AskedRecords {
  let type: String
  let filters: [String]
  let sorts: [String]
  let columns: [String]

  init(_ type: String, _ values: FormValues) {
    self.type = type
    // A filter of the form, whose parts have fields of their own.
    let added = values.all("value").first.flatMap { value in
      values["field"].map { "\($0) \(values["op"] ?? "==") \(value)" }
    }
    filters = values.all("filter") + [added].compactMap(\.self)
    sorts = values.all("sort")
    columns = values.all("column")
  }

  /// The query of the page's address with another part.
  func query(
    filters: [String]? = nil, sorts: [String]? = nil, columns: [String]? = nil
  ) -> [(String, String)] {
    (filters ?? self.filters).map { ("filter", $0) } + (sorts ?? self.sorts).map { ("sort", $0) }
      + (columns ?? self.columns).map { ("column", $0) }
  }
}
