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
    guard word == "NSPredicate" || word == "NSCompoundPredicate" else {
      guard case .predicate(let conditions)? = word.flatMap(scopes.variable) else { return nil }
      return conditions
    }
    guard let (label, argument) = firstArgument(of: call) else { return nil }
    if label == "notPredicateWithSubpredicate" { return conditions(at: argument) }
    if word == "NSCompoundPredicate" {
      return (label == "type" ? argumentIndex("subpredicates", from: call) : argument).flatMap(
        conditions(ofList:))
    }
    let all = [
      PredicateCondition(subject: .field("___recordID"), comparator: .equals, place: tokens[call].range)
    ]
    if label == "value" { return all }
    let (format, end) = constants.partialValue(tokens, at: argument, in: scopes)
    guard label == "format", let format else { return nil }
    if format == "TRUEPREDICATE" { return all }
    return PredicateFormat.conditions(
      of: format, in: source, at: tokens[argument].range.lowerBound..<tokens[end - 1].range.upperBound,
      arguments: arguments(after: end - 1).map { place in
        PredicateFormat.Argument(
          text: text(at: place), type: valueType(at: place), place: tokens[place].range)
      })
  }

  /// The conditions of the predicates in a list, or in the variable with one.
  func conditions(ofList index: Int) -> [PredicateCondition]? {
    guard index < tokens.count, tokens[index].isMark("[") else { return conditions(at: index) }
    return elements(of: index).flatMap {
      conditions(at: $0) ?? [
        PredicateCondition(subject: .unknown, comparator: .equals, place: tokens[$0].range)
      ]
    }
  }

  /// The sorts of a list; `nil` where only running the code shows them.
  func sorts(at index: Int) -> [SwiftSort]? {
    guard index < tokens.count else { return nil }
    guard tokens[index].isMark("[") else {
      guard case .sorts(let sorts)? = tokens[index].word.flatMap(scopes.variable) else { return nil }
      return sorts
    }
    var sorts: [SwiftSort] = []
    for element in elements(of: index) {
      let call = tokens[element].isMark(".") ? element + 1 : element
      if let (label, key) = firstArgument(of: call), label == "key" {
        sorts.append(SwiftSort(field: text(at: key), place: key))
      } else if case .sorts(let known)? = tokens[element].word.flatMap(scopes.variable) {
        sorts += known
      } else {
        sorts.append(SwiftSort(field: nil, place: element))
      }
    }
    return sorts
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

  /// The place of a labeled argument of the call that a token is in, or begins.
  func argumentIndex(_ label: String, from index: Int) -> Int? {
    var depth = 0
    for place in index..<min(tokens.count, index + 400) {
      if tokens[place].isMark(of: "([{") { depth += 1 }
      if tokens[place].isMark(of: ")]}") {
        depth -= 1
        if depth < 0 { return nil }
      }
      if depth <= 1, tokens[place].word == label, place + 2 < tokens.count, tokens[place + 1].isMark(":") {
        return place + 2
      }
    }
    return nil
  }

  /// The places of the arguments behind one, or of the elements behind the bracket of a list, up to the end.
  func arguments(after index: Int) -> [Int] {
    var depth = 0
    var found: [Int] = []
    for place in (index + 1)..<min(tokens.count, index + 400) {
      if depth == 0, tokens[place].isMark(","), place + 1 < tokens.count {
        // `argumentArray: [a, b]` has them in a list.
        if tokens[place + 1].word == "argumentArray" { continue }
        found.append(place + 1)
      }
      if tokens[place].isMark(of: "([") { depth += 1 }
      if tokens[place].isMark(of: ")]") {
        depth -= 1
        if depth < 0 { break }
      }
    }
    return found
  }

  /// The query that the call of an argument names: `matching: query`, `withQuery: query`.
  func queryBefore(_ index: Int) -> String? {
    for place in stride(from: index - 1, to: max(1, index - 40), by: -1) {
      guard let word = tokens[place].word, ["matching", "withQuery", "query"].contains(word),
        tokens[place + 1].isMark(":")
      else { continue }
      return tokens[place + 2].word
    }
    return nil
  }

  /// The variable that an expression is assigned to: `let name = CKRecord(…`, `name = known ?? CKRecord(…`,
  /// `name = isFirst ? NSPredicate(…`.
  func boundName(before index: Int) -> String? { binding(before: index)?.name }

  /// The same, and whether the variable is a new one.
  func binding(before index: Int) -> (name: String, isNew: Bool)? {
    var place = index - 1
    // `name = .init(…`
    if place > 0, tokens[place].isMark("."), tokens[place - 1].word == nil { place -= 1 }
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
    var depth = 0
    for place in stride(from: index, to: max(0, index - 200), by: -1) {
      if tokens[place].isMark(")") { depth += 1 }
      if tokens[place].isMark("(") {
        depth -= 1
        guard depth < 0 else { continue }
        var before = place - 1
        if before > 0, tokens[before].isMark(of: "?!") { before -= 1 }
        guard before >= 0 else { return .function }
        return tokens[before].isMark("{")
          ? .closure : tokens[before].word == "init" ? .initializer : .function
      }
      if tokens[place].isMark(of: "{}") { break }
    }
    return .property
  }
}
