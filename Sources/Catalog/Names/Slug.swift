/// Names that people write in seeds to point at a category, feed or collection.
public enum Slug {
  /// Characters, at most.
  public static let maximumLength = 64

  /// Lower-case ASCII letters and digits in words joined by single hyphens: safe in a URL, a file name and a
  /// record name alike (Documentation/reference/catalog.md#slugs).
  public static func isValid(_ text: String) -> Bool {
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
  /// `nil` when the title has a letter outside ASCII, or nothing to make a slug of: no spelling would be
  /// obvious, so an editor chooses one.
  public static func derived(fromTitle title: String) -> String? {
    guard !title.unicodeScalars.contains(where: { !$0.isASCII && $0.properties.isAlphabetic }) else {
      return nil
    }
    var slug = ""
    var partsWord = false
    for scalar in title.lowercased().unicodeScalars where scalar != "'" && scalar != "\u{2019}" {
      guard scalar.isASCII, UInt8(ascii: scalar).isLowercaseLetterOrDigit else {
        partsWord = !slug.isEmpty
        continue
      }
      if partsWord { slug += "-" }
      partsWord = false
      slug.unicodeScalars.append(scalar)
    }
    return isValid(slug) ? slug : nil
  }
}

extension UInt8 {
  var isLowercaseLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
