/// The names that declarations, parameters and closures make, and what they stand for.
extension SwiftUseReader {
  /// What is known of a new name: one of a record is of a record in a file that uses CloudKit.
  func meaning(of name: String) -> SwiftVariable {
    let lower = name.lowercased()
    return lower.hasSuffix("record") || lower == "rec" ? .record(nil) : .other
  }

  /// The same for a name that the function does not declare: that of a member or a global variable.
  func meaning(of name: String, endingAt index: Int) -> SwiftVariable {
    let named = meaning(of: name)
    return named == .other ? named : operandType(upTo: index + 1).map(SwiftVariable.holding) ?? named
  }

  /// The parameters of a closure, `{ record, error in`, or the names of a loop.
  mutating func readNewNames(
    upTo end: String, after index: Int, limit: Int, isLoop: Bool = false, element: SwiftType? = nil
  ) {
    var names: [String] = []
    // `[weak self]`
    let hasCaptures = !isLoop && index + 1 < tokens.count && tokens[index + 1].isMark("[")
    let start = hasCaptures ? SwiftType.closing(tokens, of: index + 1) + 1 : index + 1
    let isTyped = start < tokens.count && tokens[start].isMark("(") && !isLoop
    for (place, token) in zip(start..., tokens[start...].prefix(isTyped ? 32 : limit)) {
      if token.word == end {
        for name in names { scopes.set(name, meaning(of: name), isParameter: isLoop) }
        if let element { for name in names { scopes.set(name, .holding(element)) } }
        // `{ (record: [String: Any]) in`, `for case let record as [String: Any] in`
        for mark in start..<place where tokens[mark].isMark(":") || tokens[mark].word == "as" {
          if let name = tokens[mark - 1].word, let (type, _) = SwiftType.named(tokens, at: mark + 1) {
            scopes.set(name, .holding(type), isParameter: isLoop)
          }
        }
        // `for tag in tags`
        let own = names.filter { !["case", "let", "var", "try", "await"].contains($0) }
        if isLoop, let name = own.last, let list = valueType(at: place + 1),
          let element = list.isList && (own.count == 1 || list.isResults) ? list.element : list.value
        {
          scopes.set(name, .holding(element), isParameter: true)
        }
        // `save(record) { saved, error in`, `operation.recordMatchedBlock = { id, result in`
        if let given = given(upTo: index), let name = tokens[index - 1].isMark("=") ? names.last : names.first
        {
          scopes.set(name, given)
        }
        return
      }
      if let word = token.word {
        names.append(word)
      } else if !token.isMark(of: isTyped ? "(),:?[].<>-" : "(),:?[].") {
        return
      }
    }
  }

  /// What the code before a closure gives to it: `operation.recordFetchedBlock =`, `save(record)`, or a call of which the
  /// closure is an argument.
  private func given(upTo end: Int) -> SwiftVariable? {
    guard end >= 4 else { return nil }
    if tokens[end - 1].isMark("="), case .query(let type)? = tokens[end - 4].word.flatMap(scopes.variable) {
      switch tokens[end - 2].word {
      case "recordFetchedBlock": return .record(type)
      case "recordMatchedBlock": return .value(.results(type))
      default: return nil
      }
    }
    guard tokens[end - 1].isMark(of: "):"), let open = opening(before: end - 1), open > 0 else { return nil }
    return given(by: tokens[open - 1].word, open).map(SwiftVariable.holding)
  }

  /// The parameters of a function, which hide constants of their names.
  mutating func readParameters(_ index: Int) {
    guard let open = tokens[index...].prefix(24).firstIndex(where: { $0.isMark("(") }) else { return }
    var depth = 0
    for place in open..<min(tokens.count - 1, open + 400) {
      if tokens[place].isMark(of: "([{<") { depth += 1 }
      if tokens[place].isMark(of: ")]}") || tokens[place].isMark(">") && !tokens[place - 1].isMark("-") {
        depth -= 1
      }
      if depth == 0 {
        // `-> Date {`
        return readBody(of: tokens[index + 1].word ?? "", SwiftType.result(tokens, of: place))
      }
      if depth == 1, let name = tokens[place].word, tokens[place + 1].isMark(":") {
        let type = SwiftType.named(tokens, at: place + 2)?.type
        scopes.set(name, type.map(SwiftVariable.holding) ?? .other, isParameter: true)
      }
    }
  }

  /// The body of a property or a function follows.
  private mutating func readBody(of name: String, _ result: SwiftType?) {
    scopes.set("->", result.map { .body(of: memberKey(name), gives: $0) } ?? .other, isParameter: true)
  }

  /// The property or function whose body a place is in, if it gives such a value, as ``memberKey(_:)`` names it.
  func body(giving isSuch: (SwiftType) -> Bool) -> String? {
    if case .body(let key, let type)? = scopes.variable("->"), isSuch(type) { key } else { nil }
  }

  /// The name of a member, `Type.name`, or of a global variable or function.
  func memberKey(_ name: String) -> String { scopes.typeName.map { "\($0).\(name)" } ?? name }

