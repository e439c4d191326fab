import Diagnostics

/// The members of a record type.
struct RecordTypeMembers {
  var fields: [FieldDeclaration] = []
  var grants: [GrantDeclaration] = []
  /// The offset of the closing parenthesis, or where it should be.
  var end = 0
  var isClosed = false
}

extension Parser {
  /// Members up to and including the closing parenthesis.
  mutating func parseMembers(into members: inout RecordTypeMembers, of type: String) {
    while !isExhausted, !isAtEnd(of: type, &members) {
      let isRead = parseMember(into: &members)
      if !isRead { skipToMember() }
      if !parseSeparator(of: type, afterMistake: !isRead, &members) { return }
    }
  }

  /// Whether the list ends here, with or without its closing parenthesis.
  private mutating func isAtEnd(of type: String, _ members: inout RecordTypeMembers) -> Bool {
    members.end = token.range.lowerBound
    if token.kind == .rightParenthesis || isClosingBrace {
      close(&members)
      return true
    }
    guard token.kind == .end || startsStatement else { return false }
    reportMissingClosing(of: type)
    return true
  }

  /// After a member: true when another may follow, false when the list is over.
  private mutating func parseSeparator(
    of type: String, afterMistake: Bool, _ members: inout RecordTypeMembers
  ) -> Bool {
    members.end = token.range.lowerBound
    switch token.kind {
    case .comma:
      let comma = token.range
      advance()
      reportTrailing(comma)
      return true
    case .rightParenthesis, .end: return true
    case .semicolon: return parseSemicolon(of: type, &members)
    default:
      if isClosingBrace || startsStatement || afterMistake { return true }
      if !token.startsLine, token.kind != .word, !startsField {
        error(
          .unexpected, "expected an option, ',' or ')', found \(found)", at: token.range,
          help: "the options are QUERYABLE, SEARCHABLE and SORTABLE, and a list is LIST<STRING>")
        skipToMember()
        return parseSeparator(of: type, afterMistake: true, &members)
      }
      error(
        .punctuation, "missing ',' before \(found)", at: previousByte,
        fix: (previousEnd..<previousEnd, ","))
      return true
    }
  }

  /// Whether a name in quotes, also in the wrong ones, begins a field here.
  private var startsField: Bool {
    token.kind == .quoted ? peek().keyword?.startsType ?? false : startsName
  }

  private mutating func reportTrailing(_ comma: Range<Int>) {
    guard token.kind == .rightParenthesis else { return }
    error(.punctuation, "there is no ',' after the last member", at: comma, fix: (comma, ""))
  }

  /// A `;` where a comma should be, or where the parenthesis was forgotten.
  private mutating func parseSemicolon(of type: String, _ members: inout RecordTypeMembers) -> Bool {
    let range = token.range
    let next = peek()
    if next.kind == .end || [.record, .create].contains(next.keyword) && !isMember(next) {
      error(
        .punctuation, "missing ')' at the end of record type '\(type)'", at: range,
        fix: (range.lowerBound..<range.lowerBound, ")"))
      advance()
      return false
    }
    error(.punctuation, "members are separated by ',', not ';'", at: range, fix: (range, ","))
    advance()
    return true
  }

  /// Whether a statement's keyword is a field name here.
  private func isMember(_ next: Token) -> Bool {
    var ahead = lookahead()
    _ = ahead.next()
    return ahead.next().keyword?.startsType ?? false
  }

  private var isClosingBrace: Bool {
    token.kind == .stray && bytes[token.range.lowerBound] == UInt8(ascii: "}")
  }

  private mutating func close(_ members: inout RecordTypeMembers) {
    if isClosingBrace {
      error(.punctuation, "expected ')', found '}'", at: token.range, fix: (token.range, ")"))
    }
    members.isClosed = true
    advance()
  }

  private mutating func reportMissingClosing(of type: String) {
    error(
      .punctuation, "missing ');' at the end of record type '\(type)'",
      at: previousByte, fix: (previousEnd..<previousEnd, "\n    );"))
  }

  /// Skips the rest of a member that cannot be read.
  mutating func skipToMember() {
    while !isMemberBoundary { advance() }
  }

  private var isMemberBoundary: Bool {
    switch token.kind {
    case .comma, .semicolon, .rightParenthesis, .end: true
    default: isClosingBrace || token.startsLine || startsStatement
    }
  }

  // MARK: Members

  /// member: field | grant. False if the rest of the member must be skipped.
  private mutating func parseMember(into members: inout RecordTypeMembers) -> Bool {
    switch token.kind {
    case .word, .quoted: break
    case .stray where startsName: break
    case .comma:
      error(.punctuation, "one ',' too many", at: token.range, fix: (token.range, ""))
      return true
    default:
      error(
        .unexpected, "expected a field or GRANT, found \(found)", at: token.range,
        help: "a field has a name and a type, as in title STRING QUERYABLE")
      advance()
      return false
    }
    if isGrant { return parseGrant(into: &members) }
    if keyword?.privilege != nil, peek().keyword == .grant {
      let range = token.range.lowerBound..<peek().range.upperBound
      error(.unexpected, "GRANT must come before the privileges, found '\(shown(range))'", at: range)
      advance()
      return false
    }
    return parseField(into: &members)
  }

  /// Whether this is `GRANT`, and not a field named `grant`, which a type follows.
  private var isGrant: Bool {
    guard keyword == .grant else { return isMisspeltGrant }
    return !(peek().keyword?.startsType ?? false)
  }

  private var isMisspeltGrant: Bool {
    guard keyword == nil, token.range.count <= 8 else { return false }
    let next = peek()
    guard next.keyword == nil || next.keyword?.privilege != nil, isSlip(token, of: .grant) else {
      return false
    }
    return next.keyword != nil || [.read, .create, .write].contains { isSlip(next, of: $0) }
  }

