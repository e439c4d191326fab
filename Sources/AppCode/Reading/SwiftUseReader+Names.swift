/// The names that declarations, parameters and closures make, and what they stand for.
extension SwiftUseReader {
  // MARK: Patterns

  /// The names that a pattern binds, each with the type of what it takes apart, where this is known: `r`, `(id, r)`,
  /// `.success(let r)`, `let .success(r)`, `r as CKRecord`, `r?`.
  ///
  /// - Parameter isBinding: whether a name is new, and not a value to compare with.
  private func bindings(_ start: Int, upTo end: Int, _ type: SwiftType?, isBinding: Bool)
    -> [(name: String, type: SwiftType?)]
  {
    var (place, isBinding) = (start, isBinding)
    while let word = tokens[place].word, ["let", "var", "try", "await"].contains(word) {
      isBinding = isBinding || word == "let" || word == "var"
      place += 1
    }
    guard place < end else { return [] }
    let path = tokens.path(at: place)
    let isCase = path.isImplicit || path.words.count > 1
    guard tokens[place].isMark("(") || isCase else {
      guard isBinding, let name = tokens[place].word, name != "_", name != "is" else { return [] }
      let isStated = tokens[place + 1].isMark(":") || tokens[place + 1].word == "as"
      return [(name, isStated ? tokens.type(at: place + 2)?.type : type)]
    }
    let open = isCase ? path.end : place
    guard tokens[open].isMark("(") else { return [] }
    var whole = type
    switch (isCase ? path.words.last : nil, type?.name) {
    case (nil, _), ("some", _): break
    case ("success", "Result"): whole = type?.parts.first?.type
    case (let name?, _): whole = type.flatMap { constants.types.type(of: "case \(name)", in: $0.name) }
    }
    let elements = tokens.arguments(in: open)
    return elements.enumerated().flatMap { number, element in
      // `(key: id, value: r)`
      let isLabeled = tokens[element].word != nil && tokens[element + 1].isMark(":")
      let part =
        (isLabeled ? tokens[element].word : nil).flatMap { whole?.part($0) } ?? whole?.part("\(number)")
      let isWhole = elements.count == 1 && whole?.parts.count != 1
      let next = number + 1 < elements.count ? elements[number + 1] - 1 : tokens[open].pair
      return bindings(
        isLabeled ? element + 2 : element, upTo: next,
        isWhole ? whole : part?.type ?? (elements.count == 1 && whole?.name != "()" ? whole : nil),
        isBinding: isBinding)
    }
  }

  private mutating func bind(
    _ start: Int, upTo end: Int, _ type: SwiftType?, isBinding: Bool = false, from place: Int? = nil,
    in brace: Int? = nil
  ) {
    for (name, type) in bindings(start, upTo: end, type, isBinding: isBinding) {
      scopes.set(name, .holding(type), from: place, inBraces: brace)
    }
  }

  /// The names of a loop: `for r in records {`, `for case let .success(r) in results {`.
  mutating func readLoop(_ index: Int) {
    let head = tokens[index...].prefix(80).indices
    guard let end = head.first(where: { tokens[$0].word == "in" && tokens[$0].outer == tokens[index].outer }),
      let brace = tokens.brace(after: end)
    else { return }
    let list = expression(at: end + 1)
    let words = tokens[index..<end].prefix(4).compactMap(\.word)
    let isCase = words.contains("case")
    let start = isCase ? tokens[index..<end].firstIndex { $0.word == "case" } ?? index : index
    bind(start + 1, upTo: end, list.type?.element, isBinding: !isCase, from: list.end, in: brace)
  }

  /// The names of a closure, whose brace is at a place.
  mutating func readClosure(_ open: Int) {
    for (name, type) in closureNames(open).names {
      scopes.set(name, .holding(type))
    }
  }

  /// `if case .success(let r) = result`, `case .success(let r):`
  mutating func readPattern(_ index: Int) {
    guard !scopes.isInType, tokens[index - 1].word != "for" else { return }
    let outer = tokens[index].outer
    let head = tokens[index...].prefix(200).indices.filter { tokens[$0].outer == outer }
    if let word = condition(of: index)?.head, word != "switch" {
      guard let equal = head.first(where: { tokens[$0].isMark("=") }) else { return }
      let value = expression(at: equal + 1)
      return bind(
        index + 1, upTo: equal, value.type, from: value.end,
        in: word == "guard" ? nil : tokens.brace(after: index))
    }
    guard let end = head.first(where: { tokens[$0].isMark(":") || tokens[$0].word == "where" }) else {
      return
    }
    let type: SwiftType? = if case .value(let type)? = scopes.variable("switch") { type } else { nil }
    var start = index + 1
    for next in head where tokens[next].isMark(",") && next < end {
      bind(start, upTo: next, type)
      start = next + 1
    }
    bind(start, upTo: end, type)
  }

  /// `if`, `guard`, `while` or `for`, of whose conditions a place is one, and whether that condition has `||`.
  func condition(of index: Int) -> (head: String, isAlternative: Bool)? {
    var (place, isBeside, isAlternative) = (index, true, false)
    while let before = tokens.previous(place), !tokens[before].isMark(of: "{};") {
      place = before
      if tokens[place].isMark(",") { isBeside = false }
      if isBeside, tokens[place].isMark("|") { isAlternative = true }
      guard let head = tokens[place].word, ["if", "guard", "while", "for"].contains(head) else { continue }
      place = index
      while !isAlternative, !tokens[place].isMark(of: ",;{})]"), !tokens[place].isEdge {
        isAlternative = tokens[place].isMark("|")
        place = tokens.next(place)
      }
      return (head, isAlternative)
    }
    return nil
  }

