internal import Diagnostics
internal import SchemaLanguage

/// What the expressions at a place of the code mean.
extension SwiftUseReader {
  /// The text of an expression; `nil` where only running the code shows it.
  func text(at index: Int) -> String? {
    let (text, end) = constants.value(tokens, at: index, in: scopes)
    return endsExpression(end) || tokens[end].isMark(":") ? text : nil
  }

  /// The text of an expression with what only running the code shows, ``SwiftConstants/unknownPart``. Of several that it may
  /// be all count, with ``SwiftConstants/change``.
  func format(at index: Int) -> (text: String, end: Int) {
    let (text, end) = constants.partialValue(tokens, at: index, in: scopes)
    let found = expression(at: index)
    if let text, end == found.end { return (text, end) }
    let parts = found.values.map { place in
      let (text, end) = constants.partialValue(tokens, at: place, in: scopes)
      // `"a == 1".appending(more)`
      return (text ?? "") + (text == nil || end < expressionEnd(place) ?? 0 ? SwiftConstants.unknownPart : "")
    }
    let all = parts.isEmpty ? [SwiftConstants.unknownPart] : parts
    return ((all + [SwiftConstants.change]).joined(separator: " "), found.end)
  }

  /// The elements of a list, or what a single value is, where the code shows it: of a literal, of a name, of several with
  /// `+`, `?:` or `??` between them.
  ///
  /// - Parameters:
  ///   - unknown: stands for what only running the code shows, at a place.
  ///   - named: what a single value at a place has.
  ///   - element: what an element at a place has.
  private func list<Element>(
    at index: Int, unknown: (Int) -> Element, named: (Int) -> [Element]?, element: (Int) -> [Element]?
  ) -> [Element]? {
    let found = expression(at: index).values.map { place -> (place: Int, known: [Element]?) in
      guard tokens[place].isMark("[") else {
        return (place, tokens[place].word == "nil" ? [] : named(place))
      }
      let end = SwiftType.closing(tokens, of: place) + 1
      // `[NSPredicate]()`
      if tokens[end].isMark("("), SwiftType.isJoined(tokens, end) { return (place, []) }
      guard keepsElements(end) else { return (place, nil) }
      return (place, elements(of: place).flatMap { element($0) ?? [unknown($0)] })
    }
    guard found.contains(where: { $0.known != nil }) else { return nil }
    return found.flatMap { $0.known ?? [unknown($0.place)] }
  }

  /// Whether what follows a list leaves its elements as they are.
  private func keepsElements(_ end: Int) -> Bool {
    guard tokens[end].isMark("."), let name = tokens[end + 1].word else { return true }
    let isOfTexts = name == "map" && ["rawValue", "stringValue"].contains(tokens[end + 5].word)
    return isOfTexts || ["compactMap", "filter", "reversed", "sorted", "shuffled"].contains(name)
  }

  /// The conditions of a predicate, or of those in a list. A predicate that every record passes needs the record names. `nil`
  /// where only running the code shows them.
  func conditions(at index: Int) -> [PredicateCondition]? {
    list(
      at: index, unknown: { .unknown(place(of: $0)) }, named: { conditionsOfOne(at: $0) },
      element: { conditions(at: $0) })
  }

  private func conditionsOfOne(at index: Int) -> [PredicateCondition]? {
    // `.init(value: true)` is a predicate where one is wanted.
    let isImplicit = tokens[index].isMark(".") && tokens[index + 1].word == "init"
    let call = isImplicit ? index + 1 : index
    guard isImplicit || makesPredicate(index) else {
      if case .predicate(let conditions)? = tokens[index].word.flatMap(scopes.variable), !conditions.isEmpty,
        keepsElements(index + 1)
      {
        return conditions
      }
      return predicateKeys(at: index).lazy.compactMap { predicates[$0] }.first
    }
    let found = conditions(ofCall: call)
    // `NSPredicate(…).and(other)`
    let open = tokens[(call + 1)...].prefix(3).firstIndex { $0.isMark(of: "({") } ?? call
    let behind = SwiftType.closing(tokens, of: open) + 1
    guard tokens[behind].isMark("."), tokens[behind + 1].word != "withSubstitutionVariables" else {
      return found
    }
    return found.map { $0 + [.unknown(place(of: behind + 1))] }
  }

