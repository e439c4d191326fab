internal import Diagnostics
internal import SchemaLanguage

/// The types of values, as far as the code shows them: what may be proposed for a field.
extension SwiftUseReader {
  /// The type of the field that an expression is written to.
  func writtenType(at start: Int) -> DataType? { valueType(at: start).flatMap(constants.types.dataType) }

  /// The type that a record's value is read as: by a cast, a default, or what it is given to.
  ///
  /// - Parameters:
  ///   - index: where the record stands.
  ///   - after: the place behind the value.
  func readType(from index: Int, to after: Int) -> DataType? {
    var end = after
    while tokens[end].isMark(of: "?!"), SwiftType.isJoined(tokens, end) { end += 1 }
    if tokens[end].word == "as" {
      let start = tokens[end + 1].isMark(of: "?!") ? end + 2 : end + 1
      guard let (type, behind) = SwiftType.named(tokens, at: start) else { return nil }
      if let known = constants.types.dataType(type) { return known }
      // `(record["done"] as? NSNumber)?.boolValue`
      var next = behind
      while tokens[next].isMark(of: ")?!") { next += 1 }
      guard type.name == "NSNumber", tokens[next].isMark(".") else { return nil }
      return tokens[next + 1].word.flatMap(SwiftType.member)?.dataType
    }
    if infix(at: end) == "??" {
      return expression(at: end + 2, level: 2).type.flatMap(constants.types.dataType)
    }
    return endsExpression(end) ? wantedType(before: index).flatMap(constants.types.dataType) : nil
  }

  /// The type of what an expression is given to: `let title: String = `, `self.date = `, `return `, `get {`.
  private func wantedType(before index: Int) -> SwiftType? {
    let start = pathStart(index)
    let before = tokens[start - 1]
    let isBody = before.isMark("{") && (scopes.declares("->") || tokens[start - 2].word == "get")
    if before.word == "return" || isBody, case .body(_, let type)? = scopes.variable("->") { return type }
    guard before.isMark("="), !tokens[start - 2].isMark(of: "=!<>") else { return nil }
    for place in stride(from: start - 2, to: start - 12, by: -1) {
      if let word = tokens[place].word, word == "let" || word == "var" {
        guard tokens[place + 2].isMark(":") else { return nil }
        return SwiftType.named(tokens, at: place + 3)?.type
      }
      if tokens[place].startsLine || tokens[place].isMark(of: "{};") { break }
    }
    return valueType(at: pathStart(start - 2))
  }

  /// Where `self.name`, of which a token is the end, begins.
  func pathStart(_ index: Int) -> Int {
    var start = index
    while tokens[start - 1].isMark("."), tokens[start - 2].word != nil { start -= 2 }
    return start
  }

  /// What a call of a database, whose bracket is at a place, gives, or gives to its closure.
  func given(by name: String?, _ open: Int) -> SwiftType? {
    guard let first = tokens[open + 1].word else { return nil }
    switch name {
    case "records" where first == "matching": return .results(valueType(at: open + 3)?.recordType)
    case "record" where first == "for", "fetch" where first == "withRecordID": return .record(nil)
    case "save", "perform":
      guard tokens[open + 2].isMark(of: "),"), let type = scopes.variable(first)?.type else { return nil }
      if name == "save" { return type.isRecord ? type : nil }
      return type.isQuery ? .record(type.recordType, isList: true) : nil
    default: return nil
    }
  }

  /// `decode([String: Int].self, from: data)`
  func decoded(by name: String, _ open: Int) -> SwiftType? {
    guard name.hasPrefix("decode"), let (type, end) = SwiftType.named(tokens, at: open + 1) else {
      return nil
    }
    let isType = tokens[end - 1].word == "self" || tokens[end + 1].word == "self"
    return isType ? type : nil
  }

  func operandStart(_ end: Int) -> Int {
    var start = end
    while true {
      let last = start - 1
      if tokens[last].isMark(of: "?!"), SwiftType.isJoined(tokens, last) {
        start = last
      } else if tokens[last].isMark(of: ")]}"), let open = tokens[last].outer {
        start = open
        // What stands before the bracket of a call, an index or a closure belongs to it.
        let isCall = (tokens[start].isMark("{") || SwiftType.isJoined(tokens, start))
        guard isCall, tokens[start - 1].word != nil || tokens[start - 1].isMark(of: ")]}?!") else { break }
      } else if tokens[last].word != nil {
        start = last
        guard tokens[start - 1].isMark("."), !tokens[start - 2].isMark(of: "([{,:=") else { break }
        start -= 1
      } else {
        break
      }
    }
    return start
  }

