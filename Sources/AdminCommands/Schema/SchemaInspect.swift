internal import ArgumentParser
internal import Diagnostics
internal import SchemaLanguage

struct SchemaInspect: AdminCommand {
  static let title = "schema inspect"
  static let usesContainer = false
  static let formats: [OutputFormat] = [.json]
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Print the parsed model of a schema file, as declared.",
    discussion: """
      Roles, record types, fields with type, options and line, and grants, as JSON. Implicit system fields are there \
      only where they are written.
      """)

  @Argument(help: "The schema file; - reads standard input.", completion: .file(extensions: ["ckdb"]))
  var file: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaInspect>

  func perform(in session: Session) async throws -> any Report {
    let parsed = SchemaParser.parse(try InputFile.source(file))
    return CommandResult(
      parsed.diagnostics.hasErrors ? .failed : .done, json: parsed.json, diagnostics: parsed.diagnostics
    ) { _, _ in nil }
  }
}

extension ParsedSchema {
  /// The model with the lines of its fields: system fields only where they are written.
  fileprivate var json: JSONValue {
    [
      "roles": .array(roles.map { .string($0.name) }),
      "recordTypes": .array(recordTypes.map { json(of: $0) }),
    ]
  }

  private func json(of type: RecordTypeDeclaration) -> JSONValue {
    let fields = type.fields.map { field -> JSONValue in
      [
        "name": .string(field.name), "type": .string(field.type?.description ?? "unknown"),
        "options": .array(field.indexes.map(\.rawValue).sorted().map(JSONValue.string)),
        "line": .integer(Int64(source.location(at: field.nameRange.lowerBound).line)),
      ]
    }
    let grants = type.grants.map { declaration -> JSONValue in
      [
        "role": .string(declaration.grant.role),
        "privileges": .array(declaration.grant.privileges.map { .string($0.rawValue) }),
      ]
    }
    return ["name": .string(type.name), "fields": .array(fields), "grants": .array(grants)]
  }
}
