internal import Diagnostics
internal import SchemaLanguage

/// A comparison in a predicate: a field, and what it is compared by.
struct PredicateCondition: Sendable, Equatable {
  enum Subject: Sendable, Equatable {
    /// A field, as the schema names it.
    case field(String)
    /// The words of all fields.
    case everyField
    /// Only running the code shows it.
    case unknown
    /// A part that no query can have.
    case refused(PredicateRefusal)
  }

  let subject: Subject
  var comparator: Comparator
  /// The type of the field, where the other side shows it.
  var type: SwiftType?
  /// The other side, if it is a literal.
  var value: JSONValue?
  /// Where the code names the field.
  var place: SourceRange

  /// What only running the code shows, at a place.
  static func unknown(_ place: SourceRange) -> PredicateCondition {
    PredicateCondition(subject: .unknown, comparator: .equals, place: place)
  }

  /// What no query can have, at a place.
  static func refused(_ part: PredicateRefusal, _ place: SourceRange) -> PredicateCondition {
    PredicateCondition(subject: .refused(part), comparator: .equals, place: place)
  }

  /// Whether `NOT` before it makes a query that is refused (Documentation/reference/web-services.md#native-predicates).
  var refusesNot: Bool { comparator == .near || comparator == .containsAllTokens }

  /// The condition for a member of a list: `ANY tags == %@`; of `ANY {1, 2} = count`, that the field is one of them.
  func ofMembers(isListFirst: Bool) -> PredicateCondition {
    var condition = self
    if isListFirst, comparator == .equals {
      condition.comparator = .in
      return condition
    }
    let forMembers: [Comparator: Comparator] = [
      .equals: .listContains, .notEquals: .notListContains, .in: .listContainsAny,
      .beginsWith: .listMemberBeginsWith,
    ]
    condition.comparator = forMembers[comparator] ?? comparator
    condition.type = type.map { SwiftType($0.name, isList: true) }
    return condition
  }
}

/// A part of a predicate that no query can have (Documentation/reference/web-services.md#native-predicates).
enum PredicateRefusal: Sendable, Equatable {
  /// A word such as OR, ALL or LIKE.
  case word(String)
  /// NOT before what it cannot negate.
  case not
  /// A field of another record, or a collection operator.
  case path(String)
  case outside
  case block

  var message: String {
    switch self {
    case .word(let word): "a query cannot have \(word) in its predicate"
    case .not: "a query cannot have NOT before AND, BETWEEN, a search for words or a distance"
    case .path(let path): "a query cannot ask for '\(path)': only fields of the record itself can be compared"
    case .outside: "a query can ask for places within a distance, not for those beyond it"
    case .block: "a query cannot have a predicate with a block"
    }
  }

  var help: String {
    switch self {
    case .word("OR"):
      "make a query for each side and join the results, or use IN for several values of one field"
    case .word(let word) where PredicateFormat.refusedComparisons.contains(word):
      "use ==, IN, BEGINSWITH or self CONTAINS, or let the app choose"
    case .path: "keep the value in a field of the record, or look the other record up"
    default: "ask for more, and let the app choose among the results"
    }
  }
}

