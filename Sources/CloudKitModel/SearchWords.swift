internal import Foundation

/// The words of a text for tokenized search: runs of letters and digits, without case and diacritics
/// (Documentation/reference/web-services.md#comparators-and-indexes). How the service splits text into words is not
/// documented.
package enum SearchWords {
  /// Words that a search ignores, from Apple's page on CKQuery.
  private static let ignored: Set<String> = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
  ]

  package static func of(_ text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber) }.map(folded)
  }

  package static func searchWords(_ text: String) -> [String] { of(text).filter { !ignored.contains($0) } }

  /// The word without case and diacritics; composed and decomposed letters become equal.
  private static func folded(_ word: Substring) -> String {
    // Only lower case is left to do for ASCII, which is most text, and Foundation's folding takes far longer.
    if word.utf8.allSatisfy({ $0 < 0x80 }) { return word.lowercased() }
    return String(word).folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }
}
