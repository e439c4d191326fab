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

/// The databases of record types according to the file's comments.
private struct DatabaseComments {
  /// The database of each type with a directive, by the type's index.
  private(set) var ofTypes: [Int: RecordTypeDatabase] = [:]
  private(set) var ofFile: RecordTypeDatabase?
  /// Types whose comments mention the private database and not the public one.
  private var mentioning: Set<Int> = []

  init(_ parsed: ParsedSchema) {
    guard !parsed.comments.isEmpty else { return }
    let targets = CommentTargets(parsed)
    for comment in parsed.comments {
      guard let said = Self.declared(in: parsed.source, comment.range) else { continue }
      switch targets.target(of: comment) {
      case .file: ofFile = said
      case .declaration(let range):
        if let place = parsed.recordTypes.firstIndex(where: { $0.range.contains(range.lowerBound) }) {
          ofTypes[place] = said
        }
      case .nothing: break
      }
    }
    let attachment = CommentAttachment(parsed)
    for place in parsed.recordTypes.indices where mentionsPrivate(attachment[.opening(place)]) {
      mentioning.insert(place)
    }
  }

  func mentionsPrivate(_ place: Int) -> Bool { mentioning.contains(place) }

  /// `// celestra:private`, `// celestra:public`, with or without more words after it.
  private static func declared(in source: SourceText, _ range: Range<Int>) -> RecordTypeDatabase? {
    let text = source.text(in: range).dropFirst(2).drop { $0 == " " }
    guard text.hasPrefix("celestra:") else { return nil }
    let word = text.dropFirst("celestra:".count).prefix { $0.isLetter }
    return word == "private" ? .private : word == "public" ? .public : nil
  }

  private func mentionsPrivate(_ comments: AttachedComments) -> Bool {
    let words = (comments.leading + comments.trailing).flatMap {
      $0.text.lowercased().split { !$0.isLetter && !$0.isNumber }
    }
    return Self.mentions("private", words) && !Self.mentions("public", words)
  }

  /// "private database", "private CloudKit database", "private DB"
  private static func mentions(_ kind: Substring, _ words: [Substring]) -> Bool {
    words.indices.contains { place in
      words[place] == kind
        && words[(place + 1)...].prefix(2).contains { ["database", "databases", "db"].contains($0) }
    }
  }
}

/// A pattern of names in which `*` stands for any letters and `?` for one: `CD_*`.
public struct NamePattern: Sendable, Hashable, CustomStringConvertible {
  public let description: String
  private let bytes: [UInt8]

  public init(_ text: String) {
    description = text
    bytes = Array(text.utf8)
  }

  /// Whether the pattern has `*` or `?`.
  public var hasWildcard: Bool { bytes.contains(star) || bytes.contains(any) }

  /// A name of the schema language, with or without wildcards.
  public var isPossible: Bool {
    !bytes.isEmpty && bytes.allSatisfy { $0.isQuotedNameByte || $0 == star || $0 == any }
  }

  /// The time is at most proportional to the product of the lengths.
  public func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    var (place, at) = (0, 0)
    var retry: (pattern: Int, name: Int)?
    while at < name.count {
      if place < bytes.count, bytes[place] == star {
        retry = (place + 1, at)
        place += 1
      } else if place < bytes.count, bytes[place] == any || bytes[place] == name[at] {
        place += 1
        at += 1
      } else if let last = retry {
        retry = (last.pattern, last.name + 1)
        (place, at) = (last.pattern, last.name + 1)
      } else {
        return false
      }
    }
    return bytes[place...].allSatisfy { $0 == star }
  }
}

private let star = UInt8(ascii: "*")
private let any = UInt8(ascii: "?")
