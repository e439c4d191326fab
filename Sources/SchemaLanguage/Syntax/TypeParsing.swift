import Diagnostics

extension Parser {
  private static let typesHelp =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  /// The type to write for those of other languages.
  private static let replacements: [(type: Keyword, names: Set<String>)] = [
    (
      .int64,
      ["BOOL", "BOOLEAN", "INT", "INTEGER", "LONG", "BIGINT", "INT8", "INT16", "INT32", "UINT", "UINT64"]
    ),
    (.double, ["FLOAT", "REAL", "DECIMAL", "NUMERIC", "CGFLOAT"]),
    (.timestamp, ["DATE", "DATETIME", "TIME"]),
    (.string, ["UUID", "TEXT", "VARCHAR", "CHAR", "URL", "URI", "ENUM", "JSON"]),
    (.bytes, ["DATA", "BLOB", "BINARY", "TRANSFORMABLE"]), (.location, ["GEOPOINT", "POINT", "COORDINATE"]),
    (.asset, ["FILE", "IMAGE"]),
  ]
  private static let numberHelp = "a number is NUMBER PREFERRED AS INT64 or NUMBER PREFERRED AS DOUBLE"
  private static let listHelp = "a list stands around one type, as in LIST<STRING>"
  private static let openings = Keyword.allCases.filter { $0.startsType && $0 != .list }

  /// dataType: primitive | `LIST < primitive >`
  mutating func parseType(of field: String) throws(Skip) -> DataType {
    guard keyword == .list || keyword == nil && isSlip(token, of: .list) && peek().kind == .leftAngle else {
      return .scalar(try parsePrimitive("the type of '\(field)'"))
    }
    try expect(.list)
    guard take(.leftAngle) else {
      throw missing(.unknownType, "'<' after LIST", help: "write LIST<STRING>, for example")
    }
    let element = try parsePrimitive("the type of the list's elements")
    if !take(.rightAngle) {
      error(
        .punctuation, "missing '>' after the type of the list's elements", at: previousByte,
        fix: (previousEnd..<previousEnd, ">"))
    }
    return .list(element)
  }

  /// primitive: `ENCRYPTED`? encryptable | `ASSET` | `REFERENCE` | `NUMBER` (`PREFERRED AS` type)?
  private mutating func parsePrimitive(_ what: @autoclosure () -> String) throws(Skip) -> Primitive {
    switch try takeTypeWord(what()) {
    case .encrypted:
      let range = token.range
      let word = try takeTypeWord("a type after ENCRYPTED")
      guard let type = word.encryptable else {
        throw error(.unknownType, "\(word.rawValue) cannot be ENCRYPTED", at: range)
      }
      return .encrypted(type)
    case .number: return .number(preferred: try parsePreferredType())
    case .asset: return .asset
    case .reference: return .reference
    case let word:
      guard let type = word.encryptable else { throw Skip() }
      return .plain(type)
    }
  }

  /// `nil` without `PREFERRED AS`.
  private mutating func parsePreferredType() throws(Skip) -> Primitive.Encryptable? {
    guard keyword == .preferred || isSlip(token, of: .preferred) else { return nil }
    try expect(.preferred)
    try expect(.as, help: Self.numberHelp)
    let range = token.range
    let type = try takeTypeWord("INT64 or DOUBLE after PREFERRED AS").encryptable
    guard type == .int64 || type == .double else {
      throw error(
        .unknownType, "expected INT64 or DOUBLE after PREFERRED AS, found '\(text(range))'", at: range,
        help: Self.numberHelp)
    }
    return type
  }

  /// The type to write for one of another language, in capitals; `nil` for other words.
  static func type(insteadOf name: String) -> Keyword? {
    replacements.first { $0.names.contains(name) }?.type
  }

  /// The end of the type of another language at hand, with its size: `VARCHAR(20)`.
  private var endOfForeignType: Int {
    var ahead = lookahead()
    guard ahead.next().kind == .leftParenthesis else { return token.range.upperBound }
    while true {
      let next = ahead.next()
      if next.kind == .rightParenthesis { return next.range.upperBound }
      guard !next.startsLine, next.kind == .word || next.kind == .comma else { return token.range.upperBound }
    }
  }

  /// The word that a type other than a list begins with, or a misspelling of it.
  private mutating func takeTypeWord(_ what: @autoclosure () -> String) throws(Skip) -> Keyword {
    if let keyword, keyword.startsType, keyword != .list {
      takeKeyword()
      return keyword
    }
    let isNext = token.startsLine && beginsNext && meant(among: Self.openings) == nil
    guard token.kind == .word, ![.list, .grant].contains(keyword), keyword?.index == nil, !isNext else {
      throw missing(
        .unknownType, what(),
        help: keyword == .list || isStray("[")
          ? Self.listHelp
          : keyword?.index == nil
            ? Self.typesHelp : "the type comes before its options, as in title STRING QUERYABLE")
    }
    let problem = "'\(shown(token.range))' is not a type"
    let name = token.range.count <= 16 ? text(token.range).uppercased() : ""
    if let instead = Self.type(insteadOf: name) {
      let end = endOfForeignType
      error(
        .unknownType, problem, at: token.range,
        help: "write \(instead.rawValue)\(name.hasPrefix("BOOL") ? ", as 0 or 1" : "")",
        fix: (token.range.lowerBound..<end, instead.rawValue))
      while token.range.lowerBound < end { advance() }
      return instead
    }
    guard let meant = meant(among: Self.openings) else {
      throw error(.unknownType, problem, at: token.range, help: Self.typesHelp)
    }
    correct(.unknownType, problem, to: meant.rawValue)
    return meant
  }
}
