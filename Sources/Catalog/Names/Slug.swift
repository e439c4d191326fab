internal import Diagnostics
// Foundation, not FoundationEssentials: only the former normalizes text.
internal import Foundation

/// The short names in seeds that identify a category, feed or collection.
package enum Slug {
  /// Characters, at most.
  package static let maximumLength = 64

  /// Lower-case ASCII letters and digits in words joined by single hyphens: safe in a URL, a file name and a record
  /// name alike.
  package static func isValid(_ text: String) -> Bool {
    let hyphen = UInt8(ascii: "-")
    var previous = hyphen
    for byte in text.utf8 {
      guard byte.isLowercaseLetterOrDigit || byte == hyphen && previous != hyphen else { return false }
      previous = byte
    }
    return previous != hyphen && text.utf8.count <= maximumLength
  }

  /// The slug of a feed that declares none: its title's words, in lower case, joined by hyphens. An apostrophe
  /// joins rather than parts ("Barney's" is `barneys`).
  ///
  /// `nil` if the title has letters outside ASCII, or no letters and digits; then an editor has to choose a slug.
  package static func derived(fromTitle title: String) -> String? {
    guard !hasForeignLetters(title) else { return nil }
    let slug = words(of: title)
    return isValid(slug) ? slug : nil
  }

  private static func hasForeignLetters(_ text: String) -> Bool {
    text.unicodeScalars.contains { !$0.isASCII && $0.properties.isAlphabetic }
  }

  /// The words in lower case, joined by hyphens, without those that have letters outside ASCII.
  private static func words(of text: String) -> String {
    // As arrays: the views of a string put it together again letter by letter.
    Array(text.lowercased().unicodeScalars).filter { $0 != "'" && $0 != "\u{2019}" }
      .split { $0.isASCII ? !UInt8(ascii: $0).isLowercaseLetterOrDigit : !$0.properties.isAlphabetic }
      .filter { $0.allSatisfy(\.isASCII) }
      .map { String(decoding: $0.map { UInt8(ascii: $0) }, as: UTF8.self) }.joined(separator: "-")
  }

  /// The slug of an entry that the tool writes: from the title's words in Latin letters, without accents and cut after a
  /// word; otherwise from the URL's host; otherwise from a digest of the URL.
  ///
  /// `isReadable` is false where the title has other words, or none: an editor should choose another.
  package static func base(forTitle title: String, url: String) -> (slug: String, isReadable: Bool) {
    func slug(of text: String) -> String? {
      let slug = cut(words(of: text), to: maximumLength)
      return isValid(slug) ? slug : nil
    }
    let letters = title.inBasicLetters
    let isWhole = !hasForeignLetters(letters)
    // If only numbers remain of a title in another script, they say nothing.
    if let slug = slug(of: letters), isWhole || slug.contains(where: \.isLetter) { return (slug, isWhole) }
    let host = WebAddress(url).map { KnownFeedSite.bare($0.host) } ?? ""
    return (slug(of: host) ?? "feed-" + String(CatalogRecordNames.feed(url: url).prefix(8)), false)
  }

  fileprivate static func numbered(_ slug: String, _ number: Int) -> String {
    let end = "-\(number)"
    return cut(slug, to: maximumLength - end.utf8.count) + end
  }

  private static func cut(_ slug: String, to length: Int) -> String {
    guard slug.utf8.count > length else { return slug }
    let start = slug.prefix(length + 1)
    return String(start.lastIndex(of: "-").map { start[..<$0] } ?? slug.prefix(length))
  }
}

extension UInt8 {
  var isLowercaseLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || isASCIIDigit
  }
}

/// The slugs of a catalog that new entries are added to. Finding unused ones for any number of equal titles takes time
/// in proportion to their number.
package struct SlugPool: Sendable {
  private var taken: Set<String>
  /// The number to try next, by slug.
  private var numbers: [String: Int] = [:]

  package init(_ taken: Set<String>) { self.taken = taken }

  package mutating func take(_ slug: String) -> Bool { taken.insert(slug).inserted }

  /// Takes an unused slug: that of ``Slug/base(forTitle:url:)``, or the same with a number such as `-2`.
  package mutating func suggested(forTitle title: String, url: String) -> (slug: String, isReadable: Bool) {
    let base = Slug.base(forTitle: title, url: url)
    var slug = base.slug
    while !take(slug) {
      let number = numbers[base.slug, default: 2]
      numbers[base.slug] = number + 1
      slug = Slug.numbered(base.slug, number)
    }
    return (slug, base.isReadable)
  }
}

extension String {
  /// The text in Unicode normalization form C. The service compares code points, so the same letters must always be
  /// written with the same ones.
  package var composed: String {
    // Text without bytes from 0xCC on has no combining marks or other characters that form C changes.
    utf8.contains { $0 >= 0xCC } ? precomposedStringWithCanonicalMapping : self
  }

  /// In lower case, with Latin letters as ASCII writes them: `Café Groß` is `cafe gross`.
  var inBasicLetters: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return lowercased() }
    let letters = lowercased().decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    return letters.map { Self.basicLetters[$0] ?? String($0) }.joined().precomposedStringWithCanonicalMapping
  }

  /// Letters that have no canonical decomposition.
  private static let basicLetters: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h",
    "ŋ": "ng", "ŧ": "t", "ĸ": "k", "ſ": "s", "ə": "e", "ĳ": "ij", "ŉ": "n", "ª": "a", "º": "o", "ʻ": "",
    "ʼ": "",
  ]
}
