internal import Diagnostics
internal import SchemaLanguage

/// The queries of a file, their predicates and sorts.
extension SwiftUseReader {
  /// `fetch(recordType: "Note", predicate: …)`: a function of the app's own that asks or makes what its labels say.
  mutating func readLabel(_ index: Int) {
    guard tokens[index - 1].isMark(of: "(,"), tokens[index + 1].isMark(":"), let type = text(at: index + 2)
    else { return }
    let known = ["CKRecord", "CKQuery", "CKQuerySubscription", "init"]
    guard !tokens[index - 1].isMark("(") || !(tokens[index - 2].word.map(known.contains) ?? false) else {
      return
    }
    add(.type, type, nil, at: index + 2, isAsked: true)
    readQueryArguments(of: type, from: index)
  }

  mutating func readQueryArguments(of type: String?, from argument: Int) {
    if let sorts = argumentIndex("sortDescriptors", from: argument) { readSorts(sorts, of: type) }
    guard let predicate = argumentIndex("predicate", from: argument) else { return }
    guard let type else { return undecide(predicate, .recordType) }
    guard let found = conditions(at: predicate) else { return undecide(predicate, .predicate) }
    for condition in found {
      switch condition.subject {
      case .field(let field):
        add(
          .filter, type, field, at: predicate, place: condition.place, comparator: condition.comparator,
          value: condition.value, shownType: condition.type.flatMap(constants.types.dataType))
      case .everyField:
        add(.filter, type, nil, at: predicate, place: condition.place, comparator: condition.comparator)
      case .unknown: undecide(condition.place, .predicate)
      case .refused(let part):
        refusals.append(
          Diagnostic(AppRule.refusedPredicate, part.message, at: condition.place, help: part.help))
      }
    }
  }

  mutating func readQuery(_ index: Int) {
    if let place = typeArgument(of: index) { return readGeneratedQuery(index, of: place) }
    guard let (label, argument) = firstArgument(of: index), label == "recordType" else { return }
    let type = text(at: argument)
    add(.type, type, nil, at: argument, isAsked: true)
    setQuery(type, before: index)
    readQueryArguments(of: type, from: argument)
  }

  /// `CKQuery(Note.self, where: filters)`; the filters and sorts are read where they are made.
  private mutating func readGeneratedQuery(_ index: Int, of place: Int) {
    let type = recordType(ofType: place)
    add(.type, type, nil, at: place, isAsked: true)
    setQuery(type, before: index)
    let filters = argumentIndex("where", from: place)
    let isEmpty = filters.map { tokens[$0].isMark("[") && elements(of: $0).isEmpty } ?? true
    if let type, isEmpty { add(.filter, type, "___recordID", at: place, comparator: .equals) }
  }

  /// A filter or a sort of generated code, at the name of the field: `Note.Query.title == "a"`,
  /// `Note.Query.title.ascending`.
  mutating func readQueryField(_ index: Int) {
    guard let word = tokens[index].word, constants.queryFields.contains(word) else { return }
    let start = pathStart(index)
    let path = tokens[start...index].compactMap(\.word)
    guard start == 0 || !tokens[start - 1].isMark("."), path.count > 1 || scopes.variable(word) == nil,
      !tokens[index + 1].isMark(":"), let (field, type) = constants.queryField(path, in: scopes.typeNames)
    else { return }
    let (first, second) = (tokens[index + 1], tokens[index + 2])
    var comparator: Comparator?
    if first.isMark(".") {
      switch second.word {
      case "ascending", "descending": return add(.sort, type, field, at: start)
      case "name": return
      case "isAny": comparator = .in
      case "contains": comparator = .listContains
      case "hasPrefix": comparator = .beginsWith
      case "containsAllWords": comparator = .containsAllTokens
      default: break
      }
    } else {
      let marks = tokens[(index + 1)...].prefix(2).prefix { $0.isMark(of: "=!<>") }
      let text = String(decoding: marks.flatMap { source.bytes[$0.range] }, as: UTF8.self)
      comparator = Comparator.symbols.first { $0.text == text }?.comparator
    }
    guard let comparator else { return undecide(start, .predicate) }
    add(.filter, type, field, at: start, comparator: comparator)
  }

