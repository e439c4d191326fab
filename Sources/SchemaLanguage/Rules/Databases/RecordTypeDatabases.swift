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

  /// For rules about grants, which were written explicitly: that the text suggests it does not count.
  func isDeclaredPrivate(_ type: RecordTypeDeclaration) -> Bool { stated[type.name] == .private }

  func isPublic(_ type: RecordTypeDeclaration) -> Bool {
    stated[type.name].map { $0 == .public } ?? !(evidence[type.name]?.isStrong ?? false)
  }

  init() {}

  /// - Parameter queried: the types of the app's queries, which are about the public database only.
  init(
    of parsed: ParsedSchema, _ comments: CommentAttachment, _ options: LintOptions, queried: Set<String>
  ) {
    var (ofTypes, ofFile): ([Int: StatedDatabase], StatedDatabase?) = ([:], nil)
    for (comment, owner) in zip(parsed.comments, comments.owners) {
      guard let word = CommentWord.read(parsed.source, comment.range)?.word,
        let said = StatedDatabase(rawValue: word.rawValue)
      else { continue }
      switch owner {
      case .header: ofFile = said
      case .opening(let place), .closing(let place): ofTypes[place] = said
      case .field, .grant, .role, .end: break
      }
    }
    for (place, type) in parsed.recordTypes.enumerated() {
      stated[type.name] =
        options.database ?? ofTypes[place]
        ?? options.configuration.databases.database(of: type.name, queried) ?? ofFile
        ?? options.configuration.databases.database
      if stated[type.name] == nil {
        evidence[type.name] = PrivateEvidence(type, mentioned: Self.mentionPrivate(comments[.opening(place)]))
      }
    }
  }

  /// Whether the comments of a type mention the private database and not the public one.
  private static func mentionPrivate(_ comments: AttachedComments) -> Bool {
    let words = (comments.leading + comments.trailing).flatMap {
      $0.text.lowercased().split { !$0.isLetter && !$0.isNumber }
    }
    return mentions("private", words) && !mentions("public", words)
  }

  /// "private database", "private CloudKit database", "private DB"
  private static func mentions(_ kind: Substring, _ words: [Substring]) -> Bool {
    words.indices.contains { place in
      words[place] == kind
        && words[(place + 1)...].prefix(2).contains { ["database", "databases", "db"].contains($0) }
    }
  }
}

extension LintOptions {
  /// The types of a schema that a comment or a setting assigns to the private database, and no query to the public one.
  package func privateTypes(in parsed: ParsedSchema) -> Set<String> {
    let comments = CommentAttachment(parsed)
    let databases = RuleContext(linting: parsed, self, named: parsed.source.name, comments).databases
    return Set(parsed.recordTypes.filter(databases.isDeclaredPrivate).map(\.name))
  }
}

extension DatabasePatterns {
  /// Whether the settings say that records of a type are in a private database.
  package func isPrivate(_ name: String) -> Bool { (database(of: name, []) ?? database) == .private }

  fileprivate func database(of name: String, _ queried: Set<String>) -> StatedDatabase? {
    if publicTypes.contains(where: { $0.matches(name) }) || queried.contains(name) { return .public }
    return privateTypes.contains { $0.matches(name) } ? .private : nil
  }
}

/// A pattern of names in which `*` stands for any letters and `?` for one: `CD_*`.
package struct NamePattern: Sendable, Hashable, CustomStringConvertible {
  package let description: String
  private let bytes: [UInt8]

  package init(_ text: String) {
    description = text
    bytes = Array(text.utf8)
  }

  package var hasWildcard: Bool { bytes.contains(star) || bytes.contains(any) }

  /// A name of the schema language, with or without wildcards.
  package var isPossible: Bool {
    !bytes.isEmpty && bytes.allSatisfy { $0.isQuotedNameByte || $0 == star || $0 == any }
  }

  /// The time is at most proportional to the product of the lengths.
  package func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    // How many bytes of the name a part of the pattern may stand for.
    let lengths = bytes.reduce([0] as Set) { lengths, byte in
      guard byte != star else { return lengths.min().map { Set($0...name.count) } ?? [] }
      return Set(lengths.lazy.filter { $0 < name.count && (byte == any || byte == name[$0]) }.map { $0 + 1 })
    }
    return lengths.contains(name.count)
  }
}

private let star = UInt8(ascii: "*")
private let any = UInt8(ascii: "?")