  /// `let name = …` in a function, `case .success(let record)`. The name of a CKRecord is read at its type.
  mutating func readNewName(_ index: Int) {
    // `let (results, cursor) = try await database.records(matching: query)`
    if index + 2 < tokens.count, tokens[index + 1].isMark("("), let name = tokens[index + 2].word {
      let value = SwiftType.closing(tokens, of: index + 1) + 2
      guard value < tokens.count, tokens[value - 1].isMark("="), let type = valueType(at: value),
        type.isResults
      else { return }
      return scopes.set(name, .value(.results(type.recordType, isList: true)))
    }
    guard index + 3 < tokens.count, let name = tokens[index + 1].word else { return }
    let value = tokens[index + 3]
    switch tokens[index + 2].kind {
    case .mark(UInt8(ascii: ":")) where value.word == "NSPredicate" && scopes.isLocal:
      readPredicateDeclaration(of: name, index + 4)
    case .mark(UInt8(ascii: ":")) where value.isMark("[") && scopes.isLocal:
      // `var conditions: [NSPredicate] = []`
      let start = index + 7
      let hasValue = start < tokens.count && tokens[start - 1].isMark("=")
      switch hasValue ? tokens[index + 4].word : nil {
      case "NSPredicate"?:
        scopes.set(name, conditions(ofList: start).map { .predicate($0) } ?? .other)
      case "NSSortDescriptor"?: scopes.set(name, sorts(at: start).map { .sorts($0) } ?? .other)
      case _: scopes.set(name, SwiftType.named(tokens, at: index + 3).map { .value($0.type) } ?? .other)
      }
    case .mark(UInt8(ascii: ":")):
      let behind = tokens[(index + 3)...].prefix(8).firstIndex {
        $0.startsLine || $0.word == nil && !$0.isMark(of: ".?!<>")
      }
      let named = SwiftType.named(tokens, at: index + 3)
      if let (type, end) = named, end < tokens.count, tokens[end].isMark("{") {
        scopes.set("newValue", .value(type), isParameter: true)
        readBody(of: name, type)
      }
      let isConstant = tokens[index].word == "let" && behind.map { tokens[$0].isMark("=") } ?? false
      let text = isConstant ? behind.flatMap { self.text(at: $0 + 1) } : nil
      scopes.set(name, text.map { .text($0) } ?? named.map { .value($0.type) } ?? .other)
    case .mark(UInt8(ascii: "=")) where scopes.isLocal && (value.word != name || isCast(index + 4)):
      scopes.set(name, newValue(of: name, at: index + 3, isConstant: tokens[index].word == "let"))
    case .mark(UInt8(ascii: "=")) where meaning(of: name) != .other:
      if let type = valueType(at: index + 3), !type.isRecord { scopes.set(name, .value(type)) }
    case .word("as"):
      if let type = SwiftType.named(tokens, at: index + 3)?.type { scopes.set(name, .holding(type)) }
    // What `.success` holds has any name.
    case .mark(UInt8(ascii: ")")) where index > 1 && tokens[index - 2].word == "success":
      scopes.set(name, succeeded(index + 2))
    case .mark(UInt8(ascii: ")")), .mark(UInt8(ascii: ",")): scopes.set(name, meaning(of: name))
    default: break
    }
  }

  /// `let name: NSPredicate`, which gets its value in branches that follow, or from a closure: `= {`. What another value is
  /// only running the code shows.
  private mutating func readPredicateDeclaration(of name: String, _ next: Int) {
    guard next + 1 < tokens.count else { return }
    let hasValue = tokens[next].isMark("=")
    let isClosure = hasValue && tokens[next + 1].isMark("{")
    scopes.set(name, hasValue && !isClosure ? .other : .predicate([]))
    if isClosure { scopes.set("return", .subject(name), isParameter: true) }
  }

  /// What `let name = …` in a function gives to a name, unless the line itself makes a record or a query.
  private func newValue(of name: String, at start: Int, isConstant: Bool) -> SwiftVariable {
    if tokens[start].isMark("["), start + 1 < tokens.count {
      switch tokens[start + 1].word {
      case "NSSortDescriptor"?, "CKLocationSortDescriptor"?:
        return sorts(at: start).map { .sorts($0) } ?? .other
      // `[NSPredicate]()`
      case "NSPredicate"? where start + 2 < tokens.count && tokens[start + 2].isMark("]"):
        return .predicate([])
      case "NSPredicate"?, "NSCompoundPredicate"?:
        return conditions(ofList: start).map { .predicate($0) } ?? .other
      case _: return valueType(at: start).map { .value($0) } ?? .other
      }
    }
    // `let secret = record.encryptedValues`
    if let word = tokens[start].word, case .record(let type) = scopes.variable(word) ?? meaning(of: word),
      start + 2 < tokens.count, tokens[start + 1].isMark("."), tokens[start + 2].word == "encryptedValues",
      endsExpression(start + 3)
    {
      return .encryptedValues(type)
    }
    let (text, end) = constants.value(tokens, at: start, in: scopes)
    if isConstant, let text, endsExpression(end) { return .text(text) }
    if let type = valueType(at: start) { return .holding(type) }
    let line = tokens[(start + 1)...].prefix(11).prefix { !$0.startsLine }
    return line.indices.contains { tokens[$0].word == "get" && isResult(before: $0) }
      ? .record(nil) : meaning(of: name)
  }

  /// The record in `.success(…)`, whose bracket ends at a place: of the result behind it, `= result`, or of the one that a
  /// `switch` is about.
  func succeeded(_ end: Int) -> SwiftVariable {
    let name = end + 2 < tokens.count && tokens[end + 1].isMark("=") ? tokens[end + 2].word : "switch"
    guard case .value(let type)? = name.flatMap(scopes.variable), type.isResults else { return .record(nil) }
    return .record(type.recordType)
  }

  private func isCast(_ index: Int) -> Bool { index < tokens.count && tokens[index].word == "as" }

  /// Whether `get()` is that of a result with a record, as the loop or the closure around it shows.
  func isResult(before index: Int) -> Bool {
    let words: Set = [
      "matchResults", "saveResults", "recordMatchedBlock", "perRecordSaveBlock", "perRecordResultBlock",
    ]
    return tokens[max(0, index - 80)..<index].contains { $0.word.map(words.contains) ?? false }
  }
}