  /// The conditions of a predicate that a call makes.
  private func conditions(ofCall call: Int) -> [PredicateCondition]? {
    let place = source.range(tokens[call].range)
    if hasBlock(call) { return [.refused(.block, place)] }
    guard let (label, argument) = firstArgument(of: call) else { return nil }
    switch label {
    case "notPredicateWithSubpredicate":
      guard let negated = conditions(at: argument) else { return nil }
      let isOfSeveral = negated.count > 1 && makesPredicate(argument)
      return isOfSeveral || negated.contains(where: \.refusesNot) ? [.refused(.not, place)] : negated
    case "block": return [.refused(.block, place)]
    case "type":
      guard let list = argumentIndex("subpredicates", from: argument) else { return nil }
      return joined(list, by: SwiftConstants.path(tokens, at: argument).words.last, place)
    case "orPredicateWithSubpredicates", "andPredicateWithSubpredicates":
      return joined(argument, by: label == "orPredicateWithSubpredicates" ? "or" : nil, place)
    case "value":
      return [PredicateCondition(subject: .field("___recordID"), comparator: .equals, place: place)]
    case "format": break
    default: return nil
    }
    let (format, end) = format(at: argument)
    if format == "TRUEPREDICATE" {
      return [PredicateCondition(subject: .field("___recordID"), comparator: .equals, place: place)]
    }
    let list = argumentIndex("argumentArray", from: end)
    return PredicateFormat.conditions(
      of: format, in: source, at: tokens[argument].range.lowerBound..<tokens[end - 1].range.upperBound,
      arguments: (list.map { tokens[$0].isMark("[") ? elements(of: $0) : [] } ?? arguments(after: end - 1))
        .map { place in
          PredicateFormat.Argument(
            text: text(at: place), type: valueType(at: place), place: source.range(tokens[place].range))
        },
      isWhole: list == nil && argumentIndex("arguments", from: end) == nil
        && !format.contains(SwiftConstants.change))
  }

  /// The conditions of a compound predicate; with `or` no query can have it.
  private func joined(_ list: Int, by word: String?, _ place: SourceRange) -> [PredicateCondition]? {
    guard let found = conditions(at: list) else { return nil }
    return word == "or" ? [.refused(.word("OR"), place)] + found : found
  }

  /// Whether a predicate is made at a place: `NSPredicate(…`, `NSPredicate.init(…`, but not `NSPredicate.mine`.
  func makesPredicate(_ index: Int) -> Bool {
    guard let word = tokens[index].word, word == "NSPredicate" || word == "NSCompoundPredicate" else {
      return false
    }
    return tokens[index + 1].isMark("(") || tokens[index + 1].isMark(".") && tokens[index + 2].word == "init"
      || hasBlock(index)
  }

  /// `NSPredicate { object, bindings in`
  private func hasBlock(_ index: Int) -> Bool {
    tokens[index + 1].isMark("{") && tokens[index + 3].isMark(",") && tokens[index + 5].word == "in"
  }

  /// The names under which ``SwiftUseReader/predicates`` may have what an expression gives, the surest first: `.mine`,
  /// `NSPredicate.by(name)`, `query.predicate`, `predicate`.
  func predicateKeys(at index: Int) -> [String] {
    let (path, isImplicit, _) = SwiftConstants.path(tokens, at: index)
    guard let name = path.last else { return [] }
    if isImplicit { return ["NSPredicate.\(name)"] }
    guard path.count > 1, let owner = path.dropLast().last else {
      return scopes.isShared(name) ? scopes.typeNames.map { "\($0).\(name)" } + [name] : []
    }
    if owner == "self" || owner == "Self" { return scopes.typeNames.map { "\($0).\(name)" } }
    let type: SwiftType? =
      switch scopes.variable(owner) {
      case .value(let type)?: type
      case _?: nil
      case nil: statedType(of: owner)
      }
    return ["\(type?.name ?? owner).\(name)"]
  }

  /// The sorts of a list; `nil` where only running the code shows them.
  func sorts(at index: Int) -> [SwiftKey]? {
    list(at: index, unknown: SwiftKey.unknown, named: { sortsOfOne(at: $0) }, element: { sorts(at: $0) })
  }

  private func sortsOfOne(at index: Int) -> [SwiftKey]? {
    let call = tokens[index].isMark(".") ? index + 1 : index
    let word = tokens[call].word ?? ""
    if ["NSSortDescriptor", "CKLocationSortDescriptor", "init"].contains(word), let sort = sort(of: call) {
      return [sort]
    }
    if case .sorts(let known)? = scopes.variable(word), keepsElements(call + 1) { return known }
    return sortField(at: index).map { [SwiftKey(field: $0, place: index)] }
  }