  mutating func readOperation(_ index: Int) {
    if let query = argumentIndex("query", from: index + 2) { setQuery(queryType(at: query), before: index) }
  }

  /// A variable gets a query, or an operation with one, that is made at a place. Behind a branch it may be another one.
  private mutating func setQuery(_ type: String?, before index: Int) {
    guard let (name, isNew, _) = binding(before: index) else { return }
    if !isNew, !scopes.isShared(name) {
      let isOther = if case .query(let first)? = scopes.variable(name) { first != type } else { false }
      scopes.change(name, .query(isOther ? nil : type))
    }
    scopes.set(name, .query(type))
  }

  /// A predicate that a variable gets, and that a property or a function may give.
  mutating func readPredicate(_ index: Int) {
    if let bound = binding(before: index),
      expression(at: bound.value).values.first(where: { makesPredicate($0) }) == index
    {
      let found = predicate(at: bound.value)
      if !scopes.isLocal || scopes.typeName != nil && scopes.isShared(bound.name) {
        named.add(found, to: memberKey(bound.name))
      }
      // What a variable of the function gets is read at its name.
      if case .predicate? = scopes.variable(bound.name) {} else { scopes.set(bound.name, .predicate(found)) }
    }
    guard let key = body(giving: \.isPredicate) else { return }
    guard makesPredicate(index) else { return named.refer(to: predicateKeys(at: index), from: key) }
    guard tokens[index].word == "NSCompoundPredicate" else {
      return named.add(predicate(at: index), to: key)
    }
    let found = predicate(at: index)
    named.add(found.filter(\.isRefused), to: key)
    referUnknown(found, from: key)
  }

  /// What a body joins or chooses from is read where it is made, or by its name; where it has none, it is unknown.
  private mutating func referUnknown(_ found: [PredicateCondition], from key: String) {
    for condition in found where condition.subject == .unknown {
      let start = condition.place.offsets.lowerBound
      guard let place = tokens.firstIndex(where: { $0.range.lowerBound == start && !$0.isEdge }),
        !makesPredicate(place)
      else { continue }
      named.refer(to: predicateKeys(at: place), from: key, orUnknownAt: condition.place)
    }
  }

  /// The conditions of a predicate that a variable gets; of one that only running the code shows, that it is unknown.
  func predicate(at index: Int) -> [PredicateCondition] {
    conditions(at: index) ?? [.unknown(place(of: index))]
  }

  /// A name in the body of a property or function that gives a predicate may be that of the predicate.
  mutating func readPredicateName(_ index: Int) {
    guard let key = body(giving: \.isPredicate) else { return }
    // `.mine` begins at its dot, and what follows a name with a dot belongs to the name.
    let isPart = tokens[index - 1].isMark(".")
    guard !isPart || index < 2 || tokens[index - 2].word == nil else { return }
    named.refer(to: predicateKeys(at: isPart ? index - 1 : index), from: key)
  }

  mutating func readReturnedPredicate(_ index: Int) {
    guard !tokens[index + 1].isEdge else { return }
    if case .subject(let name)? = scopes.variable("return"),
      case .predicate(let first)? = scopes.variable(name)
    {
      return scopes.change(name, .predicate(first + predicate(at: index + 1)))
    }
    guard let key = body(giving: \.isPredicate) else { return }
    referUnknown(predicate(at: index + 1), from: key)
  }

  mutating func readSortBinding(_ index: Int) {
    guard let bound = binding(before: index) else { return }
    if case .sorts? = scopes.variable(bound.name) { return }
    scopes.set(bound.name, .sorts(sorts(at: bound.value) ?? [.unknown(bound.value)]))
  }

