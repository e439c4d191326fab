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
  /// The digest of the schema in canonical form. One file has it: in every file, a change of one type would change them all.
  let digestLine: String

  /// The schema must have no errors.
  init(_ parsed: ParsedSchema, _ options: LintOptions) {
    source = SchemaGuide.name(of: parsed.source.name) + ".ckdb"
    digestLine = "// Schema: sha256 \(SHA256.hex(parsed.schema.canonicalText))\n\n"
    let comments = CommentAttachment(parsed)
    let targets = Dictionary(
      parsed.relations(options.configuration.relations).map { ("\($0.type).\($0.field)", $0.target) },
      uniquingKeysWith: { first, _ in first })
    let privateTypes = options.privateTypes(in: parsed)
    let own = parsed.recordTypes.enumerated().filter { !SystemNames.isOfSharing($0.element.name) }
    recordTypes = own.map { place, type in
      let fields = type.fields.enumerated().compactMap { index, field -> Field? in
        guard !field.isSystem, let type = field.type else { return nil }
        return Field(
          name: field.name, description: comments.words(.field(place, index)), type: type,
          indexes: field.indexes,
          target: targets["\(parsed.recordTypes[place].name).\(field.name)"])
      }
      return RecordType(
        name: type.name, description: comments.words(.opening(place)),
        grants: type.recordType.grantWords(privateTypes),
        fields: fields.sorted { $0.name < $1.name },
        systemIndexes: [SystemField.createdTimestamp, .modifiedTimestamp].map { system in
          (system.rawValue, type.field(system.storedName)?.indexes ?? [])
        })
    }.sorted { $0.name < $1.name }
  }
}

extension Primitive.Encryptable {
  /// The type of its values in each language, and what reads them in TypeScript.
  var generated: (swift: String, typeScript: (type: String, kind: String)) {
    switch self {
    case .bytes: ("Data", ("string", "bytes"))
    case .string: ("String", ("string", "text"))
    case .double: ("Double", ("number", "double"))
    case .int64: ("Int64", ("number", "int64"))
    case .location: ("Location", ("Location", "location"))
    case .timestamp: ("Date", ("Date", "timestamp"))
    }
  }
}

/// Names of generated declarations: the names of the schema, with `_` after those that the language or the generated
/// code has already.
struct GeneratedNames {
  static let reserved = WordLists(PackageResources.ReservedNames_txt)
  private let reserved: [Set<String>]
  private var taken: Set<String> = []

  /// - Parameter reserved: several sets, because a union of all type names for each file would take long.
  init(reserved: Set<String>...) { self.reserved = reserved }

  /// A name that no other declaration has.
  ///
  /// - Parameter forms: the names of all declarations made from it, such as `encodeFeed` from `Feed`.
  mutating func name(for wanted: String, forms: (String) -> [String] = { [$0] }) -> String {
    // Managed names have dots.
    var name = wanted.replacing(".", with: "_")
    while forms(name).contains(where: { form in
      taken.contains(form) || reserved.contains { $0.contains(form) }
    }) { name += "_" }
    taken.formUnion(forms(name))
    return name
  }
}

/// The files of record types: their names, also on file systems that ignore case.
struct GeneratedFileNames {
  private var taken: Set<String> = []

  mutating func file(for name: String, ending: String) -> String {
    let stem = taken.insert(name.lowercased()).inserted ? name : "\(name)-\(SHA256.hex(name).prefix(8))"
    return stem + ending
  }
}
