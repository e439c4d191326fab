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
    let hasCaptures = !isLoop && tokens[index + 1].isMark("[")
    let start = hasCaptures ? tokens[index + 1].pair + 1 : index + 1
    let isTyped = tokens[start].isMark("(") && !isLoop
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
    if tokens[end - 1].isMark("="), case .query(let type)? = tokens[end - 4].word.flatMap(scopes.variable) {
      switch tokens[end - 2].word {
      case "recordFetchedBlock": return .record(type)
      case "recordMatchedBlock": return .value(.results(type))
      default: return nil
      }
    }
    guard tokens[end - 1].isMark(of: "):"), let open = tokens[end - 1].outer else { return nil }
    return given(by: tokens[open - 1].word, open).map(SwiftVariable.holding)
  }

  /// The parameters of a function, which hide constants of their names.
  mutating func readParameters(_ index: Int) {
    guard let open = tokens[index...].prefix(24).firstIndex(where: { $0.isMark("(") }) else { return }
    var depth = 0
    for place in open..<min(tokens.count, open + 400) {
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

  /// The name of a member, `Type.name`, or of a global variable or function.
  func memberKey(_ name: String) -> String { scopes.typeName.map { "\($0).\(name)" } ?? name }

  /// `let name = …` in a function, `case .success(let record)`. The name of a CKRecord is read at its type.
  mutating func readNewName(_ index: Int) {
    // `let (results, cursor) = try await database.records(matching: query)`
    if tokens[index + 1].isMark("("), let name = tokens[index + 2].word {
      let value = tokens[index + 1].pair + 2
      guard tokens[value - 1].isMark("="), let type = valueType(at: value), type.isResults else { return }
      return scopes.set(name, .value(.results(type.recordType, isList: true)))
    }
    guard let name = tokens[index + 1].word else { return }
    let isConstant = tokens[index].word == "let"
    switch tokens[index + 2].kind {
    case .mark(UInt8(ascii: ":")):
      guard let (type, end) = SwiftType.named(tokens, at: index + 3) else { return scopes.set(name, .other) }
      if tokens[end].isMark("{") {
        scopes.set("newValue", .value(type), isParameter: true)
        readBody(of: name, type)
      }
      let value = tokens[end].isMark("=") ? end + 1 : nil
      let texts = value.map { self.texts(at: $0).texts } ?? []
      let isKnown = isConstant && !texts.isEmpty && texts.allSatisfy(SwiftConstants.isWhole)
      let isGrown = scopes.isLocal || type.isPredicate && value != nil
      let query = type.isQuery ? value.map { SwiftVariable.query(valueType(at: $0)?.recordType) } : nil
      let grown = isGrown ? grown(type, value, isConstant: isConstant) : nil
      scopes.set(name, isKnown ? .text(texts) : grown ?? query ?? .value(type))
      if type.isPredicate, let value, tokens[value].isMark("{"), !isExpression(value) {
        // What the closure returns follows.
        scopes.set(name, .predicate([]))
        scopes.set("return", .subject(name), isParameter: true)
      }
      if !scopes.isLocal { readMemberPredicate(name) }
    case .mark(UInt8(ascii: "=")) where tokens[index + 3].word != name || isCast(index + 4):
      let value = newValue(of: name, at: index + 3, isConstant: isConstant)
      switch value {
      // Other members are read where they are declared.
      case .text, .keys, .other: if scopes.isLocal { scopes.set(name, value) }
      case .value: if scopes.isLocal || meaning(of: name) != .other { scopes.set(name, value) }
      default:
        scopes.set(name, value)
        if !scopes.isLocal { readMemberPredicate(name) }
      }
    case .word("as"):
      if let type = SwiftType.named(tokens, at: index + 3)?.type { scopes.set(name, .holding(type)) }
    // What `.success` holds has any name.
    case .mark(UInt8(ascii: ")")) where tokens[index - 2].word == "success":
      scopes.set(name, succeeded(index + 2))
    case .mark(UInt8(ascii: ")")), .mark(UInt8(ascii: ",")): scopes.set(name, meaning(of: name))
    default: break
    }
  }

  /// What a variable of a type has whose value code may put together: a text, a predicate, a list of sorts or of names.
  ///
  /// - Parameter value: where its first value begins, if it has one.
  func grown(_ type: SwiftType, _ value: Int?, isConstant: Bool) -> SwiftVariable? {
    switch (type.name, type.isList) {
    case ("NSPredicate", _), ("NSCompoundPredicate", _):
      // `= { NSPredicate(…) }()`
      .predicate(value.map { predicate(at: tokens[$0].isMark("{") ? $0 + 1 : $0) } ?? [])
    case ("NSSortDescriptor", _), ("CKLocationSortDescriptor", _):
      .sorts(value.map { sorts(at: $0) ?? [.unknown($0)] } ?? [])
    case ("String", true), ("CKRecord.FieldKey", true):
      .keys(value.map { keys(at: $0) ?? [.unknown($0)] } ?? [])
    case ("String", false), ("NSString", false), ("CKRecord.RecordType", false), ("CKRecord.FieldKey", false):
      .text(
        (value.map { texts(at: $0).texts } ?? [])
          + (isConstant && value != nil ? [] : [SwiftConstants.change]))
    default: nil
    }
  }

  /// What `let name = …` in a function gives to a name, unless the line itself makes a record or a query.
  private func newValue(of name: String, at start: Int, isConstant: Bool) -> SwiftVariable {
    // `let secret = record.encryptedValues`
    if let word = tokens[start].word, case .record(let type) = scopes.variable(word) ?? meaning(of: word),
      tokens[start + 1].isMark("."), tokens[start + 2].word == "encryptedValues", endsExpression(start + 3)
    {
      return .encryptedValues(type)
    }
    if let type = valueType(at: start) ?? text(at: start).map({ _ in SwiftType("String") }) {
      return grown(type, start, isConstant: isConstant) ?? .holding(type)
    }
    let line = tokens[(start + 1)...].prefix(11).prefix { !$0.startsLine }
    return line.indices.contains { tokens[$0].word == "get" && isResult(before: $0) }
      ? .record(nil) : meaning(of: name)
  }

  /// The record in `.success(…)`, whose bracket ends at a place: of the result behind it, `= result`, or of the one that a
  /// `switch` is about.
  func succeeded(_ end: Int) -> SwiftVariable {
    let name = tokens[end + 1].isMark("=") ? tokens[end + 2].word : "switch"
    guard case .value(let type)? = name.flatMap(scopes.variable), type.isResults else { return .record(nil) }
    return .record(type.recordType)
  }

  private func isCast(_ index: Int) -> Bool { tokens[index].word == "as" }

  /// Whether `get()` is that of a result with a record, as the loop or the closure around it shows.
  func isResult(before index: Int) -> Bool {
    let words: Set = [
      "matchResults", "saveResults", "recordMatchedBlock", "perRecordSaveBlock", "perRecordResultBlock",
    ]
    return tokens[max(0, index - 80)..<index].contains { $0.word.map(words.contains) ?? false }
  }
}
