/// The database that stores the records of a type. A schema does not declare it, but grants only matter in the
/// public database (Documentation/reference/schema-language.md#databases).
enum RecordTypeDatabase: Sendable, Hashable {
  case `public`
  /// The schema text suggests a private or shared database.
  case presumedPrivate
  /// Declared as private by a comment or a setting.
  case `private`
}

/// The settings `schema.privateTypes` and `schema.publicTypes` in celestra-admin.json: patterns of record types.
public struct DatabasePatterns: Sendable, Hashable {
  public var privateTypes: [NamePattern]
  public var publicTypes: [NamePattern]

  public init(privateTypes: [NamePattern] = [], publicTypes: [NamePattern] = []) {
    self.privateTypes = privateTypes
    self.publicTypes = publicTypes
  }
}

/// The databases of a file's record types. The first of these applies: a comment `celestra:private` or
/// `celestra:public` at the type, the configured patterns, such a comment above DEFINE SCHEMA, a guess from the
/// schema text.
struct RecordTypeDatabases: Sendable {
  private let databases: [String: RecordTypeDatabase]
  subscript(_ type: RecordTypeDeclaration) -> RecordTypeDatabase { databases[type.name] ?? .public }

  init() { databases = [:] }

  init(of parsed: ParsedSchema, patterns: DatabasePatterns) {
    let comments = DatabaseComments(parsed)
    let names = Set(parsed.recordTypes.map(\.name))
    var databases: [String: RecordTypeDatabase] = [:]
    for (place, type) in parsed.recordTypes.enumerated() {
      let said =
        comments.ofTypes[place] ?? patterns.database(of: type.name) ?? comments.ofFile
      let suggested: RecordTypeDatabase? =
        comments.mentionsPrivate(place) || type.looksPrivate(among: names) ? .presumedPrivate : nil
      databases[type.name] = said ?? suggested
    }
    self.databases = databases
  }
}

extension DatabasePatterns {
  fileprivate func database(of name: String) -> RecordTypeDatabase? {
    if publicTypes.contains(where: { $0.matches(name) }) { return .public }
    return privateTypes.contains { $0.matches(name) } ? .private : nil
  }
}

extension RecordTypeDeclaration {
  /// Whether the type is probably private. Core Data stores its types (`CD_`) in the private database by default.
  /// Encrypted fields only exist in private and shared databases, and a public type without grants would be
  /// inaccessible. Custom roles only exist in the public database.
  fileprivate func looksPrivate(among names: Set<String>) -> Bool {
    if grants.contains(where: { !SystemNames.roles.contains($0.grant.role) }) { return false }
    // An app that moved from Core Data to CKSyncEngine may keep the old type.
    if name.hasPrefix("CD_") || names.contains("CD_\(name)") || grants.isEmpty { return true }
    return fields.contains { $0.type?.isEncrypted == true }
  }
}