  /// The names of fields in a list.
  func keys(at index: Int) -> [SwiftKey]? {
    let one = { (place: Int) in text(at: place).map { [SwiftKey(field: $0, place: place)] } }
    return list(
      at: index, unknown: SwiftKey.unknown,
      named: { place in
        guard case .keys(let known)? = tokens[place].word.flatMap(scopes.variable) else { return one(place) }
        return keepsElements(place + 1) ? known : nil
      }, element: one)
  }

  /// The field of a property that gives a sort: `newest`, `Sorts.newest`, `.newest` of an extension of NSSortDescriptor.
  private func sortField(at index: Int) -> String? {
    if tokens[index].isMark(".") {
      return tokens[index + 1].word.flatMap { constants.text(of: $0, in: "NSSortDescriptor") }
    }
    guard valueType(at: index) == SwiftType("NSSortDescriptor") else { return nil }
    let name = tokens[index].word ?? ""
    let member =
      scopes.isShared(name)
      ? scopes.typeNames.lazy.compactMap { constants.text(of: name, in: $0) }.first : nil
    return member ?? text(at: index)
  }

  /// What the code gives to a list or text which ends before a token, and whether it keeps what it has: `= [a]`, `+= [a]`,
  /// `.append(a)`, `[0] = a`.
  func given(at index: Int) -> (place: Int, isMore: Bool)? {
    var next = index
    while tokens[next].isMark(of: "?!") { next += 1 }
    if tokens[next].isMark("="), !tokens[next + 1].isMark("=") { return (next + 1, false) }
    if tokens[next].isMark("+"), tokens[next + 1].isMark("=") { return (next + 2, true) }
    if tokens[next].isMark("["), SwiftType.isJoined(tokens, next) {
      let end = SwiftType.closing(tokens, of: next) + 1
      return tokens[end].isMark("=") && !tokens[end + 1].isMark("=") ? (end + 1, true) : nil
    }
    guard tokens[next].isMark("."), tokens[next + 1].word == "append" || tokens[next + 1].word == "insert",
      tokens[next + 2].isMark("(")
    else { return nil }
    return (tokens[next + 4].isMark(":") ? next + 5 : next + 3, true)
  }

  /// `NSSortDescriptor(key: "title", …)`, `NSSortDescriptor(keyPath: \CKRecord.creationDate, …)`
  func sort(of call: Int) -> SwiftKey? {
    guard let (label, key) = firstArgument(of: call) else { return nil }
    switch label {
    case "key": return SwiftKey(field: text(at: key), place: key)
    case "keyPath" where tokens[key].isMark("\\"):
      return SwiftKey(field: SwiftConstants.path(tokens, at: key + 1).words.last, place: key + 1)
    default: return nil
    }
  }

  /// The places of a list's elements.
  func elements(of list: Int) -> [Int] {
    guard !tokens[list + 1].isMark("]"), !tokens[list + 1].isEdge else { return [] }
    return ([list + 1] + arguments(after: list)).filter { !tokens[$0].isMark("]") }
  }

  /// The type of a literal or of a framework's value, where nothing follows that makes another value of it.
  func dataType(at index: Int) -> DataType? {
    guard let (type, end) = SwiftType.made(tokens, at: index), endsExpression(end) else { return nil }
    return type.dataType
  }

  /// Whether an expression ends before a token.
  func endsExpression(_ index: Int) -> Bool {
    let token = tokens[index]
    return token.isMark(of: "),;}]") || token.isEdge || token.word == "as"
      || token.startsLine && (token.word != nil || token.isMark(of: "@{"))
  }

  /// The label and the place of the first argument of a call: `Name(label: argument`, `Name.init(label: argument`.
  func firstArgument(of index: Int) -> (label: String, argument: Int)? {
    var open = index + 1
    if tokens[open].isMark("."), tokens[open + 1].word == "init" { open += 2 }
    guard tokens[open].isMark("("), let label = tokens[open + 1].word, tokens[open + 2].isMark(":") else {
      return nil
    }
    return (label, open + 3)
  }

  /// The place of a labeled argument of the call in which an argument begins at a token.
  func argumentIndex(_ label: String, from index: Int) -> Int? {
    ([index] + arguments(after: index - 1)).first { place in
      tokens[place].word == label && tokens[place + 1].isMark(":")
    }.map { $0 + 2 }
  }

