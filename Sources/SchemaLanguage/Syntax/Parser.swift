import Diagnostics

/// The state of the parser: the current token and the findings so far.
struct Parser {
  let bytes: UnsafeBufferPointer<UInt8>
  let source: SourceText
  var lexer: Lexer
  var token: Token
  /// The end of the previous token.
  var previousEnd = 0
  /// The last byte of the previous token, where something is missing after it.
  var previousByte: Range<Int> { previousEnd - 1..<previousEnd }
  var roles: [RoleDeclaration] = []
  var recordTypes: [RecordTypeDeclaration] = []
  var diagnostics: [Diagnostic] = []
  var headerRange = 0..<0
  /// Keywords that are not in capitals.
  private var miscased: [Range<Int>] = []
  private var errorCount = 0
  private var lastError: Range<Int>?
  /// The end of the last error.
  private var errorEnd = -1

  /// The maximum number of errors; after it, parsing stops.
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
    parser.reportOddities()
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

  /// The tokens after the current one, without consuming them.
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

  /// Consumes the current keyword, and records if it is not in capitals.
  mutating func takeKeyword() {
    if bytes[token.range].contains(where: { $0 >= UInt8(ascii: "a") }) {
      miscased.append(token.range)
    }
    advance()
  }

  /// The current token in messages.
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

  /// The text for a message, shortened if it is long.
  func shown(_ range: Range<Int>) -> String {
    range.count <= 60 ? text(range) : text(range.lowerBound..<range.lowerBound + 57) + "..."
  }

  // MARK: Findings

  mutating func error(
    _ code: SyntaxCode, _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil
  ) {
    // A second error about the same words is a consequence of the first.
    guard !isExhausted, !isConsequenceOfEnd, range != lastError else { return }
    report(code, message, at: range, help: help, fix: fix)
  }

  /// An unexpected end of the file is one error.
  private var isConsequenceOfEnd: Bool {
    token.kind == .end
      && (errorEnd >= previousEnd || lexer.unclosed.last.map { $0.upperBound >= previousEnd } == true)
  }

  private mutating func report(
    _ code: SyntaxCode, _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil
  ) {
    guard !isExhausted else { return }
    errorCount += 1
    lastError = range
    errorEnd = max(errorEnd, range.upperBound)
    diagnostics.append(
      Diagnostic(
        code, message.withShortWords, at: source.range(range), help: help?.withShortWords,
        fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) }))
    if isExhausted {
      diagnostics.append(
        Diagnostic(
          SyntaxCode.tooManyErrors, "stopped after \(Self.errorLimit) errors",
          at: source.range(range)))
    }
  }

  private mutating func reportByteOrderMark() {
    guard bytes.starts(with: SchemaDetection.byteOrderMark) else { return }
    let range = source.range(0..<3)
    diagnostics.append(
      Diagnostic(
        SyntaxCode.byteOrderMark, "the file begins with a byte order mark", at: range,
        help: "save it as UTF-8 without one", fix: .init(replacing: range, with: "")))
  }

  private mutating func reportUnclosed() {
    for range in lexer.unclosed {
      let isQuote = bytes[range.lowerBound] == UInt8(ascii: "\"")
      report(
        .unclosed, isQuote ? "the name's closing quote is missing" : "the comment is never closed with '*/'",
        at: range,
        fix: isQuote ? (range.upperBound..<range.upperBound, "\"") : nil)
    }
  }

  /// All comments with `#` in a file are one finding.
  private mutating func reportOddities() {
    let hashes = lexer.oddities.count { $0.kind == .hashComment }
    var isHashReported = false
    for oddity in lexer.oddities {
      let start = oddity.range.lowerBound
      switch oddity.kind {
      case .hashComment:
        if isHashReported { continue }
        isHashReported = true
        report(
          .unexpected,
          "comments begin with // or --, not with #" + (hashes > 1 ? " (\(hashes) lines do)" : ""),
          at: oddity.range, fix: (start..<start + 1, "//"))
      case .conflict:
        report(
          .unexpected, "the file has an unresolved merge conflict", at: oddity.range,
          help: "keep one side, and remove the lines with <<<<<<<, ======= and >>>>>>>")
      case .blank, .mark:
        guard let scalar = LookalikeCharacter(bytes, at: start) else { continue }
        let wanted = scalar.isBlank ? " " : scalar.halfWidth
        let column = source.location(at: start).column
        report(
          .unexpected, "\(scalar.description) at column \(column) cannot be used in a schema",
          at: oddity.range,
          help: wanted == " "
            ? "write an ordinary space" : wanted.isEmpty ? "remove it" : "write '\(wanted)'",
          fix: (oddity.range, wanted))
      }
    }
  }

  private mutating func reportMiscased() {
    guard let first = miscased.first else { return }
    let spelling = text(first)
    let others = miscased.count > 1 ? " (\(miscased.count) keywords in this file are not)" : ""
    let range = source.range(first)
    diagnostics.append(
      Diagnostic(
        SyntaxCode.keywordCase,
        "the keyword '\(spelling)' is not written in capitals\(others)",
        at: range, help: "schema format writes every keyword in capitals",
        fix: .init(replacing: range, with: spelling.uppercased())))
  }
}