/// The predicates, sorts and names of fields that expressions give, and the parts of calls that have them.
extension SwiftUseReader {
  /// The elements of a list, or what a single value is, where the code shows it: of a literal, of a name, of several with
  /// `+`, `?:` or `??` between them.
  ///
  /// - Parameters:
  ///   - unknown: stands for what only running the code shows, at a place.
  ///   - named: what a single value at a place has.
  ///   - element: what an element at a place has.
  private func list<Element: Equatable>(
    at index: Int, unknown: (Int) -> Element, named: (SwiftUseReader, Int) -> [Element]?,
    element: (SwiftUseReader, Int) -> [Element]?
  ) -> [Element]? {
    var values: [Value] = []
    for value in expression(at: index).values.joined() where !values.contains(value) { values.append(value) }
    let found = values.map { value -> (place: Int, known: [Element]?) in
      let place = value.range.lowerBound
      guard !value.range.isEmpty else { return (place, nil) }
      let reader = hiding(value.hidden)
      guard tokens[place].isMark("[") else {
        return (place, tokens[place].word == "nil" ? [] : named(reader, place))
      }
      let end = tokens[place].pair + 1
      // `[NSPredicate]()`
      if tokens[end].isMark("("), tokens.isJoined(end) { return (place, []) }
      guard keepsElements(end) else { return (place, nil) }
      return (place, tokens.arguments(in: place).flatMap { element(reader, $0) ?? [unknown($0)] })
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
      at: index, unknown: { .unknown(place(of: $0)) }, named: { $0.conditionsOfOne(at: $1) },
      element: { $0.conditions(at: $1) })
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
    let behind = tokens[open].pair + 1
    guard tokens[behind].isMark("."), tokens[behind + 1].word != "withSubstitutionVariables" else {
      return found
    }
    return found.map { $0 + [.unknown(place(of: behind + 1))] }
  }

  /// The conditions of a predicate that a call makes.
  private func conditions(ofCall call: Int) -> [PredicateCondition]? {
    let place = source.range(tokens[call].range)
    let every = PredicateCondition(subject: .field("___recordID"), comparator: .equals, place: place)
    if hasBlock(call) { return [.refused(.block, place)] }
    guard let (label, argument) = firstArgument(of: call) else { return nil }
    switch label {
    case "notPredicateWithSubpredicate":
      guard let negated = conditions(at: argument) else { return nil }
      let isOfSeveral = negated.count > 1 && makesPredicate(argument)
      return isOfSeveral || negated.contains(where: \.refusesNot) ? [.refused(.not, place)] : negated
    case "block": return [.refused(.block, place)]
    case "type":
      guard let list = tokens.argument("subpredicates", from: argument) else { return nil }
      return joined(list, by: tokens.path(at: argument).words.last, place)
    case "orPredicateWithSubpredicates", "andPredicateWithSubpredicates":
      return joined(argument, by: label == "orPredicateWithSubpredicates" ? "or" : nil, place)
    case "value": return [every]
    case "format": break
    default: return nil
    }
    let (formats, end) = texts(at: argument)
    let list = tokens.argument("argumentArray", from: end)
    let places =
      list.map { tokens[$0].isMark("[") ? tokens.arguments(in: $0) : [] }
      ?? tokens.arguments(in: tokens[end].outer).filter { $0 > end }
    // With several names that an argument may be, each makes its own conditions.
    let all = places.reduce([[]]) { lists, place -> [[PredicateFormat.Argument]] in
      let (type, range) = (valueType(at: place), source.range(tokens[place].range))
      var number: String?
      if case .number = tokens[place].kind, tokens[place + 1].isMark(of: ",)]") {
        number = source.text(in: tokens[place].range)
      }
      let names = lists.count > 16 ? [nil] : self.names(at: place).names.map { $0.field ?? number }
      return names.flatMap { name in
        lists.map { $0 + [PredicateFormat.Argument(text: name, type: type, place: range)] }
      }
    }
    let range = tokens[argument].range.lowerBound..<tokens[max(argument, end - 1)].range.upperBound
    var found: [PredicateCondition] = []
    for format in formats {
      if format == "TRUEPREDICATE" { found.append(every) }
      for arguments in all {
        found += PredicateFormat.conditions(
          of: format, in: source, at: range, arguments: arguments
        ).filter { !found.contains($0) }
      }
    }
    return found
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
    var (path, isImplicit, _) = tokens.path(at: index)
    guard let name = path.last, path.count > 1 || isImplicit || scopes.isShared(name) else { return [] }
    if path.count > 1, let owner = path.dropLast().last, owner != "self", owner != "Self" {
      let variable = scopes.variable(owner)
      path = [(variable == nil ? statedType(of: owner) : variable?.type)?.name ?? owner, name]
    }
    return constants.keys(of: path, isImplicit: isImplicit, of: "NSPredicate", in: scopes.typeNames)
  }

