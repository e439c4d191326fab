internal import Diagnostics
internal import HTMLWriting
internal import LocalContainer
internal import SchemaLanguage

extension LocalConsole {
  /// The types with what they refer to, their fields, and who may do what with them.
  func schema() async throws -> HTML {
    let parsed = try await store.schema(of: options.environment).parsed
    let types = parsed.recordTypes.map(\.recordType)
    let links = parsed.relations()
    let listed = links.map { link in
      "<li><code>\(link.type).\(link.field)</code> refers to <code>\(link.target)</code></li>\n" as HTML
    }
    let references: HTML = listed.isEmpty ? "" : "<ul>\n\(listed.joined())</ul>\n"
    return """
      \(ConsoleSchemaDiagram(types.map(\.name).filter { $0 != "Users" }, links).html)\(references)\(types.map(section).joined())

      """
  }

  private func section(_ type: RecordType) -> HTML {
    let rows = type.fields.map { field -> HTML in
      let indexes = field.indexes.map(\.rawValue).joined(separator: ", ")
      return
        "<tr><th scope=\"row\">\(field.name)</th><td>\("\(field.type)")</td><td>\(indexes)</td></tr>\n"
    }
    return """
      <h2\(id: type.name)><a\(link("records", type.name))>\(type.name)</a></h2>
      <p>\(type.grantWords)</p>
      <table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Indexes</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>

      """
  }
}

extension Schema {
  /// The schema with what its comments say about relations.
  var parsed: ParsedSchema { SchemaParser.parse(SourceText(name: "schema", canonicalText)) }
}
