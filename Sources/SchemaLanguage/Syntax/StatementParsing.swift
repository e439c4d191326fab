import Diagnostics

extension Parser {
  /// schema: `DEFINE SCHEMA` statement*
  mutating func parseSchema() {
    let start = token.range.lowerBound
    parseHeader()
    headerRange = min(start, previousEnd)..<previousEnd
    while token.kind != .end, !isExhausted { parseStatement() }
  }

  private mutating func parseHeader() {
    if keyword == .define || isMisspelt(.define, before: .schema) {
      expectSpelt(.define)
      expectSpelt(.schema)
      if token.kind == .semicolon {
        error(
          .punctuation, "there is no ';' after DEFINE SCHEMA", at: token.range, fix: (token.range, ""))
        advance()
      }
      return
    }
    let start = token.range.lowerBound
    error(
      .missingHeader, "a schema begins with DEFINE SCHEMA", at: token.range,
      fix: (start..<start, "DEFINE SCHEMA\n\n"))
    skipToStatement()
  }

  private mutating func parseStatement() {
    switch keyword {
    case .create where peek().keyword != .type && peek().keyword != .record: parseRole()
    case .record: parseRecordType()
    default: parseUnknownStatement()
    }
  }

  /// role: `CREATE ROLE roleName ;`
  private mutating func parseRole() {
    let start = token.range.lowerBound
    takeKeyword()
    reportRepeated(.create, before: .role)
    if !takeOtherWord(for: .role, before: .semicolon) { expectSpelt(.role) }
    finishStatement(.create, from: start)
  }

  /// recordType: `RECORD TYPE typeName ( member (, member)* ) ;`
  private mutating func parseRecordType() {
    let start = token.range.lowerBound
    takeKeyword()
    reportRepeated(.record, before: .type)
    if !takeOtherWord(for: .type, before: .leftParenthesis) { expectSpelt(.type) }
    finishStatement(.record, from: start)
  }

  /// `RECORD TABLE X (`, `CREATE GROUP x;`: another word in place of a keyword, since a name follows it.
  private mutating func takeOtherWord(for expected: Keyword, before end: Token.Kind) -> Bool {
    var ahead = self
    guard token.kind == .word, keyword != expected else { return false }
    ahead.advance()
    guard ahead.startsName else { return false }
    ahead.advance()
    guard ahead.token.kind == end else { return false }
    error(
      .unexpected, "expected \(expected.rawValue), found \(found)", at: token.range,
      help: "did you mean \(expected.rawValue)?", fix: (token.range, expected.rawValue))
    advance()
    return true
  }

  /// `RECORD RECORD TYPE`
  private mutating func reportRepeated(_ word: Keyword, before next: Keyword) {
    guard keyword == word, peek().keyword == next else { return }
    error(.unexpected, "one \(word.rawValue) too many", at: token.range, fix: (token.range, ""))
    advance()
  }

  private mutating func parseBody(of name: Name, from start: Int) {
    expectOpening(after: name.text)
    var members = RecordTypeMembers()
    parseMembers(into: &members, of: name.text)
    recordTypes.append(
      RecordTypeDeclaration(
        name: name.text, nameRange: name.range, range: start..<previousEnd, end: members.end,
        fields: members.fields, grants: members.grants))
    if members.isClosed { expectSemicolon(after: "record type '\(name.text)'") }
  }

  private mutating func expectOpening(after name: String) {
    if take(.leftParenthesis) { return }
    let isBracket = token.kind == .stray
    error(
      .punctuation, "expected '(' after the record type's name '\(name)', found \(found)", at: token.range,
      fix: isBracket ? (token.range, "(") : (previousEnd..<previousEnd, " ("))
    if isBracket { advance() }
  }

  private mutating func expectSemicolon(after what: String) {
    if take(.semicolon) {
      while token.kind == .semicolon {
        error(.punctuation, "one ';' too many", at: token.range, fix: (token.range, ""))
        advance()
      }
      return
    }
    if token.kind == .rightParenthesis {
      error(.punctuation, "one ')' too many", at: token.range, fix: (token.range, ""))
      advance()
      return expectSemicolon(after: what)
    }
    if token.kind == .comma {
      error(
        .punctuation, "expected ';' after \(what), found ','", at: token.range, fix: (token.range, ";"))
      return advance()
    }
    error(
      .punctuation, "missing ';' after \(what)", at: previousByte,
      fix: (previousEnd..<previousEnd, ";"))
    if !startsStatement, !token.startsLine { skipToStatement() }
  }

  // MARK: Recovery

