import Diagnostics

extension Parser {
  /// grant: `GRANT` privilege (`,` privilege)* `TO` roleName
  mutating func parseGrant(into members: inout RecordTypeMembers) -> Bool {
    let start = token.range.lowerBound
    expectSpelt(.grant)
    return finishGrant(from: start, into: &members) { parser in
      parser.keyword == .to ? parser.parseSwappedTo() : parser.parsePrivileges()
    }
  }

  /// `WRITE GRANT TO "_creator"`
  mutating func parseSwappedGrant(into members: inout RecordTypeMembers) -> Bool {
    let start = token.range.lowerBound
    let privilege = token.range
    advance()
    let range = start..<token.range.upperBound
    error(
      .unexpected, "GRANT must come before the privileges, found '\(shown(range))'", at: range,
      fix: (range, "GRANT \(text(privilege))"))
    advance()
    let first = Keyword(bytes[privilege])?.privilege
    return finishGrant(from: start, into: &members) { parser in
      let rest: EnumSet<Privilege> = parser.take(.comma) ? parser.parsePrivileges() ?? [] : []
      return first.map { rest.union([$0]) } ?? rest
    }
  }

  private mutating func finishGrant(
    from start: Int, into members: inout RecordTypeMembers,
    privileges parse: (inout Parser) -> EnumSet<Privilege>?
  ) -> Bool {
    guard let privileges = parse(&self) else { return skipGrant() }
    if !hasReadTo { expectTo() }
    hasReadTo = false
    guard startsName, !startsStatement,
      let role = parseName("the role's name")
    else {
      error(
        .unexpected, "expected the role's name after TO, found \(found)", at: token.range,
        help: "a role is \"_world\", \"_icloud\", \"_creator\" or one that the file creates")
      return false
    }
    members.grants.append(
      GrantDeclaration(
        grant: Grant(privileges, to: role.text), roleRange: role.range,
        range: start..<role.range.upperBound))
    parseMoreRoles(privileges, into: &members)
    return true
  }

  /// Skips the rest of an invalid grant if its TO is on the same line. False if it is not.
  private mutating func skipGrant() -> Bool {
    var ahead = self
    while !ahead.token.startsLine, [.word, .quoted, .comma].contains(ahead.token.kind) {
      if ahead.keyword == .grant || ahead.keyword?.startsType == true { return false }
      if ahead.keyword == .to {
        let role = ahead.peek()
        guard role.kind == .word || role.kind == .quoted, !role.startsLine else { return false }
        while token.range.lowerBound < role.range.upperBound { advance() }
        return true
      }
      ahead.advance()
    }
    return false
  }

  // MARK: Privileges

  private mutating func parsePrivileges() -> EnumSet<Privilege>? {
    var privileges: EnumSet<Privilege> = []
    repeat {
      guard token.kind == .word, keyword != .to else {
        error(
          .unknownPrivilege, "expected READ, CREATE or WRITE, found \(found)", at: token.range,
          help: "a grant has privileges, TO and a role, as in GRANT READ, WRITE TO \"_creator\"")
        if keyword == .to { continue }
        return nil
      }
      guard let privilege = parsePrivilege() else { return nil }
      privileges.formUnion(privilege)
      reportMissingComma()
    } while continuesPrivileges()
    return privileges
  }

  /// `READ CREATE`
  private mutating func reportMissingComma() {
    guard token.kind == .word, !token.startsLine, let next = keyword?.privilege else { return }
    error(
      .punctuation, "missing ',' before \(next.rawValue)", at: previousByte,
      fix: (previousEnd..<previousEnd, ","))
  }

  private mutating func continuesPrivileges() -> Bool {
    if take(.comma) { return true }
    return token.kind == .word && !token.startsLine && keyword?.privilege != nil
  }

  /// `nil` for a word that is not similar to a privilege; more words of the grant may follow it.
  private mutating func parsePrivilege() -> EnumSet<Privilege>? {
    if let privilege = keyword?.privilege {
      takeKeyword()
      return [privilege]
    }
    let range = token.range
    let word = text(range.prefix(16))
    let meant =
      SQLSynonyms.privileges[word.uppercased()]
      ?? (range.count <= 12
        ? SpellingSuggestion.nearest(to: word, among: Privilege.allCases.map(\.rawValue)) : nil)
    let all = word.uppercased() == "ALL" ? "READ, CREATE, WRITE" : nil
    let wanted = all ?? meant
    error(
      .unknownPrivilege, "'\(shown(range))' is not a privilege", at: range,
      help: wanted.map { "did you mean \($0)?" } ?? "the privileges are READ, CREATE and WRITE",
      fix: wanted.map { (range, $0) })
    advance()
    if all != nil { return EnumSet(Privilege.allCases) }
    if let privilege = meant.flatMap(Privilege.init(rawValue:)) { return [privilege] }
    let goesOn = keyword == .to || token.kind == .comma && peek().keyword?.privilege != nil
    return goesOn ? [] : nil
  }