  /// The type of what a closure gets, whose brace is at a place: an element of `list.map {`, `list.first(where: {`.
  func closureElement(_ open: Int) -> SwiftType? {
    var place = open - 1
    if tokens[place].isMark(":") { place -= 2 }
    if tokens[place].isMark("(") { place -= 1 }
    guard let method = tokens[place].word, tokens[place - 1].isMark("."),
      Self.methodsOfElements.contains(method), let type = operandType(upTo: place - 1),
      type.isList || type.isRecord || type.isDictionary && type.value?.isRecord != true
    else { return nil }
    return type.isList ? type.element : type
  }

  private static let methodsOfElements: Set<String> = [
    "map", "compactMap", "flatMap", "forEach", "filter", "first", "last", "contains", "allSatisfy", "sorted",
    "sort", "min", "max", "removeAll", "prefix", "drop", "firstIndex", "lastIndex", "count",
  ]

  /// Whether a brace may be that of a closure: it belongs to no statement.
  func isClosure(_ open: Int) -> Bool {
    for place in stride(from: open - 1, through: max(0, open - 60), by: -1) {
      if tokens[place].isMark(of: "{};") { break }
      if let word = tokens[place].word, Self.statements.contains(word) { return false }
      if tokens[place].startsLine { break }
    }
    return true
  }

  private static let statements: Set<String> = [
    "if", "guard", "else", "for", "while", "switch", "do", "catch", "defer", "repeat",
  ]

  /// The type of a member of the types around, or of a name outside of types.
  func statedType(of name: String) -> SwiftType? {
    scopes.typeNames.lazy.compactMap { constants.types.type(of: name, in: $0) }.first
      ?? constants.types.type(of: name, in: nil)
  }

  func member(_ name: String, of type: SwiftType?) -> SwiftType? {
    let types = constants.types
    switch (name, type?.isResults) {
    case ("get", true): return .record(type?.recordType)
    case ("matchResults", true): return .results(type?.recordType, isList: true)
    case (_, true): return nil
    default: break
    }
    if name == "rawValue" { return type.flatMap { types.rawType(of: $0.name) } }
    if let type, let own = types.type(of: name, in: type.name) { return own }
    if name == "values", let value = type?.value, !value.isList { return SwiftType(value.name, isList: true) }
    if let known = SwiftType.member(name) { return known }
    // A case of an enum.
    if let type, types.rawType(of: type.name) != nil { return type }
    return type.flatMap(types.dataType) == nil ? types.type(of: name, in: "") : nil
  }

  /// - Parameter open: the bracket of the call's arguments or closure.
  func memberOfList(_ name: String, _ list: SwiftType, _ open: Int?, _ depth: Int) -> SwiftType? {
    switch name {
    case "first", "last", "randomElement", "min", "max": list.element
    case "filter", "sorted", "reversed", "prefix", "suffix", "dropFirst", "dropLast": list
    // Pairs are read as those of a dictionary.
    case "enumerated": .dictionary(of: list.element)
    case "map", "compactMap": open.flatMap { mapped($0, of: list.element, depth) }
    default: SwiftType.member(name)
    }
  }

  /// What `map` makes: `{ CKAsset(fileURL: $0) }`, `{ $0.name }`, `(\.name)`.
  func mapped(_ open: Int, of element: SwiftType?, _ depth: Int) -> SwiftType? {
    // `{ try? $0.1.get() }`
    let get = tokens[open].pair - 3
    if tokens[get].word == "get", element?.isResults ?? isResult(before: get) {
      return .record(element?.recordType, isList: true)
    }
    var start = open + 1
    if let named = tokens[start...].prefix(6).firstIndex(where: { $0.word == "in" }) { start = named + 1 }
    let result: SwiftType?
    if tokens[start].isMark("\\") || tokens[start].word?.hasPrefix("$") ?? false,
      let dot = tokens[start...].prefix(3).firstIndex(where: { $0.isMark(".") }),
      let name = tokens[dot + 1].word
    {
      result = member(name, of: element)
    } else {
      result = valueType(at: start, depth: depth - 1)
    }
    return result.flatMap { $0.isList ? nil : SwiftType($0.name, isList: true) }
  }
}
