/// The names that declarations, parameters and closures make, and what they stand for.
extension SwiftUseReader {
  /// What is known of a new name: one of a record is of a record in a file that uses CloudKit.
  func meaning(of name: String) -> SwiftVariable {
    let lower = name.lowercased()
    return lower.hasSuffix("record") || lower == "rec" ? .record(nil) : .other
  }

  /// The parameters of a closure, `{ record, error in`, or the names of a loop.
  mutating func readNewNames(
    upTo end: String, after index: Int, limit: Int, isLoop: Bool = false, element: SwiftType? = nil
  ) {
    var names: [String] = []
    var first = index + 1
    // `[weak self]`
    if first < tokens.count, tokens[first].isMark("["), !isLoop {
      while first < tokens.count, !tokens[first].isMark("]") { first += 1 }
      first += 1
    }
    let start = min(first, tokens.count)
    for (place, token) in zip(start..., tokens[start...].prefix(limit)) {
      if token.word == end {
        for name in names { scopes.set(name, meaning(of: name), isParameter: isLoop) }
        if let element { for name in names { scopes.set(name, .holding(element)) } }
        // `for tag in tags`
        let own = names.filter { !["case", "let", "var", "try", "await"].contains($0) }
        if isLoop, own.count == 1, let list = valueType(at: place + 1), list.isList {
          scopes.set(own[0], .holding(list.element), isParameter: true)
        }
        // `save(record) { saved, error in`
        if let name = names.first, let type = savedType(upTo: index) { scopes.set(name, .record(type)) }
        return
      }
      if let word = token.word { names.append(word) } else if !token.isMark(of: "(),:?[].") { return }
    }
  }

  /// The type of the record that a call which ends before a token gives: `save(record)`, `fetch(withRecordID: id)`; not
  /// `nil` for a record of an unknown type.
  private func savedType(upTo end: Int) -> String?? {
    guard end >= 4, tokens[end - 1].isMark(")") else { return nil }
    var (open, depth) = (end - 1, 0)
    repeat {
      if tokens[open].isMark(")") { depth += 1 }
      if tokens[open].isMark("(") { depth -= 1 }
      open -= 1
    } while open > 0 && depth > 0 && open > end - 40
    let first = tokens[open + 2].word
    switch tokens[open].word {
    case "save":
      guard case .record(let type)? = first.flatMap(scopes.variable) else { return nil }
      return .some(type)
    case "fetch": return first == "withRecordID" ? .some(nil) : nil
    default: return nil
    }
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
        let result = SwiftType.result(tokens, of: place)
        if let name = tokens[index + 1].word { readBody(of: name, result) }
        return scopes.set("->", result.map { .value($0) } ?? .other, isParameter: true)
      }
      if depth == 1, let name = tokens[place].word, tokens[place + 1].isMark(":") {
        let type = SwiftType.named(tokens, at: place + 2)?.type
        scopes.set(name, type.map(SwiftVariable.holding) ?? .other, isParameter: true)
      }
    }
  }

  /// The body of a property or a function follows, which may give a predicate or a record.
  private mutating func readBody(of name: String, _ result: SwiftType?) {
    let isOfRecord = result?.isRecord ?? false
    if isOfRecord || scopes.variable(SwiftTypes.body) != nil {
      scopes.set(SwiftTypes.body, isOfRecord ? .subject(predicateKey(name)) : .other, isParameter: true)
    }
    guard ["NSPredicate", "NSCompoundPredicate"].contains(result?.name), result?.isList == false else {
      return
    }
    scopes.set(SwiftPredicates.body, .subject(predicateKey(name)), isParameter: true)
  }

  /// `let name = …` in a function, `case .success(let record)`. The name of a CKRecord is read at its type.
  mutating func readNewName(_ index: Int) {
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
        for word in ["->", "newValue"] { scopes.set(word, .value(type), isParameter: true) }
        readBody(of: name, type)
      }
      let isConstant = tokens[index].word == "let" && behind.map { tokens[$0].isMark("=") } ?? false
      let text = isConstant ? behind.flatMap { self.text(at: $0 + 1) } : nil
      scopes.set(name, text.map { .text($0) } ?? named.map { .value($0.type) } ?? .other)
    case .mark(UInt8(ascii: "=")) where scopes.isLocal && value.word != name:
      scopes.set(name, newValue(of: name, at: index + 3, isConstant: tokens[index].word == "let"))
    // What `.success` holds has any name.
    case .mark(UInt8(ascii: ")")) where index > 1 && tokens[index - 2].word == "success":
      scopes.set(name, .record(nil))
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
    var place = start
    while place < tokens.count, place < start + 12, place == start || !tokens[place].startsLine {
      if tokens[place].word == "save", place + 3 < tokens.count, tokens[place + 1].isMark("("),
        let type = savedType(upTo: place + 4)
      {
        return .record(type)
      }
      // `database.record(for: id)`
      if tokens[place].word == "record", place + 2 < tokens.count, tokens[place + 1].isMark("("),
        tokens[place + 2].word == "for"
      {
        return .record(nil)
      }
      if tokens[place].word == "get", place > 0, tokens[place - 1].isMark("."), isResult(before: place) {
        return .record(nil)
      }
      place += 1
    }
    let type = valueType(at: start).flatMap { meaning(of: name) == .other || $0.isRecord ? $0 : nil }
    return type.map(SwiftVariable.holding) ?? meaning(of: name)
  }

  /// Whether `get()` is that of a result with a record, as the loop or the closure around it shows.
  func isResult(before index: Int) -> Bool {
    let words: Set = [
      "matchResults", "saveResults", "recordMatchedBlock", "perRecordSaveBlock", "perRecordResultBlock",
    ]
    return tokens[max(0, index - 80)..<index].contains { $0.word.map(words.contains) ?? false }
  }
}