  // MARK: TO

  /// `GRANT TO READ "_world"`
  private mutating func parseSwappedTo() -> EnumSet<Privilege>? {
    let start = token.range
    var ahead = lookahead()
    let privilege = ahead.next()
    guard privilege.keyword?.privilege != nil else { return parsePrivileges() }
    let range = start.lowerBound..<privilege.range.upperBound
    // Before a comma there are more privileges, and TO would stand between them.
    let isOnlyOne = ahead.next().kind != .comma
    error(
      .unexpected, "TO must come after the privileges, found '\(shown(range))'", at: range,
      fix: isOnlyOne ? (range, "\(text(privilege.range)) TO") : nil)
    advance()
    hasReadTo = true
    return parsePrivileges()
  }

  private mutating func expectTo() {
    if take(.to) { return }
    let isSlip = isSlip(token, of: .to)
    if !isSlip, let words = wordsBeforeTo() {
      error(
        .unexpected, "expected TO, found '\(shown(words))'", at: words,
        help: "a grant applies to the record type that contains it",
        fix: (words.lowerBound..<token.range.upperBound, "TO"))
      advance()
      return
    }
    if !isSlip, namesRoleAfterWord() {
      error(
        .unexpected, "expected TO, found \(found)", at: token.range, help: "did you mean TO?",
        fix: (token.range, "TO"))
      return advance()
    }
    error(
      .unexpected, "expected TO before the role, found \(found)", at: token.range,
      help: isSlip ? "did you mean TO?" : "write TO before the role's name, as in GRANT READ TO \"_world\"",
      fix: isSlip ? (token.range, "TO") : (previousEnd..<previousEnd, " TO"))
    if isSlip { advance() }
  }

  /// Whether another word stands in place of TO, as in `GRANT READ ON "_world"`: a role follows it and ends the grant.
  private func namesRoleAfterWord() -> Bool {
    var ahead = self
    guard ahead.token.kind == .word, !ahead.token.startsLine else { return false }
    ahead.advance()
    guard ahead.startsName, !ahead.token.startsLine else { return false }
    while ahead.startsName || ahead.token.kind == .stray, !ahead.token.startsLine { ahead.advance() }
    return [.comma, .rightParenthesis, .semicolon, .end].contains(ahead.token.kind) || ahead.token.startsLine
  }

  /// Skips to a TO later on the line, as in `GRANT READ ON Feed TO "_world"`.
  private mutating func wordsBeforeTo() -> Range<Int>? {
    var ahead = self
    var end = previousEnd
    while ahead.token.kind == .word || ahead.token.kind == .quoted, !ahead.token.startsLine {
      if ahead.keyword == .to {
        let words = token.range.lowerBound..<end
        while token.range.lowerBound < ahead.token.range.lowerBound { advance() }
        return words
      }
      end = ahead.token.range.upperBound
      ahead.advance()
    }
    return nil
  }

  // MARK: Roles

  /// `TO "_creator", "_icloud"`
  private mutating func parseMoreRoles(
    _ privileges: EnumSet<Privilege>, into members: inout RecordTypeMembers
  ) {
    let comma = token.range
    var further: [Name] = []
    while token.kind == .comma, namesRole(after: token) {
      advance()
      guard let role = parseFurtherRole() else { return }
      further.append(role)
      members.grants.append(
        GrantDeclaration(
          grant: Grant(privileges, to: role.text), roleRange: role.range, range: role.range))
    }
    guard let first = further.first, let last = further.last else { return }
    let names = NameQuoting()
    let wanted = further.map { "GRANT \(privileges.list) TO \(names.spelled($0.text))" }.joined(
      separator: ", ")
    error(
      .unexpected, "a grant names one role", at: comma.lowerBound..<first.range.upperBound,
      help: "\(further.count == 1 ? "write another one" : "write one for each role"): \(wanted)",
      fix: (first.range.lowerBound..<last.range.upperBound, wanted))
  }

  /// A role without its quotes is not a second finding: the grant to write has them.
  private mutating func parseFurtherRole() -> Name? {
    guard token.kind == .word, SystemNames.roles.contains(text(token.range)) else {
      return parseName("the role's name")
    }
    let range = token.range
    advance()
    return (text(range), range)
  }

  /// Whether a known role, and not a field, follows the comma.
  private func namesRole(after comma: Token) -> Bool {
    var ahead = self
    ahead.advance()
    guard ahead.token.kind == .word || ahead.token.kind == .quoted, ahead.keyword != .grant else {
      return false
    }
    let name = ahead.text(ahead.token.range.prefix(64)).filter { $0 != "\"" }
    guard SystemNames.roles.contains(name) || roles.contains(where: { $0.name == name }) else { return false }
    ahead.advance()
    return [.comma, .rightParenthesis, .semicolon].contains(ahead.token.kind)
  }
}
