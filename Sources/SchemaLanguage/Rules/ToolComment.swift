package import Diagnostics

/// The word of a comment for this tool, such as `// celestra:private`.
enum CommentWord: String, CaseIterable {
  case ignore, `private`, `public`

  private static let mark = "celestra:"

  /// The word that a comment begins with, and the offset after it; `nil` for a comment without effect.
  static func read(_ source: SourceText, _ comment: Range<Int>) -> (word: CommentWord, end: Int)? {
    let text = source.bytes[comment].dropFirst(2).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard text.starts(with: mark.utf8) else { return nil }
    let word = text.dropFirst(mark.utf8.count).prefix(while: \.isIdentifierByte)
    return CommentWord(rawValue: String(decoding: word, as: UTF8.self)).map { ($0, word.endIndex) }
  }

  /// The word that a comment without effect is probably meant to begin with, as in `// celestra: ignore` or
  /// `/// celestra:private`. One after other words has to be spelled right.
  static func meant(by comment: String) -> CommentWord? {
    let text = comment.lowercased()
    guard let place = text.ranges(of: mark).last else { return nil }
    let before = text[..<place.lowerBound].dropFirst(2)
    guard !before.contains("`") else { return nil }
    let word = text[place.upperBound...].drop { $0 == " " }.prefix { $0.isLetter }
    if let known = CommentWord(rawValue: String(word)) {
      return before.last.map { $0.isWhitespace || "/:".contains($0) } ?? true ? known : nil
    }
    guard !before.contains(where: \.isLetter) else { return nil }
    return SpellingSuggestion.nearest(to: String(word), among: allCases.map(\.rawValue)).flatMap {
      CommentWord(rawValue: $0)
    }
  }
}

/// A comment `celestra:ignore CODE reason`, in a schema or in the code of an app.
package struct IgnoreComment: Sendable {
  package let place: SourceRange
  private let codes: [(code: String, range: Range<Int>)]
  private let hasReason: Bool

  /// `nil` for another comment.
  package init?(_ source: SourceText, _ comment: Range<Int>) {
    guard let (word, end) = CommentWord.read(source, comment), word == .ignore else { return nil }
    place = source.range(comment)
    (codes, hasReason) = Self.codes(in: source, end..<comment.upperBound)
  }

  /// Whether the comment accepts findings with a code. It needs a reason.
  package func accepts(_ code: String) -> Bool { hasReason && names { $0 == code } }

  /// Whether a comment in a schema can accept findings of a rule: neither those that make it invalid, nor those about
  /// comments and other files.
  package static func canAccept(_ code: String) -> Bool {
    ["CK02", "CK03", "CK04"].contains { code.hasPrefix($0) }
  }

  func names(_ isNamed: (String) -> Bool) -> Bool { codes.contains { isNamed($0.code) } }

  /// What is wrong with the comment.
  ///
  /// - Parameters:
  ///   - isUsed: whether it accepts a finding, or may do so.
  ///   - target: where it should stand instead.
  package func problem(isUsed: Bool, target: String) -> Diagnostic? {
    guard !codes.isEmpty, hasReason else {
      return Diagnostic(
        SchemaCode.suppressionWithoutReason,
        "the celestra:ignore comment has no \(codes.isEmpty ? "code" : "reason"), so it has no effect",
        at: place,
        help: "write // celestra:ignore CODE reason")
    }
    if let (code, range) = codes.first(where: { !Self.isKnown($0.code) }) {
      let upper = code.uppercased()
      let near =
        Self.isKnown(upper)
        ? upper : SpellingSuggestion.nearest(to: code, among: Self.knownCodes, upTo: 1)
      return Diagnostic(
        SchemaCode.unknownSuppression, "there is no rule '\(code)'", at: place.source.range(range),
        help: near.map { "did you mean \($0)?" })
    }
    guard !isUsed else { return nil }
    return Diagnostic(
      SchemaCode.unusedSuppression, "the celestra:ignore comment suppresses no finding", at: place,
      help: "move it \(target), or remove it")
  }

  /// A comment that is probably meant to be one, and is not read as one.
  package static func misread(_ source: SourceText, _ comment: Range<Int>) -> Diagnostic? {
    guard source.bytes[comment].contains(UInt8(ascii: ":")),
      CommentWord.meant(by: source.text(in: comment)) == .ignore, CommentWord.read(source, comment) == nil
    else { return nil }
    return Suppressions.misread(.ignore, at: source.range(comment))
  }

  /// The codes, separated by commas or spaces, and whether anything follows them.
  private static func codes(
    in source: SourceText, _ range: Range<Int>
  ) -> (codes: [(code: String, range: Range<Int>)], hasReason: Bool) {
    let words = source.bytes[range].split { $0.isSuppressionSeparator }.map { word in
      (code: String(decoding: word, as: UTF8.self), range: word.startIndex..<word.endIndex)
    }
    let codes = words.prefix { isCode($0.code) }
    return (Array(codes), words.dropFirst(codes.count).first.map { $0.code != "*/" } ?? false)
  }

  /// Whether a word is meant as a code. One in small letters names no rule.
  private static func isCode(_ word: String) -> Bool {
    let upper = word.uppercased()
    return upper.hasPrefix("CK") && upper.count > 2 && upper.dropFirst(2).allSatisfy(\.isNumber)
      || RuleFamily(code: upper) != nil
  }

  static let knownCodes = SchemaRules.codes + AppRule.codes

  /// Codes of other families, which other modules define, are accepted.
  static func isKnown(_ code: String) -> Bool {
    knownCodes.contains(code) || RuleFamily(code: code).map { $0 != .schema && $0 != .app } == true
  }
}

extension UInt8 {
  fileprivate var isSuppressionSeparator: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: ",") || self == UInt8(ascii: "\t")
  }
}
