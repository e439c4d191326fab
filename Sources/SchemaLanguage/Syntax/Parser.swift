import Diagnostics

/// The state of one parse: the token at hand, and what was found so far.
struct Parser {
  let bytes: UnsafeBufferPointer<UInt8>
  let source: SourceText
  var lexer: Lexer
  var token: Token
  /// Where the token before the present one ended.
  var previousEnd = 0
  var roles: [RoleDeclaration] = []
  var recordTypes: [RecordTypeDeclaration] = []
  var diagnostics: [Diagnostic] = []
  var headerRange = 0..<0
  /// Keywords that are not in capitals.
  private var miscased: [Range<Int>] = []
  private var errorCount = 0

  /// After so many errors the rest of the file is not worth reporting on.
  static let errorLimit = 100

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ source: SourceText) {
    self.bytes = bytes
    self.source = source
    lexer = Lexer(bytes, from: bytes.starts(with: SchemaDetection.byteOrderMark) ? 3 : 0)
    token = lexer.next()
  }

  var isExhausted: Bool { errorCount >= Self.errorLimit }

  func finish() -> ParsedSchema {
    var parser = self
    parser.reportByteOrderMark()
    parser.reportUnclosed()
    parser.reportMiscased()
    return ParsedSchema(
      source: source, roles: roles, recordTypes: recordTypes, comments: lexer.comments,
      diagnostics: parser.diagnostics.sortedForReading(), headerRange: headerRange, miscasedKeywords: miscased
    )
  }

  // MARK: Tokens

  mutating func advance() {
    previousEnd = token.range.upperBound
    token = lexer.next()
  }

  /// The tokens after the present one, without taking them.
  func lookahead() -> Lexer { Lexer(bytes, from: lexer.position, keepsTrivia: false) }

  func peek() -> Token {
    var ahead = lookahead()
    return ahead.next()
  }

  var keyword: Keyword? { token.keyword }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  mutating func take(_ kind: Token.Kind) -> Bool {
    guard token.kind == kind else { return false }
    advance()
    return true
  }

  mutating func take(_ expected: Keyword) -> Bool {
    guard keyword == expected else { return false }
    takeKeyword()
    return true
  }

  /// Takes the keyword at hand, remembering when it was not written in capitals.
  mutating func takeKeyword() {
    if bytes[token.range].contains(where: { $0 >= UInt8(ascii: "a") }) {
      miscased.append(token.range)
    }
    advance()
  }

  /// How the token at hand is named in a message.
  var found: String {
    switch token.kind {
    case .end: "the end of the file"
    case .word, .quoted: "'\(shown(token.range))'"
    case .stray: strayName
    default: "'\(text(token.range))'"
    }
  }

  private var strayName: String {
    let byte = bytes[token.range.lowerBound]
    return byte >= 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "a control character"
  }

  /// The text as a message shows it: what is very long is cut.
  func shown(_ range: Range<Int>) -> String {
    range.count <= 60 ? text(range) : text(range.lowerBound..<range.lowerBound + 57) + "..."
  }

  // MARK: Findings

  mutating func error(
    _ code: SyntaxCode, _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil
  ) {
    guard !isExhausted else { return }
    errorCount += 1
    diagnostics.append(
      Diagnostic(
        code.rawValue, .error, message, at: source.range(range), help: help,
        fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) }))
    if isExhausted {
      diagnostics.append(
        Diagnostic(
          SyntaxCode.tooManyErrors.rawValue, .note, "stopped after \(Self.errorLimit) errors",
          at: source.range(range)))
    }
  }

  private mutating func reportByteOrderMark() {
    guard bytes.starts(with: SchemaDetection.byteOrderMark) else { return }
    let range = source.range(0..<3)
    diagnostics.append(
      Diagnostic(
        SyntaxCode.byteOrderMark.rawValue, .warning, "the file begins with a byte order mark", at: range,
        help: "save it as UTF-8 without one", fix: .init(replacing: range, with: "")))
  }

  private mutating func reportUnclosed() {
    for range in lexer.unclosed {
      let isQuote = bytes[range.lowerBound] == UInt8(ascii: "\"")
      error(
        .unclosed, isQuote ? "the name's closing quote is missing" : "the comment is never closed with '*/'",
        at: range,
        fix: isQuote ? (range.upperBound..<range.upperBound, "\"") : nil)
    }
  }

  private mutating func reportMiscased() {
    guard let first = miscased.first else { return }
    let spelling = text(first)
    let others = miscased.count > 1 ? " (\(miscased.count) keywords in this file are not)" : ""
    let range = source.range(first)
    diagnostics.append(
      Diagnostic(
        SyntaxCode.keywordCase.rawValue, .warning, "the keyword '\(spelling)' is not in capitals\(others)",
        at: range, help: "schema format writes every keyword in capitals",
        fix: .init(replacing: range, with: spelling.uppercased())))
  }
}
