import Diagnostics

/// Checks of single values. Each returns the problem in one sentence, or `nil`.
package enum SeedValueRules {
  static func slug(_ text: String) -> String? {
    Slug.isValid(text) ? nil : "'\(text)' is not a slug: \(slugForm)"
  }

  static let slugForm =
    "lower-case ASCII letters and digits in words joined by hyphens, at most \(Slug.maximumLength) characters"

  /// `#RRGGBB`.
  static func color(_ text: String) -> String? {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().utf8.allSatisfy(\.isHexDigit)
      ? nil : "'\(text)' is not a color of the form #RRGGBB"
  }

  /// Checks the characters of an SF Symbol name. Only Apple's platforms know whether the symbol exists.
  static func icon(_ text: String) -> String? {
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    let isName = words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isLowercaseLetterOrDigit) }
    return isName ? nil : "'\(text)' does not look like the name of an SF Symbol"
  }

  /// A control character other than a line end or a tab.
  static func control(_ text: String) -> String? {
    // Only these bytes begin a control character; the properties of all others need not be looked up.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return nil }
    return text.unicodeScalars.first {
      $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
    }.map { "the text contains the control character U+\(String($0.value, radix: 16))" }
  }

  /// In code points, as JSON Schema counts them.
  package static let maximumTagLength = 50

  package static func tag(_ text: String) -> String? {
    if text.isEmpty { return "a tag is empty" }
    if let objection = tagLength(text) { return objection }
    if text.utf8.allSatisfy({ $0.isLowercaseLetterOrDigit || $0 == UInt8(ascii: "-") }) { return nil }
    if text.contains(where: { $0.isWhitespace || $0 == "," }) {
      return "the tag '\(text)' contains white space or a comma"
    }
    return text.unicodeScalars.contains(where: \.isCapital)
      ? "the tag '\(text)' is not in lower case: '\(text.lowercased())'" : nil
  }

  /// - Parameter text: as written; a decomposed letter is stored as one code point, and a text editor counts two.
  static func tagLength(_ text: String) -> String? {
    text.unicodeScalars.count > maximumTagLength
      ? "the tag is longer than \(maximumTagLength) characters" : nil
  }
}

extension Unicode.Scalar {
  /// A letter, a Roman numeral or a circled letter in upper or title case: what the JSON Schema can name too.
  fileprivate var isCapital: Bool {
    if isASCII { return ("A"..."Z").contains(self) }
    return switch properties.generalCategory {
    case .uppercaseLetter, .titlecaseLetter: true
    default: ("\u{2160}"..."\u{216F}").contains(self) || ("\u{24B6}"..."\u{24CF}").contains(self)
    }
  }
}

extension JSONObjectReader {
  /// The language, reduced to what the catalog stores: a two-letter code. Case and region are forgiven with a
  /// warning, because apps compare the stored code for equality.
  mutating func language(_ member: JSONNode, _ key: String) -> String? {
    guard let text = text(member, key) else { return nil }
    guard let code = LanguageCodes.codeOfTag(text) else {
      report(
        .badLanguage, "'\(text)' is not an ISO 639-1 language code", at: member,
        help: "Write two lower-case letters, such as en, de or ja.")
      return nil
    }
    if code != text {
      report(
        .badLanguage, "the language '\(text)' is stored as '\(code)'", at: member, severity: .warning,
        help: "Write \"\(code)\": the catalog keeps the language without its region.")
    }
    return code
  }

  /// A list of tags; a repeated one is reported and dropped.
  mutating func tags(_ member: JSONNode, _ key: String) -> [String] {
    var seen = Set<String>()
    var tags: [String] = []
    for (tag, node) in texts(member, key) {
      if let objection = SeedValueRules.tag(tag) ?? SeedValueRules.tagLength(node.string ?? tag) {
        report(.badTag, objection, at: node)
      } else if seen.insert(tag).inserted {
        tags.append(tag)
      } else {
        report(.badTag, "the tag '\(tag)' is repeated", at: node)
      }
    }
    return tags
  }
}

/// The two-letter language codes of ISO 639-1.
package enum LanguageCodes {
  /// A language a line: its code, then what else names it: the codes of ISO 639-2, those of its usual form in ISO 639-3,
  /// former two-letter codes, its English name, and of some its own name.
  private static let languages = String(decoding: PackageResources.Languages_txt, as: UTF8.self)
    .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  static let codes = Set(languages.compactMap(\.first))

  private static let codesByName = Dictionary(
    languages.flatMap { words in words.map { ($0, words[0]) } }, uniquingKeysWith: { first, _ in first })

  /// The two-letter code of the language that a text names: in a tag such as `pt-BR`, in a longer code (`deu`), or by its
  /// name (`English`). `nil` when it names no language of ISO 639-1
  /// (Documentation/reference/catalog.md#languages).
  package static func code(_ text: String) -> String? {
    codesByName[text.prefix { $0.isLetter }.lowercased()]
  }

  /// The code that a tag such as `pt-BR` begins with; `nil` for any other form. For seeds and parts of addresses, in which
  /// a longer or former code may mean something else.
  package static func codeOfTag(_ tag: String) -> String? {
    let code = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
    return codes.contains(code) ? code : nil
  }
}
