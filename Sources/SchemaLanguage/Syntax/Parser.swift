import Diagnostics

/// The state of the parser: the current token and the findings so far.
struct Parser {
  /// Thrown where the rest of a member or a statement cannot be read; the mistake is reported.
  struct Skip: Error {}

  let bytes: UnsafeBufferPointer<UInt8>
  let source: SourceText
  var lexer: Lexer
  var token: Token
  var previousEnd = 0
  /// The last byte of the previous token, where something is missing after it.
  var previousByte: Range<Int> { max(0, previousEnd - 1)..<previousEnd }
  var roles: [RoleDeclaration] = []
  var recordTypes: [RecordTypeDeclaration] = []
  private var diagnostics: [Diagnostic] = []
  var headerRange = 0..<0
  private var miscased: [Range<Int>] = []
  private var errorCount = 0
  private var errorEnd = -1

  static let errorLimit = 100

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ source: SourceText) {
    self.bytes = bytes
    self.source = source
    lexer = Lexer(bytes, from: bytes.starts(with: SchemaDetection.byteOrderMark) ? 3 : 0)
    token = lexer.next()
  }

  var isExhausted: Bool { errorCount >= Self.errorLimit }

  mutating func finish() -> ParsedSchema {
    reportByteOrderMark()
    reportUnclosed()
    reportOdd()
    reportMiscased()
    return ParsedSchema(
      source: source, roles: roles, recordTypes: recordTypes, comments: lexer.comments,
      diagnostics: diagnostics.sortedForReading(), headerRange: headerRange, miscasedKeywords: miscased
    )
  }

  // MARK: Tokens

  mutating func advance() {
    previousEnd = token.range.upperBound
    token = lexer.next()
  }

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
    if bytes[token.range].contains(where: { $0 >= UInt8(ascii: "a") && $0 < 0x80 }) {
      miscased.append(token.range)
    }
    advance()
  }

  /// Consumes a keyword or a misspelling of it; throws for another token.
  mutating func expect(_ expected: Keyword, help: String? = nil) throws(Skip) {
    if take(expected) { return }
    guard isSlip(token, of: expected) else { throw missing(.unexpected, expected.rawValue, help: help) }
    correct(.unexpected, "expected \(expected.rawValue), found \(found)", to: expected.rawValue)
  }

  func isSlip(_ token: Token, of word: Keyword) -> Bool {
    token.kind == .word && token.keyword != word && nearest(to: token, among: [word.rawValue]) != nil
  }

  /// The word that a token probably means: one that is spelled nearly so, or the only one that begins so.
  func nearest(to token: Token, among words: [String]) -> String? {
    // No keyword is nearly as long, and distances of long words take long.
    guard token.range.count <= 16 else { return nil }
    let word = text(token.range)
    // The last word of a file is cut.
    let isBeginning = word.count >= 3 && token.range.upperBound < bytes.count
    let longer = words.filter { isBeginning && $0.hasPrefix(word.uppercased()) }
    return SpellingSuggestion.nearest(to: word, among: words) ?? (longer.count == 1 ? longer[0] : nil)
  }

  /// The word that the token at hand probably means.
  func meant<Word: RawRepresentable<String>>(among words: [Word]) -> Word? {
    nearest(to: token, among: words.map(\.rawValue)).flatMap(Word.init(rawValue:))
  }

  var found: String {
    switch token.kind {
    case .end: "the end of the file"
    case .stray: OddCharacter(bytes, at: token.range.lowerBound).description
    default: "'\(shown(token.range))'"
    }
  }

  func shown(_ range: Range<Int>) -> String {
    range.count <= 60 ? text(range) : text(range.lowerBound..<range.lowerBound + 57) + "..."
  }

  // MARK: Findings

  /// Reports a mistake; the result can be thrown to skip what depends on it.
  ///
  /// An error right after another one is a consequence of it, unless a fix shows that it is a mistake of its own; and an
  /// unexpected end of the file is one error.
  @discardableResult
  mutating func error(
    _ code: SyntaxCode, _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil
  ) -> Skip {
    var (message, range, help, fix) = (message, range, help, fix)
    // A character that only looks right is the mistake, not what it makes of its word.
    if token.kind == .word, range == token.range, let place = range.first(where: { bytes[$0] >= 0x80 }) {
      let odd = OddCharacter(bytes, at: place)
      (message, range) = (self.message(about: odd, in: "word", at: place), place..<place + odd.length)
      (help, fix) = (odd.help, nil)
    }
    let mistake = max(errorEnd, lexer.unclosed.last?.upperBound ?? -1)
    if mistake < previousEnd || fix != nil && token.kind != .end {
      report(code, message, at: range, help: help, fix: fix)
    }
    return Skip()
  }

  /// Reports what should stand at the token at hand: at the end of the line before, if a new line goes on without it.
  @discardableResult
  mutating func missing(_ code: SyntaxCode, _ what: String, help: String? = nil) -> Skip {
    let isWord = token.kind == .word || token.kind == .quoted
    let isBefore = token.kind == .end || token.startsLine && (!isWord || beginsNext)
    return error(
      code, "expected \(what), found \(found)", at: isBefore ? previousByte : token.range, help: help)
  }

  func message(about odd: OddCharacter, in what: String, at place: Int) -> String {
    "the \(what) has \(odd.description) at column \(source.location(at: place).column)"
  }

  /// Skips tokens up to one that meets the condition. What is skipped belongs to the mistake before it.
  mutating func skip(until isEnd: (Parser) -> Bool) {
    while token.kind != .end, !isEnd(self) { advance() }
    errorEnd = max(errorEnd, previousEnd)
  }

  mutating func correct(_ code: SyntaxCode, _ message: String, to word: String) {
    error(code, message, at: token.range, help: "did you mean \(word)?", fix: (token.range, word))
    advance()
  }

  /// Reports a token that is one too many, and consumes it.
  mutating func remove(_ place: String) {
    error(
      .punctuation, "unexpected \(found) \(place)", at: token.range, help: "remove the \(found)",
      fix: (token.range, ""))
    advance()
  }

  private mutating func report(
    _ code: SyntaxCode, _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil
  ) {
    guard !isExhausted else { return }
    errorCount += 1
    errorEnd = max(errorEnd, range.upperBound)
    diagnostics.report(
      code, message.withShortWords, at: source.range(range), help: help?.withShortWords,
      fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) })
    if isExhausted {
      diagnostics.report(
        SyntaxCode.tooManyErrors, "stopped after \(Self.errorLimit) errors", at: source.range(range))
    }
  }

  private mutating func reportByteOrderMark() {
    guard bytes.starts(with: SchemaDetection.byteOrderMark) else { return }
    let range = source.range(0..<3)
    diagnostics.report(
      SyntaxCode.byteOrderMark, "the file begins with a byte order mark", at: range,
      help: "save it as UTF-8 without one", fix: .init(replacing: range, with: ""))
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

  private mutating func reportOdd() {
    for range in lexer.odd {
      let odd = OddCharacter(bytes, at: range.lowerBound)
      report(
        .unexpected, "unexpected \(odd.description)", at: range, help: odd.help,
        fix: (range, odd.isInvisible ? "" : " "))
    }
  }

  private mutating func reportMiscased() {
    guard let first = miscased.first else { return }
    let spelling = text(first)
    let others = miscased.count > 1 ? " (\(miscased.count) keywords in this file are not)" : ""
    let range = source.range(first)
    diagnostics.report(
      SyntaxCode.keywordCase,
      "the keyword '\(spelling)' is not written in capitals\(others)",
      at: range, help: "schema format writes every keyword in capitals",
      fix: .init(replacing: range, with: spelling.uppercased()))
  }
}
