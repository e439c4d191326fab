import Diagnostics

struct DatabaseComments {
  private(set) var ofTypes: [Int: RecordTypeDatabase] = [:]
  private(set) var ofFile: RecordTypeDatabase?
  /// Types whose comments mention the private database and not the public one.
  private var mentioning: Set<Int> = []

  init(_ parsed: ParsedSchema) {
    let attachment = CommentAttachment(parsed)
    for (comment, owner) in zip(parsed.comments, attachment.owners) {
      guard let said = Self.declared(in: parsed.source, comment.range) else { continue }
      switch owner {
      case .header: ofFile = said
      case .opening(let place), .closing(let place), .field(let place, _), .grant(let place, _):
        ofTypes[place] = said
      case .role, .end: break
      }
    }
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