  /// The sorts of a list; `nil` where only running the code shows them.
  func sorts(at index: Int) -> [SwiftKey]? {
    list(
      at: index, unknown: SwiftKey.unknown, named: { $0.sortsOfOne(at: $1) }, element: { $0.sorts(at: $1) })
  }

  private func sortsOfOne(at index: Int) -> [SwiftKey]? {
    let call = tokens[index].isMark(".") ? index + 1 : index
    let word = tokens[call].word ?? ""
    if ["NSSortDescriptor", "CKLocationSortDescriptor", "init"].contains(word),
      let (label, key) = firstArgument(of: call)
    {
      // `NSSortDescriptor(keyPath: \CKRecord.creationDate, …)`
      if label == "keyPath", tokens[key].isMark("\\") {
        return [SwiftKey(field: tokens.path(at: key + 1).words.last, place: key + 1)]
      }
      if label == "key" { return names(at: key).names }
    }
    if case .sorts(let known)? = scopes.variable(word), keepsElements(call + 1) { return known }
    return constantKeys(at: index, of: "NSSortDescriptor") { $0.sorts(at: $1) }
  }

  /// What a constant gives, at the place that names it: `newest`, `Sorts.newest`, `.newest` of an extension of
  /// NSSortDescriptor, `Self.desiredKeys`.
  private func constantKeys(
    at index: Int, of type: String, _ read: (SwiftUseReader, Int) -> [SwiftKey]?
  ) -> [SwiftKey]? {
    let (path, isImplicit, end) = tokens.path(at: index)
    guard expressionEnd(index) == end, let name = path.last,
      path.count > 1 || isImplicit || scopes.isShared(name)
    else { return nil }
    for isList in [false, true] {
      let found = constant(path, isImplicit: isImplicit, of: type, isList: isList) { reader, value in
        read(reader, value.place)?.map { SwiftKey(field: $0.field, place: index) }
      }
      if let found { return found }
    }
    return nil
  }

  func keys(at index: Int) -> [SwiftKey]? {
    list(
      at: index, unknown: SwiftKey.unknown, named: { $0.keysOfOne(at: $1) }, element: { $0.key(at: $1) })
  }

  private func keysOfOne(at index: Int) -> [SwiftKey]? {
    guard case .keys(let keys)? = tokens[index].word.flatMap(scopes.variable) else {
      return key(at: index) ?? constantKeys(at: index, of: "") { $0.keys(at: $1) }
    }
    return keepsElements(index + 1) ? keys : nil
  }

  private func key(at index: Int) -> [SwiftKey]? {
    let names = self.names(at: index).names
    return names.contains { $0.field != nil } ? names : nil
  }

  /// What the code gives to a list or text before a token, and whether it keeps what it has: `= [a]`, `.append(a)`.
  func given(at index: Int) -> (place: Int, isMore: Bool)? {
    var next = index
    while tokens[next].isMark(of: "?!") { next += 1 }
    if tokens[next].isMark("="), !tokens[next + 1].isMark("=") { return (next + 1, false) }
    if tokens[next].isMark("+"), tokens[next + 1].isMark("=") { return (next + 2, true) }
    if tokens[next].isMark("["), tokens.isJoined(next) {
      let end = tokens[next].pair + 1
      return tokens[end].isMark("=") && !tokens[end + 1].isMark("=") ? (end + 1, true) : nil
    }
    guard tokens[next].isMark("."), tokens[next + 1].word == "append" || tokens[next + 1].word == "insert",
      tokens[next + 2].isMark("(")
    else { return nil }
    return (tokens[next + 4].isMark(":") ? next + 5 : next + 3, true)
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
}
