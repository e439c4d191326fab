import Diagnostics

/// The database that stores the records of a type. A schema does not declare it, but grants only matter in the
/// public database (Documentation/reference/schema-language.md#databases).
enum RecordTypeDatabase: Sendable, Hashable {
  case `public`
  /// The schema text suggests a private or shared database.
  case presumedPrivate
  /// Declared as private by a comment or a setting.
  case `private`
}

/// The database that the option `--database` or the setting `schema.database` names.
package enum StatedDatabase: String, Sendable, Hashable, CaseIterable {
  case `public`
  case `private`
}

/// The settings `schema.database`, `schema.privateTypes` and `schema.publicTypes` in celestra-admin.json.
package struct DatabasePatterns: Sendable, Hashable {
  package var privateTypes: [NamePattern]
  package var publicTypes: [NamePattern]
  /// The database of the types about which nothing else is stated.
  package var database: StatedDatabase?

  package init(privateTypes: [NamePattern] = [], publicTypes: [NamePattern] = []) {
    self.privateTypes = privateTypes
    self.publicTypes = publicTypes
  }
}

/// The databases of a file's record types. The first of these applies: the option `--database`, a comment
/// `celestra:private` or `celestra:public` at the type, `schema.publicTypes`, the queries of the app,
/// `schema.privateTypes`, such a comment above DEFINE SCHEMA, `schema.database`, a guess from the schema text.
struct RecordTypeDatabases: Sendable {
  private let databases: [String: RecordTypeDatabase]
  /// Why types look private that no comment, setting or query assigns to a database, by the name of the type.
  let evidence: [String: PrivateEvidence]

  subscript(_ type: RecordTypeDeclaration) -> RecordTypeDatabase { databases[type.name] ?? .public }

  init() {
    databases = [:]
    evidence = [:]
  }

  init(of parsed: ParsedSchema, _ options: LintOptions) {
    // Only the public database is queried through the app's queries.
    let queried = options.queries?.recordTypes(in: parsed) ?? []
    let comments = DatabaseComments(parsed)
    let names = Set(parsed.recordTypes.map(\.name))
    var databases: [String: RecordTypeDatabase] = [:]
    var evidence: [String: PrivateEvidence] = [:]
    for (place, type) in parsed.recordTypes.enumerated() {
      if let stated = options.database?.ofTypes ?? comments.ofTypes[place]
        ?? options.configuration.databases.database(of: type.name, queried) ?? comments.ofFile
        ?? options.configuration.databases.database?.ofTypes
      {
        databases[type.name] = stated
      } else if let found = PrivateEvidence(type, among: names, mentioned: comments.mentionsPrivate(place)) {
        databases[type.name] = found.isStrong ? .presumedPrivate : .public
        evidence[type.name] = found
      }
    }
    self.databases = databases
    self.evidence = evidence
  }
}

extension StatedDatabase {
  fileprivate var ofTypes: RecordTypeDatabase { self == .private ? .private : .public }
}

extension DatabasePatterns {
  fileprivate func database(of name: String, _ queried: Set<String>) -> RecordTypeDatabase? {
    if publicTypes.contains(where: { $0.matches(name) }) || queried.contains(name) { return .public }
    return privateTypes.contains { $0.matches(name) } ? .private : nil
  }
}