  /// What the code gives to a variable with a text, a predicate or a list: in the braces of its declaration instead of what
  /// it had, in a branch perhaps.
  mutating func readChange(of word: String, _ variable: SwiftVariable, _ index: Int) {
    guard !["let", "var"].contains(tokens[index - 1].word) else { return }
    // `addFilters(to: &filters)`
    let isLent = tokens[index - 1].isMark("&") && tokens[index - 2].isMark(of: "(,:")
    guard let (place, isMore) = isLent ? (index - 1, true) : given(at: index + 1) else { return }
    let keeps = isMore || !scopes.declares(word)
    switch variable {
    case .sorts(let first):
      scopes.change(word, .sorts((keeps ? first : []) + (sorts(at: place) ?? [.unknown(place)])))
    case .keys(let first):
      scopes.change(word, .keys((keeps ? first : []) + (keys(at: place) ?? [.unknown(place)])))
    case .predicate(let first):
      scopes.change(word, .predicate((keeps ? first : []) + predicate(at: place)))
    case .text(let first):
      scopes.change(word, .text("\(keeps ? first : "") \(format(at: place).text) \(SwiftConstants.change)"))
    default: break
    }
  }

  private mutating func readSorts(_ index: Int, of type: String?) {
    guard let sorts = sorts(at: index) else { return undecide(index, .sort) }
    for sort in sorts { add(.sort, type, sort.field.map(PredicateFormat.storedName), at: sort.place) }
  }

  /// `query.sortDescriptors = …`, or in an extension of CKQuery without the query. A fetch request has sorts, too.
  mutating func readGivenSorts(_ index: Int) {
    guard tokens[index - 1].word != "let", tokens[index - 1].word != "var",
      let (place, _) = given(at: index + 1)
    else { return }
    if case .query(let type)? = owner(of: index) { return readSorts(place, of: type) }
    let isMember = tokens[index - 1].isMark(".")
    let type = isMember ? operandType(upTo: index - 1) : scopes.typeName.map { SwiftType($0) }
    let isRequest = isMember && tokens[index - 2].word?.lowercased().hasSuffix("request") ?? false
    guard type?.isQuery ?? isMember, !isRequest else { return }
    readSorts(place, of: nil)
  }

  /// The variable with the query, the operation or the subscription of a member: `query.sortDescriptors`,
  /// `subscription.notificationInfo?.desiredKeys`.
  private func owner(of index: Int) -> SwiftVariable? {
    guard tokens[index - 1].isMark(".") else { return nil }
    var place = index - 2
    while tokens[place].isMark(of: "?!") { place -= 1 }
    guard let name = tokens[place].word else { return nil }
    let isVariable = !tokens[place - 1].isMark(".") || tokens[place - 2].word == "self"
    if isVariable, case .query? = scopes.variable(name) { return scopes.variable(name) }
    return name == "query" || name == "notificationInfo" ? owner(of: place) : nil
  }

  /// The names of fields that an operation gets, or the notification of a subscription: `operation.desiredKeys = ["title"]`,
  /// `records(matching: query, desiredKeys: ["title"])`, `info.alertLocalizationArgs = ["title"]`.
  mutating func readKeys(_ index: Int) {
    let isLabel = tokens[index + 1].isMark(":") && tokens[index - 1].isMark(of: "(,")
    guard tokens[index - 1].word != "let", tokens[index - 1].word != "var",
      let place = isLabel ? index + 2 : given(at: index + 1)?.place
    else { return }
    // `func load(desiredKeys: [String])`
    if isLabel, let open = opening(before: index),
      tokens[open - 2].word == "func" || tokens[open - 1].word == "init" && !tokens[open - 2].isMark(".")
    {
      return
    }
    var type = isLabel ? queryBefore(index).flatMap { queryType(at: $0) } : nil
    if !isLabel, case .query(let own)? = owner(of: index) { type = own }
    for key in keys(at: place) ?? [.unknown(place)] {
      add(.field, type, key.field, at: key.place, isRead: true)
    }
  }
}
