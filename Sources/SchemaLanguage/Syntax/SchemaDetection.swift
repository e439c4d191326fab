import Diagnostics

/// Detects files that are not schemas, to report one clear error instead of hundreds.
package enum SchemaDetection {
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The maximum size of a schema file in bytes. No real schema is nearly as large.
  static let maximumBytes = 64 << 20

  static func refusal(of bytes: UnsafeBufferPointer<UInt8>, in source: SourceText) -> Diagnostic? {
    guard bytes.count <= maximumBytes else {
      return notASchema("the file is larger than \(maximumBytes >> 20) MB", in: source)
    }
    if bytes.contains(0) {
      let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      return notASchema(
        isUTF16 ? "the file is UTF-16 text: save it as UTF-8" : "the file is binary", in: source)
    }
    if let offset = firstInvalidUTF8(in: bytes) {
      return Diagnostic(
        SyntaxCode.notUTF8, "the file is not valid UTF-8",
        at: source.range(offset..<offset + 1),
        help: "save it as UTF-8")
    }
    return contentRefusal(of: bytes, in: source)
  }

  private static func contentRefusal(of bytes: UnsafeBufferPointer<UInt8>, in source: SourceText)
    -> Diagnostic?
  {
    var lexer = Lexer(bytes, from: bytes.starts(with: byteOrderMark) ? 3 : 0, keepsTrivia: false)
    let first = lexer.next()
    if first.kind == .end {
      return lexer.unclosed.isEmpty ? notASchema("the file has no declarations", in: source) : nil
    }
    if let other = otherDocument(bytes, from: first.range.lowerBound) {
      return notASchema(other.what, in: source, at: first.range, help: other.help)
    }
    if let conflict = bytes.indices.first(where: bytes.hasConflictMarker) {
      return Diagnostic(
        SyntaxCode.unexpected, MergeConflict.message, at: source.range(conflict..<conflict + 7),
        help: "\(MergeConflict.help); or, during a merge, rebase or cherry-pick: \(mergeCommand(source.name))"
      )
    }
    if mentionsSchema(bytes, from: first) { return nil }
    let what =
      bytes[first.range.lowerBound] == UInt8(ascii: "<")
      ? "the file looks like XML or HTML" : "the file has neither DEFINE SCHEMA nor RECORD TYPE"
    return notASchema(what, in: source, at: first.range)
  }

  /// The command that merges what git has of a file in conflict: 1 is the ancestor, 2 ours, 3 theirs.
  private static func mergeCommand(_ name: String) -> String {
    let isPath = !name.hasPrefix("/") && !name.hasPrefix("<") && !name.contains(":")
    let file = isPath ? name : "FILE"
    func stage(_ number: Int) -> String { "git::\(number):./\(file)".shellWord }
    return
      "celestra-admin schema merge \(stage(2)) \(stage(3)) --ancestor \(stage(1)) --output \(file.shellWord)"
  }

  /// Documents that may quote a schema, and stand where one should be: a page that was downloaded instead of the
  /// file, and the pointer that git has instead of a file of Git LFS.
  private static func otherDocument(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (
    what: String, help: String
  )? {
    let opening = String(decoding: bytes[start...].prefix(40), as: UTF8.self).lowercased()
    if opening.hasPrefix("version https://git-lfs.github.com/") {
      return ("the file is a pointer of Git LFS", "fetch the file itself: git lfs pull")
    }
    if opening.hasPrefix("<!doctype html") || opening.hasPrefix("<html") {
      return ("the file is an HTML page", "download the file itself instead of the page that shows it")
    }
    return nil
  }

  /// Whether `DEFINE SCHEMA`, `RECORD TYPE` or `CREATE ROLE` is among the first tokens, or the file begins with a
  /// misspelling of one.
  private static func mentionsSchema(_ bytes: UnsafeBufferPointer<UInt8>, from first: Token) -> Bool {
    var lexer = Lexer(bytes, from: first.range.upperBound, keepsTrivia: false)
    var last = first.keyword
    if last == .define || opensMisspelt(bytes, first, lexer) { return true }
    for index in 0..<2000 {
      let token = lexer.next()
      guard token.kind != .end else { return false }
      switch (last, token.keyword) {
      case (.define, .schema), (.record, .type), (.create, .role): return true
      case (_, .schema) where index == 0: return true
      default: last = token.keyword
      }
    }
    return false
  }

  /// `DEFNE SHCEMA`
  private static func opensMisspelt(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Token, _ rest: Lexer)
    -> Bool
  {
    var rest = rest
    return [(first, Keyword.define), (rest.next(), .schema)].allSatisfy { token, meant in
      let word = String(decoding: bytes[token.range].prefix(16), as: UTF8.self)
      return token.kind == .word && SpellingSuggestion.nearest(to: word, among: [meant.rawValue]) != nil
    }
  }

  private static func notASchema(
    _ why: String, in source: SourceText, at range: Range<Int> = 0..<0,
    help: String = "a schema begins with DEFINE SCHEMA; schema export writes one"
  ) -> Diagnostic {
    Diagnostic(
      SyntaxCode.notASchema, "this is not a CloudKit schema: \(why)",
      at: source.range(range), help: help)
  }

  // MARK: UTF-8

  package static func firstInvalidUTF8(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    // ASCII needs no copy to be checked.
    guard bytes.reduce(0, |) >= 0x80, String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var position = 0
    while position < bytes.count {
      let length = UTF8Character.length(in: bytes, at: position)
      guard length > 0 else { return position }
      position += length
    }
    return nil
  }
}
