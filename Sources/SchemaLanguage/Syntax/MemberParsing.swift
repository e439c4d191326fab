import Diagnostics

struct RecordTypeMembers {
  var fields: [FieldDeclaration] = []
  var grants: [GrantDeclaration] = []
  /// The offset of the closing parenthesis, or where it should be.
  var end = 0
  var isClosed = false
}

extension Parser {
  mutating func parseMembers(of type: String) -> RecordTypeMembers {
    var members = RecordTypeMembers()
    // A list that grows is copied each time, which takes 4 % of reading a schema.
    members.fields.reserveCapacity(16)
    while !isExhausted, !isAtEnd(of: type, &members) {
      var isRead = true
      let isNamed = token.kind == .word || token.kind == .quoted
      do {
        try parseMember(into: &members)
      } catch {
        isRead = skipToMember() && isNamed
      }
      members.end = token.range.lowerBound
      if !parseSeparator(of: type, isExpected: isRead) { return members }
    }
    return members
  }

  /// Whether the list ends here, with or without its closing parenthesis.
  private mutating func isAtEnd(of type: String, _ members: inout RecordTypeMembers) -> Bool {
    members.end = token.range.lowerBound
    members.isClosed = take(.rightParenthesis) || takesBrace()
    if members.isClosed { return true }
    guard token.kind == .end || startsStatement else { return false }
    error(
      .punctuation,
      "missing ');' at the end of \(type.isEmpty ? "the record type" : "record type '\(type)'")",
      at: previousByte, fix: (previousEnd..<previousEnd, "\n    );"))
    return true
  }

  /// `}` at the end, as in other languages.
  private mutating func takesBrace() -> Bool {
    guard isStray("}") else { return false }
    error(
      .punctuation, "a record type ends with ');', not with '}'", at: token.range, help: "write ')'",
      fix: (token.range, ")"))
    advance()
    return true
  }

  func isStray(_ mark: Character) -> Bool { token.kind == .stray && text(token.range) == String(mark) }

  /// After a member: true when another may follow, false when the list is over.
  private mutating func parseSeparator(of type: String, isExpected: Bool) -> Bool {
    let range = token.range
    switch token.kind {
    case .comma:
      advance()
      if token.kind == .rightParenthesis {
        error(
          .punctuation, "unexpected ',' after the last member", at: range, help: "remove the ','",
          fix: (range, ""))
      }
    case .semicolon:
      let next = peek()
      if next.kind == .end || [.record, .create].contains(next.keyword), !startsMember(next) {
        error(
          .punctuation, "missing ')' at the end of record type '\(type)'", at: range,
          fix: (range.lowerBound..<range.lowerBound, ")"))
        advance()
        return false
      }
      if next.kind == .rightParenthesis {
        remove("after the last member")
        return true
      }
      error(.punctuation, "members are separated by ',', not ';'", at: range, fix: (range, ","))
      advance()
    case .rightParenthesis, .end: break
    case .stray where isStray("}"): break
    default:
      guard isExpected, !startsStatement else { break }
      error(
        .punctuation, "missing ',' before \(found)", at: previousByte, fix: (previousEnd..<previousEnd, ","))
    }
    return true
  }

  /// Whether a statement's keyword is a field name here.
  private func startsMember(_ next: Token) -> Bool {
    var ahead = lookahead()
    _ = ahead.next()
    return ahead.next().keyword?.startsType ?? false
  }

  /// Skips the rest of a member that cannot be read. Returns whether the next one begins here, on a line of its own.
  private mutating func skipToMember() -> Bool {
    let mistake = token.range
    var depth = 0
    skip { parser in
      switch parser.token.kind {
      case .leftParenthesis: depth += 1
      case .rightParenthesis where depth > 0: depth -= 1
      case .comma: return depth == 0
      case .semicolon, .rightParenthesis: return true
      default: return parser.token.startsLine || parser.startsStatement
      }
      return parser.token.startsLine
    }
    return depth == 0 && token.range != mistake && token.startsLine && isNextMember
  }

  // MARK: Members

  /// member: field | grant
  private mutating func parseMember(into members: inout RecordTypeMembers) throws(Skip) {
    switch token.kind {
    case .word, .quoted: if isGrant { try parseGrant(into: &members) } else { try parseField(into: &members) }
    case .comma:
      error(
        .punctuation, "unexpected ',' before a member", at: token.range, help: "remove the ','",
        fix: (token.range, ""))
    default:
      let problem = error(
        .unexpected, "expected a field or GRANT, found \(found)", at: token.range,
        help: "a field has a name and a type, as in title STRING QUERYABLE")
      advance()
      throw problem
    }
  }