  /// field: fieldName dataType option*
  private mutating func parseField(into members: inout RecordTypeMembers) -> Bool {
    guard let name = parseName("the field's name") else { return false }
    if reportSystemField(name) { return false }
    if keyword == .grant, peek().keyword?.privilege != nil {
      error(
        .unknownType, "expected the type of '\(name.text)', found 'GRANT'", at: token.range,
        help: Self.typesHelp)
      return parseGrant(into: &members)
    }
    guard var type = parseSystemType(of: name) ?? parseType(of: name.text) else { return false }
    takeEncryptedAfterType(&type)
    let options = parseOptions()
    members.fields.append(
      FieldDeclaration(
        name: name.text, nameRange: name.range, type: type.type, typeRange: type.range,
        indexes: options.indexes,
        repeatsOption: options.repeats, end: previousEnd))
    return true
  }

  /// `"___recordName" QUERYABLE`: a name that is nearly one of the system's, without a type to go on with.
  private mutating func reportSystemField(_ name: Name) -> Bool {
    guard name.text.utf8.first == UInt8(ascii: "_"), SystemField(storedName: name.text) == nil,
      !(keyword?.startsType ?? false), let meant = SystemField.nearest(to: name.text)
    else { return false }
    let line = "\"\(meant.storedName)\" \(meant.dataType) QUERYABLE"
    let start = name.range.lowerBound
    while !isMemberBoundary { advance() }
    error(
      .unknownType, "'\(shown(name.range))' is not a system field", at: start..<previousEnd,
      help: "did you mean \(line)?", fix: (start..<previousEnd, line))
    return true
  }

  /// `"___recordID" QUERYABLE`
  private mutating func parseSystemType(of name: Name) -> ParsedType? {
    guard keyword?.index != nil, let type = SystemField(storedName: name.text)?.dataType else { return nil }
    let end = name.range.upperBound
    error(
      .unknownType, "expected the type of '\(name.text)', found \(found)", at: token.range,
      help: "write \(type) before \(text(token.range))", fix: (end..<end, " \(type)"))
    return (type, end..<end)
  }

  // MARK: Options

  private mutating func parseOptions() -> (indexes: EnumSet<Index>, repeats: Bool) {
    var options = (indexes: EnumSet<Index>(), repeats: false)
    while token.kind == .word || token.kind == .comma {
      if token.kind == .comma {
        guard reportCommaBeforeOption() else { break }
      } else if keyword == .grant, peek().keyword?.index != nil {
        reportUnknownOption()
      } else if let index = keyword?.index {
        if !options.indexes.insert(index).inserted { options.repeats = true }
        takeKeyword()
      } else if let index = misspeltOption() {
        options.indexes.insert(index)
        advance()
      } else if isUnknownOption {
        reportUnknownOption()
      } else {
        break
      }
    }
    return options
  }

  /// `QUERYABLE, SORTABLE`: an option of the same field, since no type follows it.
  private mutating func reportCommaBeforeOption() -> Bool {
    var ahead = lookahead()
    let next = ahead.next()
    guard let index = next.keyword?.index, !(ahead.next().keyword?.startsType ?? false) else { return false }
    error(
      .punctuation, "\(index.rawValue) belongs to the field before the ','", at: token.range,
      help: "options must come before the ','", fix: (token.range, ""))
    advance()
    return true
  }

  /// Reports a misspelled option. A word on a new line with a type after it is the next field; the comma is
  /// missing.
  private mutating func misspeltOption() -> Index? {
    guard token.range.count <= 14, !isNextMember else { return nil }
    let word = text(token.range)
    let meant =
      SpellingSuggestion.nearest(to: word, among: Index.allCases.map(\.rawValue))
      ?? SQLSynonyms.options[word.uppercased()]
    guard let meant, let index = Index(rawValue: meant) else { return nil }
    error(
      .unknownOption, "'\(word)' is not an option", at: token.range, help: "did you mean \(meant)?",
      fix: (token.range, meant))
    return index
  }

  private var isUnknownOption: Bool { !token.startsLine && !isNextMember }

  /// Whether the word at hand begins the next member: a type, or the words of a grant, follow it.
  private var isNextMember: Bool {
    if keyword == .grant || startsStatement { return true }
    let next = peek()
    if next.keyword?.startsType ?? false { return true }
    return token.startsLine && next.kind == .word && next.keyword?.index == nil
  }

  private mutating func reportUnknownOption() {
    let isConstraint = SQLSynonyms.constraints.contains(text(token.range).uppercased())
    let help =
      isConstraint
      ? "CloudKit schemas cannot require, default or constrain a value"
      : keyword == .encrypted
        ? "ENCRYPTED comes before the type, and an encrypted field has no options"
        : "the options are QUERYABLE, SORTABLE and SEARCHABLE"
    let start = token.range.lowerBound
    let problem = "expected an option, ',' or ')', found \(found)"
    advance()
    while !token.startsLine, keyword?.index == nil, skipsArgument(ofConstraint: isConstraint) {}
    error(.unknownOption, problem, at: start..<previousEnd, help: help)
  }

  /// Skips a word after an unknown option; after a constraint also the value, such as `""`, `0` or `now()`.
  private mutating func skipsArgument(ofConstraint isConstraint: Bool) -> Bool {
    if token.kind == .word {
      guard !isNextMember else { return false }
      advance()
      return true
    }
    guard isConstraint else { return false }
    if token.kind == .leftParenthesis { return skipArguments() }
    guard [.quoted, .stray, .leftAngle, .rightAngle].contains(token.kind), !isClosingBrace else {
      return false
    }
    advance()
    return true
  }
}