  /// The parameters of a function, which hide constants of their names, and its body.
  mutating func read(_ function: SwiftFunction) {
    guard let brace = function.body else { return }
    for parameter in function.parameters {
      // What a type with a constant recordType is made from is a record of that type.
      let isOwn = function.name == "init" && parameter.type?.isRecord ?? false
      scopes.set(
        parameter.name, isOwn ? .record(ownRecordType) : .holding(parameter.type), inBraces: brace)
    }
    readBody(of: function.name, function.result, in: brace)
  }

  /// The body of a property or a function follows.
  private mutating func readBody(of name: String, _ result: SwiftType?, in brace: Int) {
    scopes.set("->", result.map { .body(of: memberKey(name), gives: $0) } ?? .other, inBraces: brace)
  }

  /// The name of a member, `Type.name`, or of a global variable or function.
  func memberKey(_ name: String) -> String { scopes.typeName.map { "\($0).\(name)" } ?? name }

  // MARK: Declarations

  /// `let name = …`, `let (a, b) = …`, `guard let name`; a name in a pattern is read with the pattern.
  mutating func readNewName(_ index: Int) {
    let isInPattern = tokens[index].outer.map { tokens[$0].isMark("(") } ?? false
    guard !isInPattern, !["case", "for", "await"].contains(tokens[index - 1].word) else { return }
    let head = condition(of: index)?.head
    let brace = head == nil || head == "guard" ? nil : tokens.brace(after: index)
    if tokens[index + 1].isMark("(") {
      let end = tokens[index + 1].pair + 1
      guard tokens[end].isMark("=") else { return }
      let value = expression(at: end + 1)
      return bind(index + 1, upTo: end, value.type, isBinding: true, from: value.end, in: brace)
    }
    let bindings = SwiftBinding.all(tokens, at: index)
    for binding in bindings.prefix(head == nil ? .max : 1) {
      read(binding, isCondition: head != nil, in: brace)
    }
  }

  private mutating func read(_ binding: SwiftBinding, isCondition: Bool, in brace: Int?) {
    let (name, value) = (binding.name, binding.value)
    guard let type = binding.type else {
      if let value { return readUntyped(binding, value, isCondition: isCondition, in: brace) }
      if isCondition { keep(name, in: brace) }
      return
    }
    if let body = binding.body, !isCondition {
      scopes.set("newValue", .value(type), inBraces: body)
      readBody(of: name, type, in: body)
    }
    let texts = value.map { self.texts(at: $0).texts } ?? []
    let isKnown = binding.isConstant && !texts.isEmpty && texts.allSatisfy(SwiftConstants.isWhole)
    let isGrown = scopes.isLocal || type.isPredicate && value != nil
    var whole = type
    if type.isRecord || type.isQuery {
      let given = value.flatMap { valueType(at: $0) }
      // What a type with a constant recordType keeps as its record is a record of that type.
      let isOwn = value == nil && type.isRecord && name.lowercased().hasSuffix("record")
      whole.recordType =
        isOwn ? ownRecordType : type.isQuery || given?.isRecord ?? false ? given?.recordType : nil
    }
    let grown = isGrown ? grown(type, value, isConstant: binding.isConstant) : nil
    scopes.set(name, isKnown ? .text(texts) : grown ?? .holding(whole), inBraces: brace)
    if type.isPredicate, let value, tokens[value].isMark("{"), !isExpression(value) {
      // What the closure returns follows.
      scopes.set(name, .predicate([]))
      scopes.set("return", .subject(name), inBraces: value)
    }
    if !scopes.isLocal { readMemberPredicate(name) }
  }

  private mutating func readUntyped(_ binding: SwiftBinding, _ start: Int, isCondition: Bool, in brace: Int?)
  {
    let (name, end) = (binding.name, expression(at: start).end)
    // `guard let name = name` keeps what it stands for.
    if tokens[start].word == name, end == start + 1 { return keep(name, in: brace) }
    let value = newValue(of: name, at: start, isConstant: binding.isConstant)
    let isOwn = scopes.isLocal || isCondition
    switch value {
    // Other members are read where they are declared.
    case .text, .keys, .other: guard isOwn else { return }
    case .value(let type): guard isOwn || type.element != nil else { return }
    default:
      guard isOwn else {
        scopes.set(name, value)
        return readMemberPredicate(name)
      }
    }
    scopes.set(name, value, from: end, inBraces: brace)
  }

  /// After `if let name` it stands for what it stood for, which may be a member.
  private mutating func keep(_ name: String, in brace: Int?) {
    guard scopes.variable(name) == nil, let type = statedType(of: name) else { return }
    scopes.set(name, .holding(type), inBraces: brace)
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
    if let word = tokens[start].word, case .record(let type)? = scopes.variable(word),
      tokens[start + 1].isMark("."), tokens[start + 2].word == "encryptedValues", endsExpression(start + 3)
    {
      return .encryptedValues(type)
    }
    if let type = valueType(at: start) ?? text(at: start).map({ _ in SwiftType("String") }) {
      return grown(type, start, isConstant: isConstant) ?? .holding(type)
    }
    return .other
  }
}