  /// Whether this is `GRANT`, and not a field named `grant`, which a type follows; or another word before privileges.
  var isGrant: Bool {
    if keyword == .grant { return !(peek().keyword?.startsType ?? false) }
    guard keyword == nil, token.range.count <= 8 else { return false }
    var ahead = lookahead()
    let next = ahead.next()
    if next.keyword?.privilege != nil {
      let after = ahead.next()
      return isSlip(token, of: .grant) || after.keyword == .to
        || after.kind == .comma && ahead.next().keyword?.privilege != nil
    }
    return next.keyword == nil && isSlip(token, of: .grant)
      && [.read, .create, .write].contains { isSlip(next, of: $0) }
  }

  /// field: fieldName dataType option*
  private mutating func parseField(into members: inout RecordTypeMembers) throws(Skip) {
    let name = try parseName("the field's name")
    var type: DataType?
    var typeRange = previousEnd..<previousEnd
    var options = (indexes: EnumSet<Index>(), repeats: false)
    defer {
      members.fields.append(
        FieldDeclaration(
          name: name.text, nameRange: name.range, type: type, typeRange: typeRange,
          indexes: options.indexes, repeatsOption: options.repeats, end: previousEnd))
    }
    if isStray(":") { remove("after the field's name") }
    let start = token.range.lowerBound
    type = try parseType(of: name.text)
    typeRange = start..<previousEnd
    try parseOptions(&options)
  }

  // MARK: Options

  private mutating func parseOptions(_ options: inout (indexes: EnumSet<Index>, repeats: Bool)) throws(Skip) {
    while !isEndOfOptions {
      if token.kind == .comma {
        guard takesMisplacedComma() else { return }
      } else if let index = keyword?.index {
        if !options.indexes.insert(index).inserted { options.repeats = true }
        takeKeyword()
      } else if let meant = meant(among: Index.allCases) {
        options.indexes.insert(meant)
        correct(.unknownOption, "'\(text(token.range))' is not an option", to: meant.rawValue)
      } else {
        throw error(
          .unknownOption, "expected an option, ',' or ')', found \(found)", at: token.range,
          help: keyword == .encrypted
            ? "ENCRYPTED comes before the type"
            : keyword == .list || isStray("[")
              ? "a list is written as LIST<STRING>" : "the options are QUERYABLE, SORTABLE and SEARCHABLE")
      }
    }
  }

  /// Whether the field ends before the token at hand: with a separator, or where the next member or statement begins.
  private var isEndOfOptions: Bool {
    switch token.kind {
    case .rightParenthesis, .semicolon, .end: true
    case .word, .quoted: keyword?.index == nil && isNextMember
    case .stray: isStray("}")
    default: false
    }
  }

  /// Whether the word at hand begins the next member: a type follows it, or it is the first of a line and no option.
  private var isNextMember: Bool {
    let next = peek()
    return beginsNext || token.startsLine && next.kind == .word && next.keyword?.index == nil
  }

  /// Whether a member or a statement certainly begins here.
  var beginsNext: Bool { keyword == .grant || startsStatement || peek().keyword?.startsType ?? false }

  /// `QUERYABLE, SORTABLE`: an option of the same field, since no type follows it. False for any other comma.
  private mutating func takesMisplacedComma() -> Bool {
    var ahead = lookahead()
    let next = ahead.next()
    guard let index = next.keyword?.index, !(ahead.next().keyword?.startsType ?? false) else { return false }
    error(
      .punctuation, "\(index.rawValue) belongs to the field before the ','", at: token.range,
      help: "options must come before the ','", fix: (token.range, ""))
    advance()
    return true
  }

  // MARK: Grants

  /// grant: `GRANT` privilege (`,` privilege)* `TO` roleName
  mutating func parseGrant(into members: inout RecordTypeMembers) throws(Skip) {
    let start = token.range.lowerBound
    if keyword == .grant || isSlip(token, of: .grant) {
      try expect(.grant)
    } else {
      error(
        .unexpected, "expected GRANT, found \(found)", at: token.range,
        help: "a role has the privileges that the type grants, and no others")
      advance()
    }
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
        missing(
          .unknownPrivilege, "READ, CREATE or WRITE",
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
