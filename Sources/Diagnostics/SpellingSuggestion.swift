package enum SpellingSuggestion {
  /// The candidate closest in spelling, if at most a third of the word's letters differ (insertions, deletions,
  /// replacements and swapped neighbors, ignoring case). One letter is never similar to another.
  ///
  /// - Parameter limit: how many letters may differ in place of a third: 1 in a rule's code, where each says something.
  package static func nearest(
    to word: String, among candidates: some Sequence<String>, upTo limit: Int? = nil
  ) -> String? {
    let limit = limit ?? max(1, word.unicodeScalars.count / 3)
    let letters = Array(word.lowercased().unicodeScalars)
    var best: (distance: Int, otherLetters: Int, candidate: String)?
    for candidate in candidates where candidate != word {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard abs(other.count - letters.count) <= limit else { continue }
      let distance = distance(letters, other)
      guard distance <= limit, distance < max(letters.count, other.count) else { continue }
      // Of two that are equally near, the one with swapped letters is likelier than the one with another letter.
      let found = (distance, other.sorted() == letters.sorted() ? 0 : 1, candidate)
      if let best, best <= found { continue }
      best = found
    }
    return best?.candidate
  }

  /// `Did you mean 'PublicFeed'?`, when a candidate is close enough.
  package static func question(_ word: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: word, among: candidates).map { "Did you mean '\($0)'?" }
  }

  /// `did you mean "title"?`, when a candidate is close enough.
  package static func help(
    _ word: String, among candidates: some Sequence<String>, quote: String = "\"", upTo limit: Int? = nil
  ) -> String? {
    nearest(to: word, among: candidates, upTo: limit).map { "did you mean \(quote)\($0)\(quote)?" }
  }

  /// Optimal string alignment distance.
  static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1] + Array(repeating: 0, count: b.count)
      for j in b.indices {
        let replaced = last[j] + (a[i] == b[j] ? 0 : 1)
        row[j + 1] = min(replaced, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
        }
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
