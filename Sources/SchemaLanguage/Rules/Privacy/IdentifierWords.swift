/// The words of an identifier in lower case and singular, without Core Data's prefix: `CD_userIDs` is `user id`,
/// `FeedSubscription` is `feed subscription`.
struct IdentifierWords {
  let words: [String]

  init(_ name: String) {
    let letters = Array((name.hasPrefix("CD_") ? name.dropFirst(3) : name[...]).utf8)
    var words: [[UInt8]] = []
    for (index, letter) in letters.enumerated() {
      guard letter.isNameStart else { continue }
      if words.isEmpty || Self.startsWord(index, letters) { words.append([]) }
      words[words.count - 1].append(letter | 0x20)
    }
    self.words = words.map { Self.singular(String(decoding: $0, as: UTF8.self)) }
  }

  var last: String { words.last ?? "" }
  /// The last two words as one: `record name` is `recordname`.
  var lastTwo: String { words.suffix(2).joined() }

  func contains(_ any: Set<String>) -> Bool { words.contains { any.contains($0) } }

  /// Whether a word starts at the index. The plural `s` of an abbreviation, as in `IDs`, belongs to its word.
  private static func startsWord(_ index: Int, _ letters: [UInt8]) -> Bool {
    guard index > 0, letters[index - 1].isNameStart else { return true }
    let (letter, before) = (letters[index], letters[index - 1])
    if letter.isCapital, !before.isCapital { return true }
    guard letter.isCapital, index + 1 < letters.count else { return false }
    let next = letters[index + 1]
    let isPlural =
      next == UInt8(ascii: "s") && (index + 2 == letters.count || !letters[index + 2].isSmall)
    return next.isSmall && !isPlural
  }

  private static func singular(_ word: String) -> String {
    let endsOtherwise = ["us", "ss", "is"].contains { word.hasSuffix($0) }
    return word.count > 2 && word.hasSuffix("s") && !endsOtherwise ? String(word.dropLast()) : word
  }
}

extension UInt8 {
  fileprivate var isCapital: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  fileprivate var isSmall: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
}

/// A filter by the last two letters, to skip most names quickly.
struct NameEndingFilter {
  private let endings: Set<UInt16>

  /// The endings of names that end with one of these words.
  init(_ words: some Sequence<String>) { endings = Set(words.map { Self.ending(of: $0.utf8) }) }

  func mayEnd(_ name: String) -> Bool { endings.contains(Self.ending(of: name.utf8)) }

  private static func ending(of name: String.UTF8View) -> UInt16 {
    var index = name.endIndex
    func letter() -> UInt8? {
      guard index > name.startIndex else { return nil }
      index = name.index(before: index)
      return name[index] | 0x20
    }
    let s = UInt8(ascii: "s")
    guard var last = letter(), var before = letter() else { return 0 }
    if last == s, before != s, let next = letter() { (last, before) = (before, next) }
    return UInt16(before) << 8 | UInt16(last)
  }
}
