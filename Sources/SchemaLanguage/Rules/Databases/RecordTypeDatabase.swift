/// Which database the records of a type live in. A schema does not say it, and grants and readers matter only in the
/// public one (Documentation/reference/schema-language.md#databases).
enum RecordTypeDatabase: Sendable, Hashable {
  case `public`
  /// The text suggests a private or shared database.
  case presumedPrivate
  /// The team says that it is private.
  case `private`
}

/// What the team says about its record types, as patterns of their names: `schema.privateTypes` and
/// `schema.publicTypes` in celestra-admin.json.
public struct DatabasePatterns: Sendable, Hashable {
  public var privateTypes: [NamePattern]
  public var publicTypes: [NamePattern]

  public init(privateTypes: [NamePattern] = [], publicTypes: [NamePattern] = []) {
    self.privateTypes = privateTypes
    self.publicTypes = publicTypes
  }
}

/// The databases of a file's record types. The first of these that says something decides: a comment
/// `celestra:private` or `celestra:public` at the type, the patterns, such a comment above DEFINE SCHEMA, and what the
/// text suggests.
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
  /// Core Data keeps its mirror (`CD_`) in the private database unless an app asks for another. Encrypted fields exist
  /// only in private and shared databases, and without grants nobody has access in the public one. Custom roles exist
  /// only in the public one.
  fileprivate func looksPrivate(among names: Set<String>) -> Bool {
    if grants.contains(where: { !SystemNames.roles.contains($0.grant.role) }) { return false }
    // A CKSyncEngine app keeps the type it mirrored before.
    if name.hasPrefix("CD_") || names.contains("CD_\(name)") || grants.isEmpty { return true }
    return fields.contains { $0.type?.isEncrypted == true }
  }
}
