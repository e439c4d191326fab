internal import Cryptography
internal import Diagnostics
internal import SchemaLanguage

package enum GeneratedLanguage: String, Sendable, CaseIterable { case swift, typescript }

package enum GeneratedAccess: String, Sendable, CaseIterable { case `public`, package, `internal` }

/// A schema as the generators need it: sorted, with descriptions and relations.
struct GeneratedModel {
  struct RecordType {
    let name: String
    let description: String
    /// Who may do what, in words.
    let grants: String
    let fields: [Field]
    /// The indexes of system fields, by their names in Web Services.
    let systemIndexes: [(name: String, indexes: EnumSet<Index>)]
  }

  struct Field {
    let name: String
    let description: String
    let type: DataType
    let indexes: EnumSet<Index>
    let target: String?

    /// As in the schema: `LIST<STRING> QUERYABLE`.
    var declaration: String { ([type.description] + indexes.map(\.rawValue)).joined(separator: " ") }
    var isList: Bool { if case .list = type { true } else { false } }
    var isEncrypted: Bool { type.isEncrypted }
    /// Whether a query can name the field.
    var isQueried: Bool { !isEncrypted && type.primitive != .asset }
  }

  let recordTypes: [RecordType]
  /// The name of the schema file, without folders.
  let source: String
  /// The digest of the schema in canonical form.
  let digest: String

  /// The schema must have no errors.
  init(_ parsed: ParsedSchema, relations: [DeclaredRelation]) {
    source = SchemaGuide.name(of: parsed.source.name) + ".ckdb"
    digest = SHA256.hex(parsed.schema.canonicalText)
    let comments = SchemaComments(parsed)
    let targets = Dictionary(
      parsed.relations(relations).map { ("\($0.type).\($0.field)", $0.target) },
      uniquingKeysWith: { first, _ in first })
    let own = parsed.recordTypes.enumerated().filter { !SystemNames.isOfSharing($0.element.name) }
    recordTypes = own.map { place, type in
      let fields = type.fields.enumerated().compactMap { index, field -> Field? in
        guard !field.isSystem, let type = field.type else { return nil }
        return Field(
          name: field.name, description: comments.field(place, index), type: type, indexes: field.indexes,
          target: targets["\(parsed.recordTypes[place].name).\(field.name)"])
      }
      return RecordType(
        name: type.name, description: comments.recordType(place), grants: type.recordType.grantWords,
        fields: fields.sorted { $0.name < $1.name }, systemIndexes: Self.systemIndexes(of: type))
    }.sorted { $0.name < $1.name }
  }

  private static func systemIndexes(of type: RecordTypeDeclaration) -> [(
    name: String, indexes: EnumSet<Index>
  )] {
    [SystemField.createdTimestamp, .modifiedTimestamp].map { system in
      (system.rawValue, type.fields.first { $0.name == system.storedName }?.indexes ?? [])
    }
  }
}
