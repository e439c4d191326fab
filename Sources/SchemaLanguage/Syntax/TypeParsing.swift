import Diagnostics

extension Parser {
  static let typesHelp =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  static let numberHelp = "a number is NUMBER PREFERRED AS INT64 or NUMBER PREFERRED AS DOUBLE"

  /// `type` is `nil` if the text there is not a type.
  typealias ParsedType = (type: DataType?, range: Range<Int>)

  /// dataType: primitive | `LIST < primitive >`. `nil` if the type is missing, which is reported.
  mutating func parseType(of field: String) -> ParsedType? {
    let start = token.range.lowerBound
    guard token.kind == .word, keyword?.index == nil else {
      error(
        .unknownType, "expected the type of '\(field)', found \(found)",
        at: token.kind == .end ? previousEnd..<previousEnd : token.range,
        help: Self.typesHelp)
      return nil
    }
    let isList = keyword == .list || keyword == nil && isSlip(token, of: .list) && peek().kind == .leftAngle
    let type = isList ? parseList() : parseScalar()
    let end = previousEnd
    if token.kind == .leftParenthesis, !token.startsLine { reportArguments(of: text(start..<end)) }
    return (type, start..<end)
  }

  private mutating func parseScalar() -> DataType? {
    let start = token.range.lowerBound
    let primitive = parsePrimitive()
    guard keyword == .list, !token.startsLine, peek().kind != .leftAngle else {
      return primitive.map(DataType.scalar)
    }
    takeKeyword()
    return reportList(of: primitive, from: start)
  }

  /// `STRING LIST`
  private mutating func reportList(of primitive: Primitive?, from start: Int) -> DataType? {
    guard let primitive else { return nil }
    let wanted = DataType.list(primitive).description
    let range = start..<previousEnd
    error(
      .unknownType, "'\(shown(range))' is not how a list is written", at: range, help: "write \(wanted)",
      fix: (range, wanted))
    return .list(primitive)
  }

  private mutating func parseList() -> DataType? {
    let start = token.range.lowerBound
    expectSpelt(.list)
    guard take(.leftAngle) else {
      error(
        .unknownType, "LIST needs the type of its elements", at: start..<previousEnd,
        help: "write LIST<STRING>, for example")
      if token.kind == .leftParenthesis { _ = skipArguments() }
      skipToMember()
      return nil
    }
    guard let primitive = parseElement() else {
      if token.kind == .rightAngle { advance() }
      return nil
    }
    if !take(.rightAngle) {
      error(
        .punctuation, "missing '>' after the type of the list's elements", at: previousByte,
        fix: (previousEnd..<previousEnd, ">"))
    }
    return .list(primitive)
  }

  private mutating func parseElement() -> Primitive? {
    if token.kind == .word, keyword != .list { return parsePrimitive() }
    if keyword == .list { return parseNestedList() }
    error(
      .unknownType, "expected the type of the list's elements, found \(found)", at: token.range,
      help: Self.typesHelp)
    return nil
  }

  /// Consumes a nested list of any depth without recursion.
  private mutating func parseNestedList() -> Primitive? {
    let start = token.range.lowerBound
    var depth = 0
    repeat {
      if token.kind == .leftAngle { depth += 1 }
      if token.kind == .rightAngle { depth -= 1 }
      advance()
    } while (depth > 0 || token.kind == .leftAngle) && [.word, .leftAngle, .rightAngle].contains(token.kind)
    error(.unknownType, "a list cannot hold lists", at: start..<previousEnd)
    return nil
  }

  /// primitive: `ENCRYPTED`? encryptable | `ASSET` | `REFERENCE` | `NUMBER` (`PREFERRED AS` type)?
  private mutating func parsePrimitive() -> Primitive? {
    switch keyword ?? misspeltOpening {
    case .encrypted: return parseEncrypted()
    case .number: return parseNumber()
    case let keyword?:
      guard let primitive = keyword.primitive else { return reportUnknownType() }
      takeKeyword()
      return primitive
    case nil: return reportUnknownType()
    }
  }

  /// A misspelling of the first word of a type with several words.
  private var misspeltOpening: Keyword? {
    guard token.kind == .word, token.range.count <= 16 else { return nil }
    let next = peek()
    guard next.kind == .word, !next.startsLine, next.keyword?.index == nil,
      SQLSynonyms.types[text(token.range).uppercased()] == nil
    else { return nil }
    return [Keyword.encrypted, .number].first { isSlip(token, of: $0) }
  }

  private mutating func parseEncrypted() -> Primitive? {
    let start = token.range.lowerBound
    expectSpelt(.encrypted)
    if keyword == .list { return parseEncryptedList(from: start) }
    guard token.kind == .word else {
      error(
        .unknownType, "expected a type after ENCRYPTED, found \(found)", at: token.range, help: Self.typesHelp
      )
      return nil
    }
    let primitive = parsePrimitive()
    if case .plain(let type)? = primitive { return .encrypted(type) }
    guard let primitive else { return nil }
    let why = primitive == .asset ? "assets are encrypted by CloudKit already" : "the service must read it"
    error(
      .unknownType, "\(primitive) cannot be ENCRYPTED: \(why)", at: start..<previousEnd,
      fix: (start..<previousEnd, primitive.description))
    return primitive
  }

