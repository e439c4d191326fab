import Diagnostics

extension Parser {
  /// grant: `GRANT` privilege (`,` privilege)* `TO` roleName
  mutating func parseGrant(into members: inout RecordTypeMembers) throws(Skip) {
    let start = token.range.lowerBound
    try expect(.grant)
    let privileges = parsePrivileges()
    try expect(.to, help: "write TO before the role's name, as in GRANT READ TO \"_world\"")
    let role = try parseName(
      "the role's name after TO",
      help: "a role is \"_world\", \"_icloud\", \"_creator\" or one that the file creates")
    members.grants.append(
      GrantDeclaration(
        grant: Grant(privileges, to: role.text), roleRange: role.range,
        range: start..<role.range.upperBound))
    reportMoreRoles()
  }

  /// `TO one, another`: no type follows the other one, so it is not a field.
  private mutating func reportMoreRoles() {
    while token.kind == .comma {
      var ahead = lookahead()
      let role = ahead.next()
      guard role.kind == .word || role.kind == .quoted, role.keyword == nil, !role.startsLine,
        [.comma, .rightParenthesis].contains(ahead.next().kind)
      else { return }
      error(
        .unexpected, "a grant is for one role", at: role.range,
        help: "write another GRANT for \(shown(role.range))")
      advance()
      advance()
    }
  }

  /// Reports words that are not privileges, and skips them up to the TO of the line.
  private mutating func parsePrivileges() -> EnumSet<Privilege> {
    var privileges: EnumSet<Privilege> = []
    repeat {
      if let privilege = keyword?.privilege {
        privileges.insert(privilege)
        takeKeyword()
      } else if token.kind == .word, keyword != .to, let meant = meant(among: Privilege.allCases) {
        privileges.insert(meant)
        correct(.unknownPrivilege, "'\(text(token.range))' is not a privilege", to: meant.rawValue)
      } else {
        error(
          .unknownPrivilege, "expected READ, CREATE or WRITE, found \(found)", at: token.range,
          help: "a grant has privileges, TO and a role, as in GRANT READ, WRITE TO \"_creator\"")
        skip {
          $0.token.startsLine || $0.keyword == .to || ![.word, .quoted, .comma].contains($0.token.kind)
        }
        return privileges
      }
    } while takesSeparator()
    return privileges
  }

  /// The comma between two privileges; a missing one is reported.
  private mutating func takesSeparator() -> Bool {
    if take(.comma) { return true }
    guard !token.startsLine, let next = keyword?.privilege else { return false }
    error(
      .punctuation, "missing ',' before \(next.rawValue)", at: previousByte,
      fix: (previousEnd..<previousEnd, ","))
    return true
  }
}
