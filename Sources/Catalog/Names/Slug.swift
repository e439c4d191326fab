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
    let bytes = Array(text.utf8)
    let hyphen = UInt8(ascii: "-")
    guard let first = bytes.first, let last = bytes.last, bytes.count <= maximumLength else { return false }
    guard first != hyphen, last != hyphen else { return false }
    return zip(bytes, bytes.dropFirst() + [first]).allSatisfy { byte, next in
      byte.isLowercaseLetterOrDigit || (byte == hyphen && next != hyphen)
    }
  }

  /// The slug of a feed that declares none: its title's words, in lower case, joined by hyphens. An apostrophe
  /// joins rather than parts ("Barney's" is `barneys`).
  ///
  /// `nil` if the title has letters outside ASCII, or no letters and digits; then an editor has to choose a slug.
  package static func derived(fromTitle title: String) -> String? {
    words(of: title).flatMap { isValid($0) ? $0 : nil }
  }

  /// The words in lower case, joined by hyphens; `nil` for a text with letters outside ASCII.
  private static func words(of text: String) -> String? {
    guard !text.unicodeScalars.contains(where: { !$0.isASCII && $0.properties.isAlphabetic }) else {
      return nil
    }
    let plain = text.lowercased().unicodeScalars.filter { $0 != "'" && $0 != "\u{2019}" }
    return String(String.UnicodeScalarView(plain)).utf8.split { !$0.isLowercaseLetterOrDigit }
      .map { String(Substring($0)) }.joined(separator: "-")
  }
}

extension UInt8 {
  var isLowercaseLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || isASCIIDigit
  }
}

extension Slug {
  /// An unused slug for an entry that the tool writes: from the title, without accents and cut after a word;
  /// otherwise from the URL's host; otherwise from a digest of the URL. A number such as `-2` makes it unique.
  ///
  /// `isReadable` is false where the title has no words for it: an editor should choose another.
  package static func suggested(
    forTitle title: String, url: String, taken: Set<String>
  ) -> (slug: String, isReadable: Bool) {
    var pool = SlugPool(taken)
    return pool.suggested(forTitle: title, url: url)
  }

  fileprivate static func base(forTitle title: String, url: String) -> (slug: String, isReadable: Bool) {
    let host = WebAddress(url).map { KnownFeedSite.bare($0.host) } ?? ""
    func slug(of text: String) -> String? {
      words(of: text).map { cut($0, to: maximumLength) }.flatMap { isValid($0) ? $0 : nil }
    }
    if let slug = slug(of: title.withoutAccents) { return (slug, true) }
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

/// The slugs of a catalog that new entries are added to. Finding unused ones for any number of equal titles takes time
/// in proportion to their number.
package struct SlugPool: Sendable {
  private var taken: Set<String>
  /// The number to try next, by slug.
  private var numbers: [String: Int] = [:]

  package init(_ taken: Set<String>) { self.taken = taken }

  package mutating func take(_ slug: String) -> Bool { taken.insert(slug).inserted }

  /// Takes an unused slug; see ``Slug/suggested(forTitle:url:taken:)``.
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

  /// The letters without their marks: `Café` is `Cafe`.
  var withoutAccents: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
    let marks = decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    return String(String.UnicodeScalarView(marks)).precomposedStringWithCanonicalMapping
  }
}
