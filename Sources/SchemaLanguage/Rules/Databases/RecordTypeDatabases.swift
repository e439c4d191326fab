internal import Diagnostics

/// The database that stores the records of a type. A schema does not declare it, but grants only matter in the
/// public database (Documentation/reference/schema-language.md#databases). The option `--database`, comments and settings
/// name it.
package enum StatedDatabase: String, Sendable, Hashable, CaseIterable {
  case `public`
  case `private`
}

/// The settings `schema.database`, `schema.privateTypes` and `schema.publicTypes` in celestra-admin.json.
package struct DatabasePatterns: Sendable, Hashable {
  package var privateTypes: [NamePattern] = []
  package var publicTypes: [NamePattern] = []
  /// The database of the types about which nothing else is stated.
  package var database: StatedDatabase?
}

/// The databases of a file's record types. The first of these applies: the option `--database`, a comment
/// `celestra:private` or `celestra:public` at the type, `schema.publicTypes`, the queries of the app,
/// `schema.privateTypes`, such a comment above DEFINE SCHEMA, `schema.database`, a guess from the schema text.
struct RecordTypeDatabases: Sendable {
  private var stated: [String: StatedDatabase] = [:]
  /// Why types look private that no comment, setting or query assigns to a database, by the name of the type.
  private(set) var evidence: [String: PrivateEvidence] = [:]

  func isDeclaredPrivate(_ type: RecordTypeDeclaration) -> Bool { stated[type.name] == .private }

  func isPublic(_ type: RecordTypeDeclaration) -> Bool {
    stated[type.name].map { $0 == .public } ?? !(evidence[type.name]?.isStrong ?? false)
  }

  init() {}

  /// - Parameter queried: the types of the app's queries, which are about the public database only.
  init(of parsed: ParsedSchema, _ options: LintOptions, queried: Set<String>) {
    let comments = DatabaseComments(parsed)
    let names = Set(parsed.recordTypes.map(\.name))
    for (place, type) in parsed.recordTypes.enumerated() {
      stated[type.name] =
        options.database ?? comments.ofTypes[place]
        ?? options.configuration.databases.database(of: type.name, queried) ?? comments.ofFile
        ?? options.configuration.databases.database
      if stated[type.name] == nil {
        evidence[type.name] = PrivateEvidence(
          type, among: names, mentioned: comments.mentionsPrivate(place))
      }
    }
  }
}

extension LintOptions {
  /// The types of a schema that a comment or a setting assigns to the private database.
  package func privateTypes(in parsed: ParsedSchema) -> Set<String> {
    let databases = RuleContext(linting: parsed, self, named: parsed.source.name).databases
    return Set(parsed.recordTypes.filter(databases.isDeclaredPrivate).map(\.name))
  }
}

extension LintConfiguration {
  /// The same for a schema whose queries are not known.
  package func privateTypes(in parsed: ParsedSchema) -> Set<String> {
    var options = LintOptions()
    options.configuration = self
    return options.privateTypes(in: parsed)
  }
}
