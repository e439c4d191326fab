internal import CloudKitModel
internal import Diagnostics
internal import HTMLWriting
internal import LocalContainer
internal import Records
internal import SchemaLanguage

extension LocalConsole {
  private static let pageSize = 50
  /// Unicode scalars of a value that a cell shows.
  private static let maxCell = 200

  /// The types with their numbers of records.
  func overview() async throws -> HTML {
    let info = try await store.info()
    let rows = info.counts.filter { $0.environment == options.environment }.map { count -> HTML in
      // CloudKit refuses queries of Users.
      let name: HTML =
        count.recordType == "Users"
        ? "Users" : "<a\(link("records", count.recordType))>\(count.recordType)</a>"
      return "<tr><th scope=\"row\">\(name)</th><td class=\"number\">\(count.records)</td></tr>\n"
    }
    return """
      <table><thead><tr><th scope="col">Record type</th><th scope="col">Records</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>

      """
  }

  /// One page of a query, or the lines that the schema lacks for it.
  func records(of type: String, _ values: FormValues) async throws -> HTML {
    let schema = try await store.schema(of: options.environment)
    let filters = values.all("filter")
    let sorts = values.all("sort")
    let known = try KnownRecordType(type, in: schema)
    let form = form(of: type, filters, sorts, fields: known.fields.map { $0.keys.sorted() } ?? [])
    let query = try known.query(
      filters: filters, sorts: sorts, printed: [], notation: .own, now: options.now())
    let missing = query.missingIndexes(in: schema)
    guard missing.isEmpty else { return form + Self.notice(of: missing) }
    let marker = values["marker"]
    var request = QueryRequest(query, resultsLimit: Self.pageSize)
    request.continuationMarker = marker
    do {
      let page = try await store.query(request, in: options.environment, as: .serverKey)
      return form + table(page.records, type, known.fields?.keys.sorted() ?? [])
        + next(page.continuationMarker, type, filters, sorts)
    } catch let refusal as ServiceRefusal {
      return form
        + "<div class=\"notice\"><p>The container refuses this query: \(refusal.error.reason)</p>\n<p>\(refusal.explanation)</p></div>\n"
    }
  }

  /// What CloudKit would refuse, with the lines to add before it does.
  private static func notice(of missing: [MissingIndex]) -> HTML {
    let lines = missing.map { index in
      "<li>RECORD TYPE \(index.recordType): <code>\(index.line)</code></li>\n" as HTML
    }
    return """
      <div class="notice"><p>CloudKit refuses this query, because \(counted(missing.count, "index")) is missing. \
      Change the schema so that it has:</p>
      <ul>
      \(lines.joined())</ul></div>

      """
  }

  private func form(of type: String, _ filters: [String], _ sorts: [String], fields: [String]) -> HTML {
    let names = fields.map { "<option\(attribute: "value", $0)>" as HTML }.joined()
    let inputs = (filters + [""]).prefix(5).enumerated().map { index, filter in
      "<label for=\"filter\(index)\">Filter \(index + 1)</label><input type=\"text\" id=\"filter\(index)\" name=\"filter\"\(attribute: "value", filter)>\n"
        as HTML
    }
    return """
      <h2>\(type)</h2>
      <form method="get"\(action("records", type))>
      <p class="soft" id="how">A filter is <code>field OP value</code>, as <code>language == de</code> or \
      <code>___createTime &lt; -30d</code>. All must hold.</p>
      \(inputs.joined())<label for="sort">Sort by a field, or field:desc</label>\
      <input type="text" id="sort" name="sort" list="fields"\(attribute: "value", sorts.first ?? "")>
      <datalist id="fields">\(names)</datalist>
      <button>Show</button>
      </form>

      """
  }

  private func table(_ records: [Record], _ type: String, _ fields: [String]) -> HTML {
    guard !records.isEmpty else { return "<p>No record matches.</p>\n" }
    let columns = fields.filter { field in
      records.contains { $0.fields[field] != nil } && !field.hasPrefix("___")
    }
    let head = columns.map { "<th scope=\"col\">\($0)</th>" as HTML }.joined()
    let rows = records.map { record -> HTML in
      let cells = columns.map { "<td>\(cell(record.fields[$0]))</td>" as HTML }.joined()
      return
        "<tr><th scope=\"row\"><a\(link("record", record.recordName))><bdi>\(Self.short(record.recordName))</bdi></a></th>\(cells)</tr>\n"
    }
    return """
      <div class="wide" role="region" tabindex="0"\(attribute: "aria-label", "Records of \(type)")>
      <table><thead><tr><th scope="col">Record name</th>\(head)</tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>
      </div>

      """
  }

  private func next(_ marker: String?, _ type: String, _ filters: [String], _ sorts: [String]) -> HTML {
    guard let marker else { return "" }
    let query = filters.map { ("filter", $0) } + sorts.map { ("sort", $0) } + [("marker", marker)]
    return "<p><a\(link("records", type, query: query))>Next page</a></p>\n"
  }

  private static func short(_ text: String) -> String {
    text.unicodeScalars.count > maxCell ? String(text.unicodeScalars.prefix(maxCell - 1)) + "…" : text
  }

  private func cell(_ value: FieldValue?) -> HTML {
    guard let value else { return "" }
    guard let reference = value.reference else { return "<bdi>\(Self.short(value.display))</bdi>" }
    return "<a\(link("record", reference.recordName))><bdi>\(Self.short(reference.recordName))</bdi></a>"
  }

  /// One record with every field. Its creator is personal data and is not shown.
  func record(_ name: String) async throws -> HTML {
    let outcomes = try await store.lookup(LookupRequest([name]), in: options.environment, as: .serverKey)
    switch outcomes.first {
    case .record(let record): return details(of: record)
    case .refused(_, let refusal):
      return
        "<div class=\"notice\"><p>\(refusal.error.reason)</p>\n<p>\(refusal.explanation)</p></div>\n"
    default: return "<p>No record has this name.</p>\n"
    }
  }

  private func details(of record: Record) -> HTML {
    let rows = record.fields.sorted { $0.key < $1.key }.map { name, value -> HTML in
      let shown: HTML =
        value.reference.map { "<a\(link("record", $0.recordName))><bdi>\($0.recordName)</bdi></a>" }
        ?? "<bdi>\(value.display)</bdi>"
      return
        "<tr><th scope=\"row\">\(name)</th><td>\(value.type.wireName)</td><td>\(shown)</td></tr>\n"
    }
    let tag: HTML = record.changeTag.map { "<p>Change tag \($0)</p>\n" } ?? ""
    return """
      <h2><bdi>\(record.recordName)</bdi></h2>
      <p>Type <a\(link("records", record.recordType))>\(record.recordType)</a></p>
      \(tag)<table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Value</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>

      """
  }
}