  private mutating func parseUnknownStatement() {
    let range = token.range
    if token.kind == .semicolon || token.kind == .rightParenthesis {
      error(.punctuation, "unexpected \(found) between statements", at: range, fix: (range, ""))
      advance()
      _ = take(.semicolon)
      return
    }
    if let meant = misspeltStatement() { return parseMisspelt(meant) }
    error(
      .unexpected, "expected RECORD TYPE or CREATE ROLE, found \(found)", at: range,
      help: "a schema consists of CREATE ROLE and RECORD TYPE statements")
    skipToStatement()
  }

  /// `TYPE X (`, `TABLE X (`, `CREATE TYPE X (`, `RECROD TYPE X (`, `CRAETE ROLE x;`
  private func misspeltStatement() -> Keyword? {
    guard token.kind == .word else { return nil }
    if keyword == .type || keyword == .create || isMisspelt(.record, before: .type) { return .record }
    if isMisspelt(.create, before: .role) || keyword == .role { return .create }
    var ahead = lookahead()
    let name = ahead.next()
    guard name.kind == .word || name.kind == .quoted, ahead.next().kind == .leftParenthesis else {
      return nil
    }
    return .record
  }

  private mutating func parseMisspelt(_ meant: Keyword) {
    let noun: Keyword = meant == .record ? .type : .role
    let wanted = "\(meant.rawValue) \(noun.rawValue)"
    let range = token.range.lowerBound..<endOfMisspelt(meant, noun)
    error(
      .unexpected, "expected \(wanted), found '\(shown(range))'", at: range, help: "did you mean \(wanted)?",
      fix: (range, wanted))
    while token.range.upperBound < range.upperBound { advance() }
    advance()
    finishStatement(meant, from: range.lowerBound)
  }

  /// The end of a statement's misspelled opening words.
  private func endOfMisspelt(_ meant: Keyword, _ noun: Keyword) -> Int {
    var ahead = self
    if isMisspelt(meant, before: noun) { return peek().range.upperBound }
    // TYPE RECORD, ROLE CREATE
    if keyword == noun, peek().keyword == meant { return peek().range.upperBound }
    while ahead.keyword != noun, [noun, .record].contains(ahead.peek().keyword) { ahead.advance() }
    return (ahead.keyword == noun ? ahead.token : token).range.upperBound
  }

  /// Parses a statement after its opening words.
  private mutating func finishStatement(_ kind: Keyword, from start: Int) {
    let what = kind == .record ? "the record type's name" : "the role's name"
    guard let name = parseName(what) else { return skipToStatement() }
    if kind == .record { return parseBody(of: name, from: start) }
    roles.append(
      RoleDeclaration(name: name.text, nameRange: name.range, range: start..<name.range.upperBound))
    expectSemicolon(after: "CREATE ROLE")
  }

  private func isMisspelt(_ word: Keyword, before next: Keyword) -> Bool {
    guard isSlip(token, of: word) else { return false }
    let following = peek()
    return following.keyword == next || isSlip(following, of: next)
  }

  /// Whether a word is a misspelling of a keyword.
  func isSlip(_ token: Token, of word: Keyword) -> Bool {
    token.kind == .word && token.keyword != word && token.range.count <= 16
      && SpellingSuggestion.nearest(to: text(token.range), among: [word.rawValue]) != nil
  }

  /// Consumes a keyword or a misspelling of it; reports a missing one and continues.
  mutating func expectSpelt(_ expected: Keyword) {
    if take(expected) { return }
    let isSlip = isSlip(token, of: expected)
    error(
      .unexpected, "expected \(expected.rawValue), found \(found)", at: token.range,
      help: isSlip ? "did you mean \(expected.rawValue)?" : Self.help(forMissing: expected),
      fix: isSlip ? (token.range, expected.rawValue) : (previousEnd..<previousEnd, " \(expected.rawValue)"))
    if isSlip { advance() }
  }

  private static func help(forMissing keyword: Keyword) -> String? {
    switch keyword {
    case .define, .schema: "a schema begins with DEFINE SCHEMA"
    case .type: "write TYPE before the record type's name, as in RECORD TYPE Note ("
    case .role: "write ROLE before the role's name, as in CREATE ROLE Editor;"
    case .preferred, .as: numberHelp
    default: nil
    }
  }

  /// Whether `RECORD TYPE` or `CREATE ROLE` comes next.
  var startsStatement: Bool {
    switch keyword {
    case .record: peek().keyword == .type
    case .create: peek().keyword == .role
    default: false
    }
  }

  mutating func skipToStatement() {
    while token.kind != .end, !startsStatement {
      let isSemicolon = token.kind == .semicolon
      advance()
      if isSemicolon { return }
    }
  }
}
