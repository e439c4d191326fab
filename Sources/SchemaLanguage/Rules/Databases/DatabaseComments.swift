import Diagnostics

struct DatabaseComments {
  private(set) var ofTypes: [Int: RecordTypeDatabase] = [:]
  private(set) var ofFile: RecordTypeDatabase?
  /// Types whose comments mention the private database and not the public one.
  private var mentioning: Set<Int> = []

  init(_ parsed: ParsedSchema) {
    let attachment = CommentAttachment(parsed)
    for (comment, owner) in zip(parsed.comments, attachment.owners) {
      let word = CommentWord.read(parsed.source, comment.range)?.word
      guard let word,
        let said: RecordTypeDatabase = word == .private ? .private : word == .public ? .public : nil
      else { continue }
      switch owner {
      case .header: ofFile = said
      case .opening(let place), .closing(let place): ofTypes[place] = said
      case .field, .grant, .role, .end: break
      }
    }
    for place in parsed.recordTypes.indices where mentionsPrivate(attachment[.opening(place)]) {
      mentioning.insert(place)
    }
  }

  func mentionsPrivate(_ place: Int) -> Bool { mentioning.contains(place) }

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
