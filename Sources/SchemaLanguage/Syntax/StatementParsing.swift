import Diagnostics

extension Parser {
  /// schema: `DEFINE SCHEMA` statement*
  mutating func parseSchema() {
    let start = token.range.lowerBound
    do {
      try parseHeader()
    } catch {
      skip { $0.startsStatement }
    }
    headerRange = min(start, previousEnd)..<previousEnd
    while token.kind != .end, !isExhausted {
      do {
        try parseStatement()
      } catch {
        skipToStatement()
      }
    }
  }

  private mutating func parseHeader() throws(Skip) {
    guard keyword == .define || opens(.define, .schema) else {
      let start = token.range.lowerBound
      throw error(
        .missingHeader, "a schema begins with DEFINE SCHEMA", at: token.range,
        fix: (start..<start, "DEFINE SCHEMA\n\n"))
    }
    try expect(.define)
    try expect(.schema, help: "a schema begins with DEFINE SCHEMA")
  }

  private mutating func parseStatement() throws(Skip) {
    if opens(.record, .type) {
      try parseRecordType()
    } else if opens(.create, .role) {
      try parseRole()
    } else if token.kind == .semicolon || token.kind == .rightParenthesis {
      remove("between statements")
    } else {
      let problem = error(
        .unexpected, "expected RECORD TYPE or CREATE ROLE, found \(found)", at: token.range,
        help: "a schema consists of CREATE ROLE and RECORD TYPE statements")
      // `ALTER RECORD TYPE Note` declares no type: the next statement begins on a line of its own.
      if token.kind != .leftParenthesis { advance() }
      skip {
        $0.startsStatement && $0.token.startsLine || [.semicolon, .leftParenthesis].contains($0.token.kind)
      }
      throw problem
    }
  }

  /// role: `CREATE ROLE roleName ;`
  private mutating func parseRole() throws(Skip) {
    let start = token.range.lowerBound
    try expect(.create)
    try expect(.role)
    let name = try parseName("the role's name")
    roles.append(
      RoleDeclaration(name: name.text, nameRange: name.range, range: start..<name.range.upperBound))
    expectSemicolon(after: "CREATE ROLE")
  }

  /// recordType: `RECORD TYPE typeName ( member (, member)* ) ;`
  private mutating func parseRecordType() throws(Skip) {
    let start = token.range.lowerBound
    try expect(.record)
    try expect(.type)
    let name = try parseName("the record type's name")
    if !take(.leftParenthesis) {
      let isBrace = isStray("{")
      let isHere = isBrace || !token.startsLine && token.kind != .end
      let problem = error(
        .punctuation,
        isHere
          ? "expected '(' after the record type's name '\(name.text)', found \(found)"
          : "missing '(' after the record type's name '\(name.text)'",
        at: isHere ? token.range : previousByte,
        fix: isBrace ? (token.range, "(") : (previousEnd..<previousEnd, " ("))
      if isBrace {
        advance()
      } else if token.kind != .word && token.kind != .quoted {
        throw problem
      }
    }
    let opening = start..<previousEnd
    let members = parseMembers(of: name.text)
    recordTypes.append(
      RecordTypeDeclaration(
        name: name.text, nameRange: name.range, opening: opening, range: start..<previousEnd,
        end: members.end, fields: members.fields, grants: members.grants))
    if members.isClosed { expectSemicolon(after: "record type '\(name.text)'") }
  }

  private mutating func expectSemicolon(after what: String) {
    while token.kind == .rightParenthesis { remove("before ';'") }
    if take(.semicolon) { return }
    let isComma = token.kind == .comma
    error(
      .punctuation, "missing ';' after \(what)", at: previousByte,
      fix: (isComma ? token.range : previousEnd..<previousEnd, ";"))
    if isComma { advance() } else if !startsStatement, !token.startsLine { skipToStatement() }
  }

  // MARK: Recovery

  /// Whether a statement begins here with these two words, of which one or both may be misspelled.
  private func opens(_ first: Keyword, _ second: Keyword) -> Bool {
    if keyword == first { return true }
    guard isSlip(token, of: first) else { return false }
    let next = peek()
    return next.keyword == second || isSlip(next, of: second)
  }

  /// Whether `RECORD TYPE` or `CREATE ROLE` comes next.
  var startsStatement: Bool {
    switch keyword {
    case .record: peek().keyword == .type
    case .create: peek().keyword == .role
    default: false
    }
  }

  /// Skips the rest of a statement that cannot be read. Mistakes among its members are still found.
  private mutating func skipToStatement() {
    skip { $0.startsStatement || [.semicolon, .leftParenthesis].contains($0.token.kind) }
    if take(.leftParenthesis) { _ = parseMembers(of: "") }
    _ = take(.semicolon)
  }
}
