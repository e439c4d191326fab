internal import CloudKitModel
internal import HTMLWriting
internal import LocalContainer
internal import SchemaLanguage

extension LocalConsole {
  /// One record as a document: what it is called, and every field. Its creator is personal data and is not shown.
  func record(_ name: String) async throws -> (title: String, content: HTML) {
    let outcomes = try await store.lookup(LookupRequest([name]), in: options.environment, as: .serverKey)
    switch outcomes.first {
    case .record(let record):
      let schema = try await store.schema(of: options.environment)
      let title = title(of: record, in: schema) ?? record.recordName
      return (title, try await document(record, schema))
    case .refused(_, let refusal):
      return ("Record", Self.notice("\(refusal.error.reason)</p>\n<p>\(refusal.explanation)"))
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
      let filter = "\(relation.field) \(relation.isToMany ? "LIST_CONTAINS" : "==") \(record.recordName)"
      let address = link("records", relation.type, query: [("filter", filter)])
      return "<li><a\(address)>\(relation.type)</a> by \(relation.field)</li>\n"
    }
    return links.isEmpty ? "" : "<h2>Records that refer to it</h2>\n<ul>\n\(links.joined())</ul>\n"
  }
}
