internal import Diagnostics
internal import SchemaLanguage

/// What the expressions at a place of the code mean.
extension SwiftUseReader {
  func text(at index: Int) -> String? { constants.value(tokens, at: index, in: scopes).text }

  /// The conditions of a predicate. A predicate that every record passes needs the record names. `nil` where only running
  /// the code shows them.
  func conditions(at index: Int) -> [PredicateCondition]? {
    guard index < tokens.count else { return nil }
    // `.init(value: true)` is a predicate where one is wanted.
    let isImplicit = tokens[index].isMark(".") && index + 1 < tokens.count && tokens[index + 1].word == "init"
    let call = isImplicit ? index + 1 : index
    let word = isImplicit ? "NSPredicate" : tokens[index].word
    guard isImplicit || makesPredicate(index) else {
      if case .predicate(let conditions)? = word.flatMap(scopes.variable) { return conditions }
      return predicateKeys(at: index).lazy.compactMap { predicates[$0] }.first
    }
    let place = source.range(tokens[call].range)
    if hasBlock(call) { return [.refused(.block, place)] }
    guard let (label, argument) = firstArgument(of: call) else { return nil }
    switch label {
    case "notPredicateWithSubpredicate":
      guard let negated = conditions(at: argument) else { return nil }
      return negated.count > 1 || negated.contains(where: \.refusesNot) ? [.refused(.not, place)] : negated
    case "block": return [.refused(.block, place)]
    case "type":
      guard let list = argumentIndex("subpredicates", from: argument) else { return nil }
      return joined(list, by: SwiftConstants.path(tokens, at: argument).words.last, place)
    case "orPredicateWithSubpredicates", "andPredicateWithSubpredicates":
      return joined(argument, by: label == "orPredicateWithSubpredicates" ? "or" : nil, place)
    case "value":
      return [PredicateCondition(subject: .field("___recordID"), comparator: .equals, place: place)]
    default: break
    }
    let (format, end) = constants.partialValue(tokens, at: argument, in: scopes)
    guard label == "format", let format else { return nil }
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
      isWhole: end < tokens.count && tokens[end].isMark(of: ",)") && list == nil
        && argumentIndex("arguments", from: end) == nil)
  }

  /// The conditions of a compound predicate; with `or` no query can have it.
  private func joined(_ list: Int, by word: String?, _ place: SourceRange) -> [PredicateCondition]? {
    guard let found = conditions(ofList: list) else { return nil }
    return word == "or" ? [.refused(.word("OR"), place)] + found : found
  }

  /// The conditions of the predicates in a list, or in the variable with one.
  func conditions(ofList index: Int) -> [PredicateCondition]? {
    guard index < tokens.count, tokens[index].isMark("[") else { return conditions(at: index) }
    return elements(of: index).flatMap { conditions(at: $0) ?? [.unknown(source.range(tokens[$0].range))] }
  }

  /// Whether a predicate is made at a place: `NSPredicate(…`, `NSPredicate.init(…`, but not `NSPredicate.mine`.
  func makesPredicate(_ index: Int) -> Bool {
    guard let word = tokens[index].word, word == "NSPredicate" || word == "NSCompoundPredicate",
      index + 2 < tokens.count
    else { return false }
    return tokens[index + 1].isMark("(") || tokens[index + 1].isMark(".") && tokens[index + 2].word == "init"
      || hasBlock(index)
  }

  /// `NSPredicate { object, bindings in`
  private func hasBlock(_ index: Int) -> Bool {
    index + 5 < tokens.count && tokens[index + 1].isMark("{") && tokens[index + 3].isMark(",")
      && tokens[index + 5].word == "in"
  }

  /// The names under which ``SwiftUseReader/predicates`` may have what an expression gives, the surest first: `.mine`,
  /// `NSPredicate.by(name)`, `query.predicate`, `predicate`.
  func predicateKeys(at index: Int) -> [String] {
    guard index < tokens.count else { return [] }
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
  func sorts(at index: Int) -> [SwiftSort]? {
    guard index < tokens.count else { return nil }
    let call = tokens[index].isMark(".") ? index + 1 : index
    if call < tokens.count, let word = tokens[call].word,
      ["NSSortDescriptor", "CKLocationSortDescriptor", "init"].contains(word), let sort = sort(of: call)
    {
      return [sort]
    }
    let unknown = { (place: Int) in [SwiftSort(field: nil, place: place)] }
    let found: [SwiftSort]
    var end = index + 1
    if tokens[index].isMark("[") {
      found = elements(of: index).flatMap { sorts(at: $0) ?? unknown($0) }
      end = SwiftType.closing(tokens, of: index) + 1
    } else if case .sorts(let known)? = tokens[index].word.flatMap(scopes.variable) {
      found = known
    } else if let field = sortField(at: index) {
      found = [SwiftSort(field: field, place: index)]
      end = expressionEnd(tokens[index].isMark(".") ? index + 1 : index) ?? end
    } else {
      return nil
    }
    // `first + second`
    guard end + 1 < tokens.count, tokens[end].isMark("+"), !tokens[end + 1].isMark("=") else { return found }
    return found + (sorts(at: end + 1) ?? unknown(end + 1))
  }

  /// The field of a property that gives a sort: `newest`, `Sorts.newest`, `.newest` of an extension of NSSortDescriptor.
  private func sortField(at index: Int) -> String? {
    if tokens[index].isMark("."), index + 1 < tokens.count {
      return tokens[index + 1].word.flatMap { constants.text(of: $0, in: "NSSortDescriptor") }
    }
    guard valueType(at: index) == SwiftType("NSSortDescriptor") else { return nil }
    let name = tokens[index].word ?? ""
    let member =
      scopes.isShared(name)
      ? scopes.typeNames.lazy.compactMap { constants.text(of: name, in: $0) }.first : nil
    return member ?? text(at: index)
  }

  /// The sorts that the code gives to a list which ends before a token, and whether it keeps those that it has: `= [a]`,
  /// `+= [a]`, `.append(a)`.
  func givenSorts(at index: Int) -> (place: Int, areMore: Bool)? {
    var next = index
    while next < tokens.count, tokens[next].isMark(of: "?!") { next += 1 }
    guard next + 1 < tokens.count else { return nil }
    if tokens[next].isMark("="), !tokens[next + 1].isMark("=") { return (next + 1, false) }
    if tokens[next].isMark("+"), tokens[next + 1].isMark("=") { return (next + 2, true) }
    guard next + 4 < tokens.count, tokens[next].isMark("."),
      tokens[next + 1].word == "append" || tokens[next + 1].word == "insert",
      tokens[next + 2].isMark("(")
    else { return nil }
    return (tokens[next + 4].isMark(":") ? next + 5 : next + 3, true)
  }

  /// `NSSortDescriptor(key: "title", …)`, `NSSortDescriptor(keyPath: \CKRecord.creationDate, …)`
  func sort(of call: Int) -> SwiftSort? {
    guard let (label, key) = firstArgument(of: call) else { return nil }
    switch label {
    case "key": return SwiftSort(field: text(at: key), place: key)
    case "keyPath" where tokens[key].isMark("\\") && key + 1 < tokens.count:
      return SwiftSort(field: SwiftConstants.path(tokens, at: key + 1).words.last, place: key + 1)
    default: return nil
    }
  }

  /// The places of a list's elements.
  func elements(of list: Int) -> [Int] {
    guard list + 1 < tokens.count, !tokens[list + 1].isMark("]") else { return [] }
    return ([list + 1] + arguments(after: list)).filter { !tokens[$0].isMark("]") }
  }

  /// The type of a literal or of a framework's value, where nothing follows that makes another value of it.
  func dataType(at index: Int) -> DataType? {
    guard let (type, end) = SwiftType.made(tokens, at: index), endsExpression(end) else { return nil }
    return type.dataType
  }

  /// Whether an expression ends before a token.
  func endsExpression(_ index: Int) -> Bool {
    guard index < tokens.count else { return true }
    let token = tokens[index]
    return token.isMark(of: "),;}]") || token.word == "as"
      || token.startsLine && (token.word != nil || token.isMark(of: "@{"))
  }

  /// The label and the place of the first argument of a call: `Name(label: argument`, `Name.init(label: argument`.
  func firstArgument(of index: Int) -> (label: String, argument: Int)? {
    var open = index + 1
    if open + 1 < tokens.count, tokens[open].isMark("."), tokens[open + 1].word == "init" { open += 2 }
    guard open + 3 < tokens.count, tokens[open].isMark("("), let label = tokens[open + 1].word,
      tokens[open + 2].isMark(":")
    else { return nil }
    return (label, open + 3)
  }

  /// The place of a labeled argument of the call in which an argument begins at a token.
  func argumentIndex(_ label: String, from index: Int) -> Int? {
    ([index] + arguments(after: index - 1)).first { place in
      place + 2 < tokens.count && tokens[place].word == label && tokens[place + 1].isMark(":")
    }.map { $0 + 2 }
  }

  /// The places of the arguments behind one, or of the elements behind the bracket of a list, up to the end.
  func arguments(after index: Int) -> [Int] {
    var depth = 0
    var found: [Int] = []
    for place in tokens.indices.dropFirst(index + 1).prefix(400) {
      if depth == 0, tokens[place].isMark(","), place + 1 < tokens.count { found.append(place + 1) }
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
    stride(from: index - 1, to: max(1, index - 60), by: -1).first { place in
      tokens[place].word.map(["matching", "withQuery", "query"].contains) ?? false
        && tokens[place + 1].isMark(":")
    }.map { $0 + 2 }
  }

  /// Where `CKQuery(Note.self, where: filters)`, which code of `schema generate` offers, names the type.
  func typeArgument(of call: Int) -> Int? {
    let hasName = call + 2 < tokens.count && tokens[call + 1].isMark(".") && tokens[call + 2].word == "init"
    let open = hasName ? call + 3 : call + 1
    guard !constants.queryFields.isEmpty, open + 2 < tokens.count, tokens[open].isMark("("),
      tokens[open + 1].word != nil, !tokens[open + 2].isMark(":")
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
    let isImplicit = tokens[place].isMark(".") && place + 1 < tokens.count && tokens[place + 1].word == "init"
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

  /// The same, and whether the variable is a new one.
  func binding(before index: Int) -> (name: String, isNew: Bool)? {
    var place = index - 1
    // `name = .init(…`
    if place > 0, tokens[place].isMark("."), tokens[place - 1].word == nil { place -= 1 }
    if place > 0, tokens[place].word == "return", case .subject(let name)? = scopes.variable("return") {
      return (name, false)
    }
    while place > 0, let word = tokens[place].word, ["try", "await"].contains(word) { place -= 1 }
    if place > 0, tokens[place].isMark(of: "?:") {
      var depth = 0
      while place > 0, depth >= 0, !tokens[place].isMark(of: "{};"), tokens[place].word != "let" {
        if tokens[place].isMark("=") {
          guard tokens[place - 1].isMark(of: "=!<>") else { break }
          place -= 1
        }
        if tokens[place].isMark(of: ")]") { depth += 1 }
        if tokens[place].isMark(of: "([") { depth -= 1 }
        place -= 1
      }
    }
    guard place > 0, tokens[place].isMark("="), !tokens[place - 1].isMark("=") else { return nil }
    for start in stride(from: place - 1, to: max(-1, place - 8), by: -1) {
      if tokens[start].isMark(of: "{};") { break }
      if let word = tokens[start].word, word == "let" || word == "var" {
        return tokens[start + 1].word.map { ($0, true) }
      }
      if tokens[start].startsLine { break }
    }
    return tokens[place - 1].word.map { ($0, false) }
  }

  enum DeclarationPlace { case initializer, function, closure, property }

  /// What a declaration with the type at a place is part of.
  func declarationPlace(_ index: Int) -> DeclarationPlace {
    guard let open = opening(before: index), tokens[open].isMark("(") else { return .property }
    var before = open - 1
    if before > 0, tokens[before].isMark(of: "?!") { before -= 1 }
    guard before >= 0 else { return .function }
    return tokens[before].isMark("{") ? .closure : tokens[before].word == "init" ? .initializer : .function
  }
}