  /// The places of the arguments behind one, or of the elements behind the bracket of a list, up to the end.
  func arguments(after index: Int) -> [Int] {
    var depth = 0
    var found: [Int] = []
    for place in tokens.indices.dropFirst(index + 1).prefix(400) {
      if depth == 0, tokens[place].isMark(","), !tokens[place + 1].isEdge { found.append(place + 1) }
      if tokens[place].isMark(of: "([{") { depth += 1 }
      if tokens[place].isMark(of: ")]}") {
        depth -= 1
        if depth < 0 { break }
      }
    }
    return found
  }

  /// The place of the query that the call of an argument names: `matching: query`, `withQuery: CKQuery(…`.
  func queryBefore(_ index: Int) -> Int? {
    guard let open = opening(before: index) else { return nil }
    return ["matching", "withQuery", "query"].lazy.compactMap { argumentIndex($0, from: open + 1) }.first
  }

  /// Where `CKQuery(Note.self, where: filters)`, which code of `schema generate` offers, names the type.
  func typeArgument(of call: Int) -> Int? {
    let hasName = tokens[call + 1].isMark(".") && tokens[call + 2].word == "init"
    let open = hasName ? call + 3 : call + 1
    guard !constants.queryFields.isEmpty, tokens[open].isMark("("), tokens[open + 1].word != nil,
      !tokens[open + 2].isMark(":")
    else { return nil }
    return open + 1
  }

  /// The record type of `Note.self`.
  func recordType(ofType place: Int) -> String? {
    let path = SwiftConstants.path(tokens, at: place).words
    guard path.count > 1, path.last == "self" else { return nil }
    let name = path[path.count - 2]
    return (name == "Self" ? scopes.typeName : name).flatMap { constants.text(of: "recordType", in: $0) }
  }

  /// The record type of the query at a place, or of the variable with one.
  func queryType(at place: Int) -> String? {
    let isImplicit = tokens[place].isMark(".") && tokens[place + 1].word == "init"
    let index = isImplicit ? place + 1 : place
    guard let word = tokens[index].word else { return nil }
    if isImplicit || word == "CKQuery" {
      if let (label, argument) = firstArgument(of: index), label == "recordType" { return text(at: argument) }
      if let type = typeArgument(of: index) { return recordType(ofType: type) }
    }
    return if case .query(let type)? = scopes.variable(word) { type } else { nil }
  }

  /// The variable that an expression is assigned to: `let name = CKRecord(…`, `name = known ?? CKRecord(…`,
  /// `name = isFirst ? NSPredicate(…`.
  func boundName(before index: Int) -> String? { binding(before: index)?.name }

  /// The same, whether the variable is a new one, and where the expression begins.
  func binding(before index: Int) -> (name: String, isNew: Bool, value: Int)? {
    var place = index - 1
    // `name = .init(…`
    if tokens[place].isMark("."), tokens[place - 1].word == nil { place -= 1 }
    while let word = tokens[place].word, ["try", "await"].contains(word) { place -= 1 }
    if tokens[place].isMark(of: "?:") {
      var depth = 0
      while depth >= 0, !tokens[place].isEdge, !tokens[place].isMark(of: "{};"), tokens[place].word != "let" {
        if tokens[place].isMark("=") {
          guard tokens[place - 1].isMark(of: "=!<>") else { break }
          place -= 1
        }
        if tokens[place].isMark(of: ")]") { depth += 1 }
        if tokens[place].isMark(of: "([") { depth -= 1 }
        place -= 1
      }
    }
    guard tokens[place].isMark("="), !tokens[place - 1].isMark("=") else { return nil }
    let value = place + 1
    for start in stride(from: place - 1, to: place - 8, by: -1) {
      if tokens[start].isMark(of: "{};") { break }
      if let word = tokens[start].word, word == "let" || word == "var" {
        return tokens[start + 1].word.map { ($0, true, value) }
      }
      if tokens[start].startsLine { break }
    }
    return tokens[place - 1].word.map { ($0, false, value) }
  }

  enum DeclarationPlace { case initializer, function, closure, property }

  /// What a declaration with the type at a place is part of.
  func declarationPlace(_ index: Int) -> DeclarationPlace {
    guard let open = opening(before: index), tokens[open].isMark("(") else { return .property }
    var before = open - 1
    if tokens[before].isMark(of: "?!") { before -= 1 }
    return tokens[before].isMark("{") ? .closure : tokens[before].word == "init" ? .initializer : .function
  }
}
