internal import Diagnostics
internal import SchemaLanguage

/// What the expressions at a place of the code may be, and of which type they are.
extension SwiftUseReader {
  /// A value that an expression may be.
  struct Value: Equatable {
    /// Empty where a value begins that cannot be followed.
    let range: Range<Int>
    /// The names of the pattern before it, which hide others.
    var hidden: [String] = []
  }

  /// What an expression gives.
  struct Expression {
    /// The type of its result; `nil` where the code does not show it.
    var type: SwiftType?
    /// What it may be, as with `??` and `switch`: each is one value, or several with `+`. None for another result.
    var values: [[Value]] = []
    /// The index behind it.
    var end: Int

    /// What is either this or another expression, which follows.
    func or(_ other: Self) -> Self {
      Self(type: SwiftType.common([type, other.type]), values: values + other.values, end: other.end)
    }
  }

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
        let isSmall = symbol == "+" && found.values.count * other.values.count <= 32
        found = Expression(
          type: SwiftType.sum(found.type, other.type),
          values: isSmall ? found.values.flatMap { first in other.values.map { first + $0 } } : [],
          end: other.end)
      case "" where ["as", "is"].contains(tokens[next].word):
        let start = tokens[next + 1].isMark(of: "?!") ? next + 2 : next + 1
        guard let named = tokens.type(at: start) else { return found }
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
    if isOfRecords || isOther || constants.types.dataType(cast) != nil { return cast }
    // A text is neither a list nor a number.
    let isWrong =
      cast.name == "NSArray" && type?.isList == false || cast.name == "NSNumber" && type?.dataType == .string
    return isWrong ? nil : type
  }

  /// The operator between two values that begins at a place; empty for anything else.
  func infix(at index: Int) -> String {
    let run = tokens[index...].prefix(3).indices.prefix {
      tokens[$0].isMark(of: "=!<>&|+-*/%^~?.") && ($0 == index || tokens.isJoined($0))
    }
    guard !run.isEmpty else { return "" }
    let text = String(decoding: run.flatMap { source.bytes[tokens[$0].range] }, as: UTF8.self)
    if text.hasPrefix("?") { return text.hasPrefix("??") ? "??" : "?" }
    let isPrefix = tokens[index].startsLine && tokens.isJoined(index + run.count)
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
    let isSigned = tokens[place].isMark(of: "!-+~&")
    let first = isSigned ? place + 1 : place
    // A closing bracket begins no value: `()` is empty.
    guard depth > 0, !tokens[first].isEdge, !tokens[first].isMark(of: ")]}") else {
      return Expression(end: first)
    }
    if ["if", "switch"].contains(tokens[first].word) { return choice(at: first, depth - 1) }
    let (type, end) = operand(at: first, depth)
    if isSigned { return Expression(type: tokens[place].isMark("!") ? SwiftType("Bool") : type, end: end) }
    if tokens[place].isMark("("), end == tokens[place].pair + 1 {
      let inner = expression(at: place + 1, depth: depth - 1)
      if inner.end == end - 1 { return Expression(type: inner.type, values: inner.values, end: end) }
    }
    return Expression(type: type, values: [[Value(range: place..<end)]], end: end)
  }

  // MARK: Branches

  /// What `if` or `switch` gives as an expression: the values of its branches.
  private func choice(at start: Int, _ depth: Int) -> Expression {
    guard var open = tokens.brace(after: start) else { return Expression(end: start + 1) }
    var end = tokens[open].pair + 1
    var branches: [Expression?] = []
    if tokens[start].word == "switch" {
      let labels = self.labels(in: open)
      for (label, next) in zip(labels, labels.dropFirst() + [end - 1]) {
        let colon = (label..<next).first { tokens[$0].isMark(":") && tokens[$0].outer == open } ?? label
        branches.append(branch(colon + 1, upTo: next, behind: label, depth))
      }
    } else {
      var place = start
      branches.append(branch(open + 1, upTo: end - 1, behind: place, depth))
      while tokens[end].word == "else", let next = tokens.brace(after: end) {
        (place, open) = (end, next)
        end = tokens[open].pair + 1
        branches.append(branch(open + 1, upTo: end - 1, behind: place, depth))
      }
      // Without `else` it is a statement.
      guard open == place + 1 else { return Expression(end: end) }
    }
    let known = branches.compactMap(\.self)
    var type = SwiftType.common(known.map(\.type))
    if type?.isRecord ?? false, known.contains(where: { $0.type == nil }) { type = .record(nil) }
    return Expression(type: type, values: known.flatMap(\.values), end: end)
  }

  /// Where `case` or `default` begins a branch.
  private func labels(in open: Int) -> [Int] {
    (open..<tokens[open].pair).filter { place in
      tokens[place].outer == open && ["case", "default"].contains(tokens[place].word)
        && !tokens[place - 1].isMark(of: ".,") && !["if", "guard", "for"].contains(tokens[place - 1].word)
    }
  }

  /// The value of a branch; `nil` for one that leaves instead.
  ///
  /// - Parameter label: where its condition or its pattern begins.
  private func branch(_ start: Int, upTo end: Int, behind label: Int, _ depth: Int) -> Expression? {
    let leaving = ["throw", "return", "fatalError", "preconditionFailure", "break", "continue"]
    guard !leaving.contains(tokens[start].word ?? "") else { return nil }
    let names = tokens[label..<start].drop { $0.word != "let" && $0.word != "var" }.compactMap(\.word)
    var found = hiding(names).expression(at: start, depth: depth)
    let behind = tokens[found.end].isMark(of: ";@") ? found.end + 1 : found.end
    guard behind == end || tokens[behind].word == "unknown" && behind + 1 == end else {
      return Expression(values: [[Value(range: start..<start)]], end: end)
    }
    found.values = found.values.map { $0.map { Value(range: $0.range, hidden: $0.hidden + names) } }
    return found
  }

  /// The reader where names hide others.
  func hiding(_ names: [String]) -> SwiftUseReader {
    guard !names.isEmpty else { return self }
    var reader = self
    for name in names { reader.scopes.set(name, .other) }
    return reader
  }

  // MARK: Values

  /// A value with its members and calls: `note.tags.map { $0.name }`, and the index behind it.
  private func operand(at start: Int, _ depth: Int, upTo limit: Int = .max) -> (type: SwiftType?, end: Int) {
    var (type, end) = primary(at: start, depth)
    let isMade = end > start
    while end < limit {
      let token = tokens[end]
      if token.isMark("."), let name = tokens[end + 1].word {
        end += 2
        let open = (tokens[end].isMark("(") || tokens[end].isMark("{")) ? end : nil
        let isTrailing = open.map { tokens[$0].isMark("{") } ?? false
        let close = open.map { tokens[$0].pair + 1 }
        if let own = type.flatMap({ constants.types.type(of: name, in: $0.name) }) {
          type = own
        } else if let list = type, list.element != nil {
          type = memberOfList(name, list, open, depth)
          if isTrailing, let close { end = close }
        } else if let given = open.flatMap({ given(by: name, $0) }) {
          type = given
        } else if let open, let decoded = decoded(by: name, open) {
          type = decoded
        } else if let open, name == "compactMap" || type != nil && ["map", "flatMap"].contains(name) {
          // That of an optional value gives one value.
          let result = mapped(open, of: type, depth)
          type = type == nil ? result.map(SwiftType.list) : result
          if isTrailing, let close { end = close }
        } else {
          type = member(name, of: type)
        }
      } else if token.isMark("."), case .number = tokens[end + 1].kind, tokens.isJoined(end + 1) {
        // `$0.1`
        type = type?.part(String(decoding: source.bytes[tokens[end + 1].range], as: UTF8.self))?.type
        end += 2
      } else if token.isMark(of: "?!"), tokens.isJoined(end), infix(at: end) != "!=" {
        end += 1
      } else if token.isMark("("), tokens.isJoined(end) {
        type = ownType(ofCall: end) ?? type
        end = tokens[end].pair + 1
      } else if token.isMark("["), tokens.isJoined(end) {
        let close = tokens[end].pair
        // `tags[0..<2]` is a list.
        if !(end..<close).contains(where: { tokens[$0].isMark(".") && tokens[$0 + 1].isMark(".") }) {
          type = type?.isDictionary ?? false ? type?.value : type?.element
        }
        end = close + 1
      } else {
        break
      }
    }
    // What `.name` and `\.name` are depends on what is wanted.
    return (tokens[start].isMark("\\") || tokens[start].isMark(".") && !isMade ? nil : type, end)
  }

  private func primary(at start: Int, _ depth: Int) -> (type: SwiftType?, end: Int) {
    if ["Array", "Set", "zip"].contains(tokens[start].word), tokens[start + 1].isMark("(") {
      let lists = tokens.arguments(in: start + 1).map { valueType(at: $0, depth: depth - 1)?.element }
      let pair = SwiftType.tuple(lists.map { SwiftType.Part(type: $0) })
      let element = tokens[start].word == "zip" ? pair : lists.first.flatMap(\.self)
      return (element.map(SwiftType.list), tokens[start + 1].pair + 1)
    }
    if let (type, end) = tokens.madeType(at: start) {
      let isOfRecords = type.isRecord || type.isQuery
      return (isOfRecords ? SwiftType(type.name, of: recordType(ofCall: start)) : type, end)
    }
    if tokens[start].isMark(of: "({[") {
      let close = tokens[start].pair
      // What a closure gives, or a tuple, is another value.
      guard !tokens[start].isMark("{") else { return (nil, close + 1) }
      if tokens[start + 1].isMark(":") { return (.dictionary(of: nil), close + 1) }
      let elements = tokens.arguments(in: start)
      if tokens[start].isMark("("), elements.count > 1 {
        let parts = elements.map(tokens.labeled).map {
          SwiftType.Part(label: $0.label, type: valueType(at: $0.value, depth: depth - 1))
        }
        return (.tuple(parts), close + 1)
      }
      let inner = expression(at: start + 1, depth: depth - 1)
      guard tokens[start].isMark("[") else { return (inner.end == close ? inner.type : nil, close + 1) }
      if tokens[inner.end].isMark(":") {
        return (.dictionary(of: valueType(at: inner.end + 1, depth: depth - 1)), close + 1)
      }
      let element = SwiftType.common(elements.map { valueType(at: $0, depth: depth - 1) })
      return (element.map(SwiftType.list), close + 1)
    }
    if tokens[start].isMark(".") {
      // `.init(recordType: "Note")` is a record or a query where one is wanted.
      guard tokens[start + 1].word == "init", tokens[start + 2].isMark("(") else { return (nil, start) }
      let isOfRecord = firstArgument(of: start + 1)?.label == "recordType"
      let isOfQuery =
        tokens.argument("predicate", from: start + 3) != nil
        || typeArgument(of: start + 1).flatMap(recordType(ofType:)) != nil
      let name = isOfQuery ? "CKQuery" : isOfRecord ? "CKRecord" : nil
      return (
        name.map { SwiftType($0, of: recordType(ofCall: start + 1)) },
        tokens[start + 2].pair + 1
      )
    }
    guard let name = tokens[start].word else { return (nil, start + 1) }
    if name == "self" || name == "Self" { return (scopes.typeName.map { SwiftType($0) }, start + 1) }
    if let variable = scopes.variable(name) { return (variable.type, start + 1) }
    let isType = name.first?.isUppercase ?? false
    let generics = isType && tokens[start + 1].isMark("<") && tokens.isJoined(start + 1)
    return (
      statedType(of: name) ?? (isType ? SwiftType(name) : nil),
      generics ? tokens.closingGenerics(of: start + 1) + 1 : start + 1
    )
  }

  /// The record type that a call names: `CKRecord(recordType: "Note")`, `CKQueryOperation(query: query)`,
  /// `CKQuery(Note.self, where: filters)`.
  private func recordType(ofCall call: Int) -> String? {
    if let type = typeArgument(of: call) { return recordType(ofType: type) }
    if let own = ownType(ofCall: tokens[call + 1].isMark(".") ? call + 3 : call + 1) { return own.recordType }
    guard let (label, argument) = firstArgument(of: call) else { return nil }
    return label == "query"
      ? valueType(at: argument)?.recordType : label == "recordType" ? text(at: argument) : nil
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

  func endsExpression(_ index: Int) -> Bool {
    let token = tokens[index]
    return token.isMark(of: "),;}]") || token.isEdge || token.word == "as"
      || token.startsLine && (token.word != nil || token.isMark(of: "@{"))
  }

  /// The type of a literal or of a framework's value, where nothing follows that makes another value of it.
  func dataType(at index: Int) -> DataType? {
    guard let (type, end) = tokens.madeType(at: index), endsExpression(end) else { return nil }
    return type.dataType
  }
}