  /// `STRING ENCRYPTED`: reports it and reads it as it is meant.
  mutating func takeEncryptedAfterType(_ type: inout ParsedType) {
    guard keyword == .encrypted, !token.startsLine, peek().keyword?.startsType != true else { return }
    let range = type.range.lowerBound..<token.range.upperBound
    guard let wanted = type.type?.encrypted else {
      guard let plain = type.type else { return }
      error(
        .unknownType, "\(plain) cannot be ENCRYPTED", at: range, help: "leave ENCRYPTED out",
        fix: (range, plain.description))
      return advance()
    }
    error(
      .unknownType, "ENCRYPTED comes before the type, found '\(shown(range))'", at: range,
      help: "write \(wanted)", fix: (range, wanted.description))
    advance()
    type = (wanted, range)
  }

  /// `ENCRYPTED LIST<STRING>`
  private mutating func parseEncryptedList(from start: Int) -> Primitive? {
    error(
      .unknownType, "ENCRYPTED belongs to the elements of a list", at: start..<token.range.upperBound,
      help: "write LIST<ENCRYPTED STRING>, for example")
    skipToMember()
    return nil
  }

  private mutating func parseNumber() -> Primitive {
    expectSpelt(.number)
    guard keyword == .preferred || isSlip(token, of: .preferred) else { return .number(preferred: nil) }
    expectSpelt(.preferred)
    expectSpelt(.as)
    guard let type = keyword?.encryptable, type == .int64 || type == .double else {
      error(
        .unknownType, "expected INT64 or DOUBLE after PREFERRED AS, found \(found)", at: token.range,
        help: Self.numberHelp)
      if token.kind == .word { advance() }
      return .number(preferred: nil)
    }
    takeKeyword()
    return .number(preferred: type)
  }

  private mutating func reportUnknownType() -> Primitive? {
    let range = token.range
    let word = text(range)
    let meant = SQLSynonyms.types[word.uppercased()] ?? nearestType(to: word)
    advance()
    if token.kind == .leftParenthesis, !token.startsLine { _ = skipArguments() }
    // The arguments go with the wrong word: no type takes any.
    let whole = range.lowerBound..<previousEnd
    error(
      .unknownType, "'\(shown(range))' is not a type", at: range,
      help: meant.map { "did you mean \($0)?" }
        ?? Self.typesHelp,
      fix: meant.map { (whole, $0) })
    // The word is one too many, or the type of another language goes on, as in Array<STRING>.
    if meant == nil, keyword?.startsType == true || token.kind == .leftAngle || token.kind == .stray,
      !token.startsLine
    {
      skipToMember()
    }
    return meant.flatMap(Keyword.init(rawValue:)).flatMap(\.primitive)
  }

  /// `STRING(255)`, `REFERENCE(Category)`
  private mutating func reportArguments(of type: String) {
    let start = token.range.lowerBound
    guard skipArguments() else { return }
    let range = start..<previousEnd
    let isReference = type.uppercased() == Keyword.reference.rawValue
    error(
      .unknownType, "types take no argument: '\(shown(range))'", at: range,
      help: isReference
        ? "a schema does not say what a REFERENCE refers to" : "a schema does not limit lengths or values",
      fix: (range, ""))
  }

  /// Consumes the `(255)` of a `VARCHAR(255)`. False, without consuming anything, if it does not end on the line.
  mutating func skipArguments() -> Bool {
    var ahead = self
    repeat {
      ahead.advance()
      guard ahead.token.kind == .end || ahead.token.kind != .semicolon && !ahead.token.startsLine else {
        return false
      }
    } while ahead.token.kind != .rightParenthesis && ahead.token.kind != .end
    while token.kind != .end, token.range.lowerBound < ahead.token.range.upperBound { advance() }
    return true
  }

  private func nearestType(to word: String) -> String? {
    guard word.utf8.count <= 16 else { return nil }
    return SpellingSuggestion.nearest(to: word, among: Keyword.allCases.filter(\.startsType).map(\.rawValue))
  }
}

extension Keyword {
  fileprivate var primitive: Primitive? {
    switch self {
    case .asset: .asset
    case .reference: .reference
    case .number: .number(preferred: nil)
    default: encryptable.map(Primitive.plain)
    }
  }
}

extension DataType {
  /// The type with ENCRYPTED; `nil` if it has none.
  fileprivate var encrypted: DataType? {
    guard case .plain(let element) = primitive else { return nil }
    if case .list = self { return .list(.encrypted(element)) }
    return .scalar(.encrypted(element))
  }
}
