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

  /// What an expression gives.
  struct Expression {
    /// The type of its result; `nil` where the code does not show it.
    var type: SwiftType?
    /// Where the values begin that it may be, as with `?:` and `??`, or that it joins with `+`; none for another result.
    var values: [Int] = []
    /// The index behind it.
    var end: Int

    /// What is either this or another expression, which follows.
    func or(_ other: Self) -> Self {
      Self(type: SwiftType.common([type, other.type]), values: values + other.values, end: other.end)
    }
  }

  /// The type of the result of an expression.
  func valueType(at start: Int, depth: Int = 8) -> SwiftType? { expression(at: start, depth: depth).type }

  /// - Parameters:
  ///   - level: 1 leaves out `?:` behind a value, 2 also comparisons, and 3 also `??`.
  ///   - depth: how many expressions may be in one another.
  func expression(at start: Int, level: Int = 0, depth: Int = 8) -> Expression {
    var found = prefixed(at: start, depth)
    while depth > 0 {
      let symbol = infix(at: found.end)
      let next = found.end + symbol.utf8.count
      switch symbol {
      case "?" where level == 0:
        let first = expression(at: next, depth: depth - 1)
        guard tokens[first.end].isMark(":") else { return Expression(end: first.end) }
        return first.or(expression(at: first.end + 1, depth: depth - 1))
      case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "||", "~=":
        guard level < 2 else { return found }
        found = Expression(type: SwiftType("Bool"), end: expression(at: next, level: 2, depth: depth).end)
      case "??":
        guard level < 3 else { return found }
        found = found.or(expression(at: next, level: 3, depth: depth))
      case "+", "-", "*", "/", "%", "&+", "&-", "&*", "<<", ">>", "&", "|", "^":
        let other = prefixed(at: next, depth)
        found = Expression(
          type: SwiftType.sum(found.type, other.type),
          values: symbol == "+" ? found.values + other.values : [], end: other.end)
      case "" where ["as", "is"].contains(tokens[next].word):
        let start = tokens[next + 1].isMark(of: "?!") ? next + 2 : next + 1
        guard let named = SwiftType.named(tokens, at: start) else { return found }
        found.end = named.end
        if tokens[next].word == "is" { (found.type, found.values) = (SwiftType("Bool"), []) }
        if tokens[next].word == "as" { found.type = cast(found.type, to: named.type) }
      case "", "?": return found
      default: found = Expression(end: prefixed(at: next, depth).end)
      }
    }
    return found
  }

  /// Of a cast to a type of Objective-C, such as CKRecordValue, the value stays what it is.
  private func cast(_ type: SwiftType?, to cast: SwiftType) -> SwiftType? {
    let isOfRecords = cast.name == "CKRecord" && type?.name != "CKRecord"
    let isOther = cast.isDictionary || !cast.isOpen && type?.isOpen ?? true
    return isOfRecords || isOther || constants.types.dataType(cast) != nil ? cast : type
  }

  /// The operator between two values that begins at a place; empty for anything else.
  private func infix(at index: Int) -> String {
    let run = tokens[index...].prefix(3).indices.prefix {
      tokens[$0].isMark(of: "=!<>&|+-*/%^~?.") && ($0 == index || SwiftType.isJoined(tokens, $0))
    }
    guard !run.isEmpty else { return "" }
    let text = String(decoding: run.flatMap { source.bytes[tokens[$0].range] }, as: UTF8.self)
    if text.hasPrefix("?") { return text.hasPrefix("??") ? "??" : "?" }
    let isPrefix = tokens[index].startsLine && SwiftType.isJoined(tokens, index + run.count)
    let isAssignment = text.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(text)
    return isPrefix || isAssignment || text == "." || text == "->" ? "" : text
  }

  /// A value with what stands before it: `try`, `!`, `-`.
  private func prefixed(at start: Int, _ depth: Int) -> Expression {
    var place = start
    while let word = tokens[place].word, ["try", "await"].contains(word) {
      place += 1
      if tokens[place].isMark(of: "?!") { place += 1 }
    }
    guard depth > 0, !tokens[place].isEdge else { return Expression(end: place) }
    if tokens[place].isMark(of: "!-+~&") {
      let (type, end) = operand(at: place + 1, depth)
      return Expression(type: tokens[place].isMark("!") ? SwiftType("Bool") : type, end: end)
    }
    // What `if` and `switch` give is not followed.
    if ["if", "switch"].contains(tokens[place].word) {
      let open = tokens[place...].prefix(60).firstIndex { $0.isMark("{") }
      return Expression(end: open.map { SwiftType.closing(tokens, of: $0) + 1 } ?? place + 1)
    }
    let (type, end) = operand(at: place, depth)
    if tokens[place].isMark("("), end == SwiftType.closing(tokens, of: place) + 1 {
      let inner = expression(at: place + 1, depth: depth - 1)
      if inner.end == end - 1 { return Expression(type: inner.type, values: inner.values, end: end) }
    }
    return Expression(type: type, values: [place], end: end)
  }

  /// A value with its members and calls: `note.tags.map { $0.name }`, and the index behind it.
  private func operand(at start: Int, _ depth: Int, upTo limit: Int = .max) -> (type: SwiftType?, end: Int) {
    var (type, end) = primary(at: start, depth)
    while end < limit {
      let token = tokens[end]
      if token.isMark("."), let name = tokens[end + 1].word {
        end += 2
        let open = (tokens[end].isMark("(") || tokens[end].isMark("{")) ? end : nil
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
      } else if token.isMark("."), type?.isResults ?? false, !tokens[end + 1].isEdge {
        // `$0.1`
        end += 2
      } else if token.isMark(of: "?!"), SwiftType.isJoined(tokens, end), infix(at: end) != "!=" {
        end += 1
      } else if token.isMark("("), SwiftType.isJoined(tokens, end) {
        end = SwiftType.closing(tokens, of: end) + 1
      } else if token.isMark("["), SwiftType.isJoined(tokens, end) {
        let close = SwiftType.closing(tokens, of: end)
        // `tags[0..<2]` is a list.
        if !(end..<close).contains(where: { tokens[$0].isMark(".") && tokens[$0 + 1].isMark(".") }) {
          type = type?.isList ?? false ? type?.element : type?.value
        }
        end = close + 1
      } else {
        break
      }
    }
    // What `.name` and `\.name` are depends on what is wanted.
    return (tokens[start].isMark(of: ".\\") ? nil : type, end)
  }

  /// What a call of a database, whose bracket is at a place, gives, or gives to its closure.
  func given(by name: String?, _ open: Int) -> SwiftType? {
    guard let first = tokens[open + 1].word else { return nil }
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
    let isType = tokens[end - 1].word == "self" || tokens[end + 1].word == "self"
    return isType ? type : nil
  }

  /// Where an expression of one value with its members and calls ends.
  func expressionEnd(_ start: Int) -> Int? { tokens[start].isEdge ? nil : operand(at: start, 8).end }

  /// The type of the value that ends before a token: `records.first!`.
  func operandType(upTo end: Int) -> SwiftType? {
    let start = operandStart(end)
    guard start < end else { return nil }
    let found = operand(at: start, 8, upTo: end)
    return found.end == end ? found.type : nil
  }

  func operandStart(_ end: Int) -> Int {
    var start = end
    while true {
      let last = start - 1
      if tokens[last].isMark(of: "?!"), SwiftType.isJoined(tokens, last) {
        start = last
      } else if tokens[last].isMark(of: ")]}") {
        start = opening(before: last) ?? 0
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

  private func primary(at start: Int, _ depth: Int) -> (type: SwiftType?, end: Int) {
    if let made = SwiftType.made(tokens, at: start) {
      guard made.type.isRecord, let (label, argument) = firstArgument(of: start), label == "recordType" else {
        return (made.type, made.end)
      }
      return (SwiftType.record(text(at: argument)), made.end)
    }
    if tokens[start].isMark(of: "({[") {
      let close = SwiftType.closing(tokens, of: start)
      // What a closure gives, or a tuple, is another value.
      guard !tokens[start].isMark("{") else { return (nil, close + 1) }
      if tokens[start + 1].isMark(":") { return (.dictionary(of: nil), close + 1) }
      let inner = expression(at: start + 1, depth: depth - 1)
      guard tokens[start].isMark("[") else { return (inner.end == close ? inner.type : nil, close + 1) }
      if tokens[inner.end].isMark(":") {
        return (.dictionary(of: valueType(at: inner.end + 1, depth: depth - 1)), close + 1)
      }
      let element = SwiftType.common(elements(of: start).map { valueType(at: $0, depth: depth - 1) })
      return (element.flatMap { $0.isList ? nil : SwiftType($0.name, isList: true) }, close + 1)
    }
    if tokens[start].isMark(".") { return (nil, start) }
    guard let name = tokens[start].word else { return (nil, start + 1) }
    if name == "self" || name == "Self" { return (scopes.typeName.map { SwiftType($0) }, start + 1) }
    switch scopes.variable(name) {
    case .value(let type)?: return (type, start + 1)
    case .record(let type)?: return (SwiftType.record(type), start + 1)
    case .text?: return (SwiftType("String"), start + 1)
    case .keys?: return (SwiftType("String", isList: true), start + 1)
    case .predicate?: return (SwiftType("NSPredicate"), start + 1)
    case .sorts?: return (SwiftType("NSSortDescriptor"), start + 1)
    case _?: return (nil, start + 1)
    case nil: break
    }
    let isType = name.first?.isUppercase ?? false
    let generics = isType && tokens[start + 1].isMark("<") && SwiftType.isJoined(tokens, start + 1)
    return (
      statedType(of: name) ?? (isType ? SwiftType(name) : nil),
      generics ? SwiftType.closingGenerics(tokens, of: start + 1) + 1 : start + 1
    )
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
    // `{ try? $0.1.get() }`
    let get = SwiftType.closing(tokens, of: open) - 3
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
