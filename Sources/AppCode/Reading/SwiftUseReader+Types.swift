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
    while end < tokens.count, tokens[end].isMark(of: "?!"), SwiftType.isJoined(tokens, end) { end += 1 }
    if end + 2 < tokens.count, tokens[end].word == "as" {
      let start = tokens[end + 1].isMark(of: "?!") ? end + 2 : end + 1
      guard let (type, behind) = SwiftType.named(tokens, at: start) else { return nil }
      if let known = constants.types.dataType(type) { return known }
      // `(record["done"] as? NSNumber)?.boolValue`
      var next = behind
      while next + 1 < tokens.count, tokens[next].isMark(of: ")?!") { next += 1 }
      guard type.name == "NSNumber", next + 1 < tokens.count, tokens[next].isMark(".") else { return nil }
      return tokens[next + 1].word.flatMap(SwiftType.member)?.dataType
    }
    if end + 2 < tokens.count, tokens[end].isMark("?"), tokens[end + 1].isMark("?") {
      return writtenType(at: end + 2)
    }
    return endsExpression(end) ? wantedType(before: index).flatMap(constants.types.dataType) : nil
  }

  /// The type of what an expression is given to: `let title: String = `, `self.date = `, `return `, `get {`.
  private func wantedType(before index: Int) -> SwiftType? {
    let start = pathStart(index)
    guard start > 1 else { return nil }
    let before = tokens[start - 1]
    let isBody = before.isMark("{") && (scopes.declares("->") || tokens[start - 2].word == "get")
    if before.word == "return" || isBody, case .body(_, let type)? = scopes.variable("->") { return type }
    guard before.isMark("="), !tokens[start - 2].isMark(of: "=!<>") else { return nil }
    for place in stride(from: start - 2, to: max(-1, start - 12), by: -1) {
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
    while start > 1, tokens[start - 1].isMark("."), tokens[start - 2].word != nil { start -= 2 }
    return start
  }

  /// The type of the value of an expression.
  ///
  /// - Parameter depth: how many expressions may be in one another.
  func valueType(at start: Int, depth: Int = 8) -> SwiftType? {
    var place = start
    while place < tokens.count, let word = tokens[place].word, ["try", "await"].contains(word) {
      place += 1
      if place < tokens.count, tokens[place].isMark(of: "?!") { place += 1 }
    }
    guard depth > 0, place < tokens.count else { return nil }
    if tokens[place].isMark("!") { return SwiftType("Bool") }
    var (type, end) = operand(at: place, depth)
    while end + 1 < tokens.count {
      let (token, next) = (tokens[end], tokens[end + 1])
      if token.word == "as" {
        // Of a cast to a type of Objective-C, such as CKRecordValue, the value stays what it is.
        guard let cast = SwiftType.named(tokens, at: next.isMark(of: "?!") ? end + 2 : end + 1) else {
          return type
        }
        let isOfRecords = cast.type.name == "CKRecord" && type?.name != "CKRecord"
        let isOther = cast.type.isDictionary || !cast.type.isOpen && type?.isOpen ?? true
        if isOfRecords || isOther || constants.types.dataType(cast.type) != nil { type = cast.type }
        end = cast.end
      } else if token.isMark("?") {
        if next.isMark("?") { return type ?? valueType(at: end + 2, depth: depth - 1) }
        let first = valueType(at: end + 1, depth: depth - 1)
        return first ?? alternative(after: end + 1).flatMap { valueType(at: $0, depth: depth - 1) }
      } else if token.isMark(of: "<>&|") && !SwiftType.isJoined(tokens, end)
        || token.isMark(of: "=!") && next.isMark("=")
      {
        return SwiftType("Bool")
      } else if token.isMark(of: "+-*/"), !next.isMark("=") {
        let other = valueType(at: end + 1, depth: depth - 1)
        return other?.name == "Double" ? other : type ?? other
      } else {
        return type
      }
    }
    return type
  }

  /// The place behind the colon of `condition ? first : second`.
  private func alternative(after index: Int) -> Int? {
    var depth = 0
    for place in index..<min(tokens.count, index + 60) {
      if tokens[place].isMark(of: "([{") { depth += 1 }
      if tokens[place].isMark(of: ")]}") { depth -= 1 }
      if depth < 0 { return nil }
      if depth == 0, tokens[place].isMark(":") { return place + 1 }
    }
    return nil
  }

  /// A value with its members and calls: `note.tags.map { $0.name }`, and the index behind it.
  private func operand(
    at start: Int, _ depth: Int, upTo limit: Int = .max
  ) -> (type: SwiftType?, end: Int) {
    var (type, end) = primary(at: start, depth)
    while end + 1 < tokens.count, end < limit {
      let token = tokens[end]
      if token.isMark("."), let name = tokens[end + 1].word {
        end += 2
        let open = end < tokens.count && (tokens[end].isMark("(") || tokens[end].isMark("{")) ? end : nil
        if let list = type, list.isList {
          type = memberOfList(name, list, open, depth)
          if let open, tokens[open].isMark("{") { end = SwiftType.closing(tokens, of: open) + 1 }
        } else if let given = open.flatMap({ given(by: name, $0) }) {
          type = given
        } else if let open, let decoded = decoded(by: name, open) {
          type = decoded
        } else if type == nil, name.hasSuffix("map") || name.hasSuffix("Map"), let open {
          type = mapped(open, of: nil, depth)
          if tokens[open].isMark("{") { end = SwiftType.closing(tokens, of: open) + 1 }
        } else {
          type = member(name, of: type)
        }
      } else if token.isMark("."), type?.isResults ?? false {
        // `$0.1`
        end += 2
      } else if token.isMark(of: "?!"), SwiftType.isJoined(tokens, end) {
        end += 1
      } else if token.isMark("("), SwiftType.isJoined(tokens, end) {
        end = SwiftType.closing(tokens, of: end) + 1
      } else if token.isMark("["), SwiftType.isJoined(tokens, end) {
        type = type?.isList ?? false ? type?.element : type?.value
        end = SwiftType.closing(tokens, of: end) + 1
      } else {
        break
      }
    }
    return (type, end)
  }

  /// What a call of a database, whose bracket is at a place, gives, or gives to its closure.
  func given(by name: String?, _ open: Int) -> SwiftType? {
    guard open + 3 < tokens.count, let first = tokens[open + 1].word else { return nil }
    switch name {
    case "records" where first == "matching": return .results(queryType(at: open + 3))
    case "record" where first == "for", "fetch" where first == "withRecordID": return .record(nil)
    case "save" where tokens[open + 2].isMark(of: "),"):
      if case .record(let type)? = scopes.variable(first) { return .record(type) }
    case "perform" where tokens[open + 2].isMark(of: "),"):
      if case .query(let type)? = scopes.variable(first) { return .record(type, isList: true) }
    default: break
    }
    return nil
  }

  /// `decode([String: Int].self, from: data)`
  private func decoded(by name: String, _ open: Int) -> SwiftType? {
    guard name.hasPrefix("decode"), let (type, end) = SwiftType.named(tokens, at: open + 1) else {
      return nil
    }
    let isType = tokens[end - 1].word == "self" || end + 1 < tokens.count && tokens[end + 1].word == "self"
    return isType ? type : nil
  }

  /// Where an expression of one value with its members and calls ends.
  func expressionEnd(_ start: Int) -> Int? { start < tokens.count ? operand(at: start, 8).end : nil }

  /// The type of the value that ends before a token: `records.first!`.
  func operandType(upTo end: Int) -> SwiftType? {
    let start = operandStart(end)
    guard start < end else { return nil }
    let found = operand(at: start, 8, upTo: end)
    return found.end == end ? found.type : nil
  }

  func operandStart(_ end: Int) -> Int {
    var start = end
    while start > 0 {
      let last = start - 1
      if tokens[last].isMark(of: "?!"), SwiftType.isJoined(tokens, last) {
        start = last
      } else if tokens[last].isMark(of: ")]}") {
        start = opening(before: last) ?? 0
        // What stands before the bracket of a call, an index or a closure belongs to it.
        let isCall = start > 0 && (tokens[start].isMark("{") || SwiftType.isJoined(tokens, start))
        guard isCall, tokens[start - 1].word != nil || tokens[start - 1].isMark(of: ")]}?!") else { break }
      } else if tokens[last].word != nil {
        start = last
        guard start > 1, tokens[start - 1].isMark("."), !tokens[start - 2].isMark(of: "([{,:=") else { break }
        start -= 1
      } else {
        break
      }
    }
    return start
  }

  /// The place of the bracket that is open before a token, which may be the one that the token closes.
  func opening(before end: Int) -> Int? {
    var depth = 0
    for place in stride(from: end - 1, through: 0, by: -1) {
      if tokens[place].isMark(of: ")]}") { depth += 1 }
      if tokens[place].isMark(of: "([{") { depth -= 1 }
      if depth < 0 { return place }
    }
    return nil
  }

  /// The type of what a closure gets, whose brace is at a place: an element of `list.map {`, `list.first(where: {`.
  func closureElement(_ open: Int) -> SwiftType? {
    var place = open - 1
    if place > 1, tokens[place].isMark(":") { place -= 2 }
    if place > 0, tokens[place].isMark("(") { place -= 1 }
    guard place > 1, let method = tokens[place].word, tokens[place - 1].isMark("."),
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

  private func primary(at start: Int, _ depth: Int) -> (type: SwiftType?, end: Int) {
    if let made = SwiftType.made(tokens, at: start) {
      guard made.type.isRecord, let (label, argument) = firstArgument(of: start), label == "recordType" else {
        return (made.type, made.end)
      }
      return (SwiftType.record(text(at: argument)), made.end)
    }
    if tokens[start].isMark("(") {
      return (valueType(at: start + 1, depth: depth - 1), SwiftType.closing(tokens, of: start) + 1)
    }
    if tokens[start].isMark("[") {
      let element = valueType(at: start + 1, depth: depth - 1).flatMap { $0.isList ? nil : $0 }
      return (
        element.map { SwiftType($0.name, isList: true) }, SwiftType.closing(tokens, of: start) + 1
      )
    }
    guard let name = tokens[start].word else { return (nil, start + 1) }
    if name == "self" || name == "Self" { return (scopes.typeName.map { SwiftType($0) }, start + 1) }
    switch scopes.variable(name) {
    case .value(let type)?: return (type, start + 1)
    case .record(let type)?: return (SwiftType.record(type), start + 1)
    case .text?: return (SwiftType("String"), start + 1)
    case _?: return (nil, start + 1)
    case nil: break
    }
    let known = statedType(of: name)
    return (known ?? (name.first?.isUppercase ?? false ? SwiftType(name) : nil), start + 1)
  }

  /// The type of a member of the types around, or of a name outside of types.
  func statedType(of name: String) -> SwiftType? {
    scopes.typeNames.lazy.compactMap { constants.types.type(of: name, in: $0) }.first
      ?? constants.types.type(of: name, in: nil)
  }

  private func member(_ name: String, of type: SwiftType?) -> SwiftType? {
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
  private func memberOfList(_ name: String, _ list: SwiftType, _ open: Int?, _ depth: Int) -> SwiftType? {
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
  private func mapped(_ open: Int, of element: SwiftType?, _ depth: Int) -> SwiftType? {
    guard open + 3 < tokens.count else { return nil }
    // `{ try? $0.1.get() }`
    let get = SwiftType.closing(tokens, of: open) - 3
    if tokens[get].word == "get", element?.isResults ?? isResult(before: get) {
      return .record(element?.recordType, isList: true)
    }
    var start = open + 1
    if let named = tokens[start...].prefix(6).firstIndex(where: { $0.word == "in" }) { start = named + 1 }
    let result: SwiftType?
    if tokens[start].isMark("\\") || tokens[start].word?.hasPrefix("$") ?? false,
      let dot = tokens[start...].prefix(3).firstIndex(where: { $0.isMark(".") }), dot + 1 < tokens.count,
      let name = tokens[dot + 1].word
    {
      result = member(name, of: element)
    } else {
      result = valueType(at: start, depth: depth - 1)
    }
    return result.flatMap { $0.isList ? nil : SwiftType($0.name, isList: true) }
  }
}
