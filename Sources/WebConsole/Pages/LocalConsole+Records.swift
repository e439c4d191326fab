internal import CloudKitModel
internal import Diagnostics
internal import HTMLWriting
internal import LocalContainer
internal import Records
internal import SchemaLanguage

extension LocalConsole {
  private static let pageSize = 50

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
    let asked = AskedRecords(type, values)
    let query = try KnownRecordType(type, in: schema).query(
      filters: asked.filters, sorts: asked.sorts, printed: asked.columns, now: options.now())
    let fields = schema[recordType: type]?.fields ?? []
    let unread = RecordColumns(fields, asked: asked.columns, records: [])
    let missing = query.missingIndexes(in: schema)
    guard missing.isEmpty else { return form(asked, unread) + Self.notice(of: missing) }
    var request = QueryRequest(query, resultsLimit: Self.pageSize)
    request.continuationMarker = values["marker"]
    do {
      let page = try await store.query(request, in: options.environment, as: .serverKey)
      let columns = RecordColumns(fields, asked: asked.columns, records: page.records)
      return form(asked, columns) + table(page.records, type, columns)
        + next(page.continuationMarker, asked, columns)
    } catch let refusal as ServiceRefusal {
      return form(asked, unread)
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

  private func form(_ asked: AskedRecords, _ columns: RecordColumns) -> HTML {
    let names = (columns.available + [columns.title].compactMap(\.self)).sorted()
    let options = names.map { "<option\(attribute: "value", $0)>" as HTML }.joined()
    let inputs = (asked.filters + [""]).prefix(5).enumerated().map { index, filter in
      "<label for=\"filter\(index)\">Filter \(index + 1)</label><input type=\"text\" id=\"filter\(index)\" name=\"filter\"\(attribute: "value", filter)>\n"
        as HTML
    }
    return """
      <h2>\(asked.type)</h2>
      <form method="get"\(action("records", asked.type))>
      <p class="soft" id="how">A filter is <code>field OP value</code>, as <code>language == de</code> or \
      <code>___createTime &lt; -30d</code>. All must hold.</p>
      \(inputs.joined())<label for="sort">Sort by a field, or field:desc</label>\
      <input type="text" id="sort" name="sort" list="fields"\(attribute: "value", asked.sorts.first ?? "")>
      <datalist id="fields">\(options)</datalist>
      \(Self.chooser(columns))<button>Show</button>
      </form>

      """
  }

  /// The columns to choose from. When none is chosen, the console chooses.
  private static func chooser(_ columns: RecordColumns) -> HTML {
    let choices = columns.available.sorted().map { name -> HTML in
      let state: HTML = columns.shown.contains(name) ? " checked" : ""
      return
        "<label><input type=\"checkbox\" name=\"column\"\(attribute: "value", name)\(state)> \(name)</label>\n"
    }
    guard !choices.isEmpty else { return "" }
    return """
      <details><summary>Columns (\(columns.shown.count) of \(choices.count))</summary>
      <fieldset><legend>Fields beside \(columns.title ?? "the record name")</legend>
      \(choices.joined())</fieldset></details>

      """
  }

  private func table(_ records: [Record], _ type: String, _ columns: RecordColumns) -> HTML {
    guard !records.isEmpty else { return "<p>No record matches.</p>\n" }
    let head = ([columns.title].compactMap(\.self) + columns.shown).map {
      "<th scope=\"col\">\($0)</th>" as HTML
    }
    let rows = records.map { record -> HTML in
      let cells = columns.shown.map { "<td>\(cell(record.fields[$0]))</td>" as HTML }.joined()
      let title: HTML =
        RecordColumns.title(of: record, field: columns.title).map { "<bdi>\($0)</bdi>" }
        ?? ConsoleParts.shortRecordName(record.recordName)
      return """
        <tr><th scope="row"><a\(link("record", record.recordName))>\(title)</a></th>\(cells)\
        <td>\(ConsoleParts.copied(record.recordName, isShort: true))</td></tr>

        """
    }
    let first: HTML = columns.title == nil ? "<th scope=\"col\">Record</th>" : ""
    return """
      <div class="wide" role="region" tabindex="0"\(attribute: "aria-label", "Records of \(type)")>
      <table class="records"><caption>\(ConsoleParts.timeZone)</caption>
      <thead><tr>\(first)\(head.joined())<th scope="col">Record name</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>
      </div>

      """
  }

  /// The next page has the same columns, whatever its records would suggest.
  private func next(_ marker: String?, _ asked: AskedRecords, _ columns: RecordColumns) -> HTML {
    guard let marker else { return "" }
    let query =
      asked.filters.map { ("filter", $0) } + asked.sorts.map { ("sort", $0) }
      + columns.shown.map { ("column", $0) } + [("marker", marker)]
    return "<p><a\(link("records", asked.type, query: query))>Next page</a></p>\n"
  }

  private func cell(_ value: FieldValue?) -> HTML {
    guard let value else { return "" }
    guard let reference = value.reference else { return ConsoleParts.value(value, isShort: true) }
    return
      "<a\(link("record", reference.recordName))>\(ConsoleParts.shortRecordName(reference.recordName))</a>"
  }

  /// One record with every field. Its creator is personal data and is not shown.
  func record(_ name: String) async throws -> HTML {
    let outcomes = try await store.lookup(LookupRequest([name]), in: options.environment, as: .serverKey)
    switch outcomes.first {
    case .record(let record):
      let type = try await store.schema(of: options.environment)[recordType: record.recordType]
      return details(of: record, titled: RecordColumns.title(of: type?.fields ?? []))
    case .refused(_, let refusal):
      return
        "<div class=\"notice\"><p>\(refusal.error.reason)</p>\n<p>\(refusal.explanation)</p></div>\n"
    default: return "<p>No record has this name.</p>\n"
    }
  }

  private func details(of record: Record, titled field: String?) -> HTML {
    let rows = record.fields.sorted { $0.key < $1.key }.map { name, value -> HTML in
      let shown: HTML =
        value.reference.map { "<a\(link("record", $0.recordName))><bdi>\($0.recordName)</bdi></a>" }
        ?? ConsoleParts.value(value, isShort: false)
      return
        "<tr><th scope=\"row\">\(name)</th><td>\(value.type.wireName)</td><td>\(shown)</td></tr>\n"
    }
    let title = RecordColumns.title(of: record, field: field) ?? record.recordName
    let tag: HTML = record.changeTag.map { "<p>Change tag \($0)</p>\n" } ?? ""
    return """
      <h2><bdi>\(title)</bdi></h2>
      <p>Type <a\(link("records", record.recordType))>\(record.recordType)</a>, record name \
      \(ConsoleParts.copied(record.recordName, isShort: false))</p>
      \(tag)<table><caption>\(ConsoleParts.timeZone)</caption>
      <thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Value</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>

      """
  }
}

/// What the address of a page of records asks for.
private struct AskedRecords {
  let type: String
  let filters: [String]
  let sorts: [String]
  let columns: [String]

  init(_ type: String, _ values: FormValues) {
    self.type = type
    filters = values.all("filter")
    sorts = values.all("sort")
    columns = values.all("column")
  }
}
