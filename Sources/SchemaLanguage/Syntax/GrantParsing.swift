import Diagnostics

extension Parser {
  /// grant: `GRANT` privilege (`,` privilege)* `TO` roleName
  mutating func parseGrant(into members: inout Members) -> Bool {
    let start = token.range.lowerBound
    expectSpelt(.grant)
    guard let privileges = parsePrivileges() else { return false }
    expectTo()
    guard token.kind == .word || token.kind == .quoted, !startsStatement,
      let role = parseName("the role's name")
    else {
      error(.unexpected, "expected the role's name after TO, found \(found)", at: token.range)
      return false
    }
    members.grants.append(
      GrantDeclaration(
        grant: Grant(privileges, to: role.text), roleRange: role.range,
        range: start..<role.range.upperBound))
    return true
  }

  private mutating func parsePrivileges() -> CaseSet<Privilege>? {
    var privileges: CaseSet<Privilege> = []
    repeat {
      guard token.kind == .word, keyword != .to else {
        error(.unknownPrivilege, "expected READ, CREATE or WRITE, found \(found)", at: token.range)
        if keyword == .to { continue }
        return nil
      }
      privileges.formUnion(parsePrivilege())
      reportMissingComma()
    } while continuesPrivileges()
    return privileges
  }

  /// `READ CREATE`
  private mutating func reportMissingComma() {
    while token.kind == .word, !token.startsLine, keyword?.privilege != nil, let next = keyword?.privilege {
      error(
        .punctuation, "missing ',' before \(next.rawValue)", at: max(0, previousEnd - 1)..<previousEnd,
        fix: (previousEnd..<previousEnd, ","))
      return
    }
  }

  private mutating func continuesPrivileges() -> Bool {
    if take(.comma) { return true }
    return token.kind == .word && !token.startsLine && keyword?.privilege != nil
  }

  private mutating func parsePrivilege() -> CaseSet<Privilege> {
    if let privilege = keyword?.privilege {
      takeKeyword()
      return [privilege]
    }
    let range = token.range
    let word = text(range)
    let meant =
      ForeignWords.privileges[word.uppercased()]
      ?? (range.count <= 12 ? Suggestion.nearest(to: word, among: Privilege.allCases.map(\.rawValue)) : nil)
    let all = word.uppercased() == "ALL" ? "READ, CREATE, WRITE" : nil
    let wanted = all ?? meant
    error(
      .unknownPrivilege, "'\(shown(range))' is not a privilege", at: range,
      help: wanted.map { "did you mean \($0)?" } ?? "the privileges are READ, CREATE and WRITE",
      fix: wanted.map { (range, $0) })
    advance()
    if all != nil { return CaseSet(Privilege.allCases) }
    return meant.flatMap(Privilege.init(rawValue:)).map { [$0] } ?? []
  }

  private mutating func expectTo() {
    if take(.to) { return }
    let isSlip = isSlip(token, of: .to)
    error(
      .unexpected, "expected TO before the role, found \(found)", at: token.range,
      fix: isSlip ? (token.range, "TO") : (previousEnd..<previousEnd, " TO"))
    if isSlip { advance() }
  }
}
