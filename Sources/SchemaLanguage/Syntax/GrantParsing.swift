import Diagnostics

extension Parser {
  /// grant: `GRANT` privilege (`,` privilege)* `TO` roleName
  mutating func parseGrant(into members: inout RecordTypeMembers) -> Bool {
    let start = token.range.lowerBound
    expectSpelt(.grant)
    guard let privileges = parsePrivileges() else { return skipGrant() }
    guard expectTo() else { return false }
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
        guard role.kind == .word || role.kind == .quoted, role.keyword?.privilege == nil, !role.startsLine
        else {
          return false
        }
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
        if keyword == .to, peek().keyword?.privilege == nil { continue }
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

  /// False if the grant cannot be read further.
  private mutating func expectTo() -> Bool {
    if take(.to) { return true }
    let isSlip = isSlip(token, of: .to)
    let isMissing = !isSlip && namesLastRole
    error(
      .unexpected, "expected TO before the role, found \(found)", at: token.range,
      help: isSlip ? "did you mean TO?" : "write TO before the role's name, as in GRANT READ TO \"_world\"",
      fix: isSlip ? (token.range, "TO") : isMissing ? (previousEnd..<previousEnd, " TO") : nil)
    if isSlip { advance() }
    return isSlip || isMissing
  }

  /// Whether a role is here that ends the grant, as in `GRANT READ "_world"`.
  private var namesLastRole: Bool {
    guard startsName, !startsStatement else { return false }
    let next = token.kind == .stray ? nil : peek()
    return next.map { $0.startsLine || ![.word, .quoted].contains($0.kind) } ?? true
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
