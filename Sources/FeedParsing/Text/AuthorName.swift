internal import Diagnostics
internal import XMLReading

/// The names in what a feed says about authors, without e-mail addresses (Documentation/reference/feeds.md#authors).
enum AuthorName {
  /// Characters of a text with an address that are looked at.
  private static let maxLength = 1000

  /// The name in a text that may have markup; `nil` when nothing but an address is in it.
  static func name(html text: String) -> String? {
    // Markup has a byte that an address may have, too.
    guard ObscuredAddress.canBe(in: text) else { return text.nonEmpty }
    return name(
      HTMLVocabulary.hasMarkup(text) ? ArticleText(html: text).text.replacing("\n", with: ", ") : text)
  }

  /// The name in a plain text; `nil` when nothing but an address is in it.
  static func name(_ text: String) -> String? {
    guard ObscuredAddress.canBe(in: text) else { return text.nonEmpty }
    let head = ObscuredAddress.revealed(in: String(text.prefix(maxLength)))
    guard head.utf8.contains(UInt8(ascii: "@")) else { return text.nonEmpty }
    var reading = AddressRemoval(rest: head[...])
    while reading.readNext() {}
    return reading.name
  }

  static func joined(_ names: [String]) -> String? { names.unique.joined(separator: ", ").nonEmpty }
}

private struct AddressRemoval {
  var rest: Substring
  private var output = ""
  private var isChanged = false

  init(rest: Substring) { self.rest = rest }

  /// Reads up to the next `@` and what belongs to it. False at the end of the text.
  mutating func readNext() -> Bool {
    guard let sign = rest.firstIndex(of: "@") else {
      output += rest
      return false
    }
    let local = rest[..<sign].reversed().prefix(while: Self.isPart).count
    let start = rest.index(sign, offsetBy: -local)
    let end = rest[rest.index(after: sign)...].firstIndex { !Self.isPart($0) } ?? rest.endIndex
    let before = output + rest[..<start]
    // `@ann@social.example` is a name on a social network.
    guard local > 0, end > rest.index(after: sign), before.last != "@" else {
      output += rest[...sign]
      rest = rest[rest.index(after: sign)...]
      return true
    }
    remove(before: before, after: rest[end...])
    return true
  }

  /// Continues without an address, and without the marks around it.
  private mutating func remove(before: String, after: Substring) {
    isChanged = true
    var head = Substring(before)
    if head.lowercased().hasSuffix("mailto:") { head = head.dropLast("mailto:".count) }
    while head.last?.isWhitespace == true { head.removeLast() }
    var tail = after.drop(while: \.isWhitespace)
    if let open = head.last, let close = tail.first, Self.pairs[open] == close {
      head.removeLast()
      tail.removeFirst()
    } else if tail.first == "(", let close = tail.firstIndex(of: ")"),
      head.last.map(Self.separators.contains) ?? true
    {
      // `address (Name)`, as in RSS.
      tail = tail[tail.index(after: tail.startIndex)..<close] + tail[tail.index(after: close)...]
    }
    output = head + " "
    rest = tail
  }

  /// What is left, with single spaces and without separators at its ends.
  var name: String? {
    guard isChanged else { return output.nonEmpty }
    var name = output.split(whereSeparator: \.isWhitespace).joined(separator: " ")[...]
    name.replace(" ,", with: ",")
    while let first = name.first, Self.separators.contains(first) || first == " " { name.removeFirst() }
    while let last = name.last, Self.separators.contains(last) || last == " " { name.removeLast() }
    return name.contains { $0.isLetter || $0.isNumber } ? String(name) : nil
  }

  private static let pairs: [Character: Character] = ["(": ")", "<": ">", "[": "]"]
  private static let separators: Set<Character> = [
    ",", ";", ":", "|", "/", "&", "-", "–", "—", "\"", "<", ">",
  ]

  private static func isPart(_ character: Character) -> Bool {
    !character.isWhitespace && !"@<>()[],;:|\"".contains(character)
  }
}
