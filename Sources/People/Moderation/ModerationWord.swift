internal import CloudKitModel

/// A word, a phrase, or the beginning of a word that is looked for in texts, whatever their case and diacritics.
///
/// The words of a text are compared one after another, so the time grows with its length and nothing else.
struct ModerationWord: Sendable {
  /// As it is declared.
  let text: String
  private let words: [String]
  private let isBeginning: Bool

  /// `nil` for a text without a word, or with a `*` that is not at the end of one.
  init?(_ text: String) {
    let body = text.hasSuffix("*") ? text.dropLast() : text[...]
    words = SearchWords.of(String(body))
    guard !words.isEmpty, !body.contains("*"), body.last?.isWhitespace != true else { return nil }
    self.text = text
    isBeginning = text.hasSuffix("*")
  }

  /// - Parameter others: the ``SearchWords`` of a text.
  func occurs(in others: [String]) -> Bool {
    guard others.count >= words.count else { return false }
    return (0...(others.count - words.count)).contains { start in
      words.indices.allSatisfy { index in
        let other = others[start + index]
        return isBeginning && index == words.count - 1
          ? other.hasPrefix(words[index]) : other == words[index]
      }
    }
  }
}
