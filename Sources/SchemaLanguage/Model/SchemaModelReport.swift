package import Diagnostics

/// The report of `schema inspect`: the parsed model with the line of each field. System fields are only included if
/// declared. Unreadable parts are left out and reported.
package struct SchemaModelReport: Report {
  private let parsed: ParsedSchema

  package init(_ parsed: ParsedSchema) { self.parsed = parsed }

  package var status: ExitStatus { parsed.diagnostics.hasErrors ? .failed : .done }
  package var notes: [Diagnostic] { parsed.diagnostics }

  package var json: JSONValue {
    [
      "roles": .array(parsed.roles.map { .string($0.name) }),
      "recordTypes": .array(parsed.recordTypes.map { json(of: $0) }),
    ]
  }

  private func json(of type: RecordTypeDeclaration) -> JSONValue {
    let fields = type.fields.map { field -> JSONValue in
      [
        "name": .string(field.name), "type": .string(field.type?.description ?? "unknown"),
        "options": .array(field.indexes.map(\.rawValue).sorted().map(JSONValue.string)),
        "line": JSONValue(parsed.source.location(at: field.nameRange.lowerBound).line),
      ]
    }
    let grants = type.grants.map { SchemaDiffJSON.value($0.grant) }
    return ["name": .string(type.name), "fields": .array(fields), "grants": .array(grants)]
  }
}
