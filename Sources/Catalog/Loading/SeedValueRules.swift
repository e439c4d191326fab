import Diagnostics

/// Checks of single values. Each returns the problem in one sentence, or `nil`.
package enum SeedValueRules {
  static func slug(_ text: String) -> String? {
    Slug.isValid(text)
      ? nil
      : "'\(text)' is not a slug: lower-case letters and digits in words joined by hyphens, at most "
        + "\(Slug.maximumLength) characters"
  }

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

  static func recordName(_ text: String) -> String? {
    CatalogRecordNames.isValid(text)
      ? nil
      : "'\(text)' is not a record name: 1 to \(CatalogRecordNames.maximumLength) printable ASCII characters, not "
        + "starting with an underscore"
  }

  /// A control character other than a line end or a tab.
  static func control(_ text: String) -> String? {
    guard text.utf8.contains(where: \.mayBeControl) else { return nil }
    return text.unicodeScalars.first(where: \.isUnusableControl).map {
      "the text contains the control character U+\(String($0.value, radix: 16))"
    }
  }

  /// In code points, as JSON Schema counts them.
  static let maximumTagLength = 50

  package static func tag(_ text: String) -> String? {
    if text.isEmpty { return "a tag is empty" }
    if let objection = tagLength(text) { return objection }
    if text.utf8.allSatisfy({ $0.isLowercaseLetterOrDigit || $0 == UInt8(ascii: "-") }) { return nil }
    if text.contains(where: { $0.isWhitespace || $0 == "," }) {
      return "the tag '\(text)' contains white space or a comma"
    }
    return text.unicodeScalars.contains(where: \.isCapital) ? "the tag '\(text)' is not in lower case" : nil
  }

  /// - Parameter text: as written; a decomposed letter is stored as one code point, and a text editor counts two.
  static func tagLength(_ text: String) -> String? {
    text.unicodeScalars.count > maximumTagLength
      ? "the tag is longer than \(maximumTagLength) characters" : nil
  }
}

extension UInt8 {
  /// Whether the byte may begin a control character. Avoids the slower check of Unicode properties for other text.
  fileprivate var mayBeControl: Bool { self < 0x20 || self == 0x7F || self == 0xC2 }
}

extension Unicode.Scalar {
  /// A control character other than a line end or a tab.
  fileprivate var isUnusableControl: Bool {
    properties.generalCategory == .control && self != "\n" && self != "\t"
  }

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
  mutating func language(_ key: String) -> String? {
    guard let text = text(key), let node = node[key] else { return nil }
    guard let code = LanguageCodes.codeOfTag(text) else {
      report(
        .badLanguage, "'\(text)' is not an ISO 639-1 language code", at: node,
        help: "Write two lower-case letters, such as en, de or ja.")
      return nil
    }
    if code != text {
      report(
        .badLanguage, "the language '\(text)' is stored as '\(code)'", at: node, severity: .warning,
        help: "Write \"\(code)\": the catalog keeps the language without its region.")
    }
    return code
  }

  /// A list of tags; a repeated one is reported and dropped.
  mutating func tags(_ key: String) -> [String] {
    var seen = Set<String>()
    var tags: [String] = []
    for (tag, node) in texts(key) {
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
