internal import Diagnostics
internal import SchemaLanguage

/// The queries of a file, their predicates and sorts.
extension SwiftUseReader {
  /// `fetch(recordType: "Note", predicate: …)`: a function of the app's own that asks or makes what its labels say.
  mutating func readLabel(_ index: Int) {
    guard index >= 2, tokens[index - 1].isMark(of: "(,"), index + 2 < tokens.count,
      tokens[index + 1].isMark(":"),
      let type = text(at: index + 2)
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
      case .unknown: undecide(predicate, .predicate)
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
    guard let word = tokens[index].word, constants.queryFields.contains(word), index + 2 < tokens.count else {
      return
    }
    let start = pathStart(index)
    let path = tokens[start...index].compactMap(\.word)
    guard start == 0 || !tokens[start - 1].isMark("."), path.count > 1 || scopes.variable(word) == nil,
      !tokens[index + 1].isMark(":"),
      let (field, type) = constants.queryField(path, in: scopes.typeNames)
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
    guard let (name, isNew) = binding(before: index) else { return }
    if !isNew, !scopes.isShared(name) {
      let isOther = if case .query(let first)? = scopes.variable(name) { first != type } else { false }
      scopes.change(name, .query(isOther ? nil : type))
    }
    scopes.set(name, .query(type))
  }

  /// A predicate that a variable gets, and that a property or a function may give.
  mutating func readPredicate(_ index: Int) {
    let bound = binding(before: index)
    let found = conditions(at: index)
    if let (name, isNew) = bound, let found {
      // The second of `isFirst ? NSPredicate(…) : NSPredicate(…)`, or of two assignments: one of them is asked for.
      if case .predicate(let first)? = scopes.variable(name), !isNew || tokens[index - 1].isMark(":") {
        scopes.change(name, .predicate(first + found))
      } else {
        scopes.set(name, .predicate(found))
      }
    }
    if let key = body(giving: \.isPredicate) {
      guard makesPredicate(index) else { return named.refer(to: predicateKeys(at: index), from: key) }
      // What a compound predicate joins is read where it is made.
      let isCompound = tokens[index].word == "NSCompoundPredicate"
      named.add((found ?? []).filter { !isCompound || $0.isRefused }, to: key)
    } else if !scopes.isLocal, let name = bound?.name, let found {
      named.add(found, to: memberKey(name))
    }
  }

  /// A name in the body of a property or function that gives a predicate may be that of the predicate.
  mutating func readPredicateName(_ index: Int) {
    guard let key = body(giving: \.isPredicate) else { return }
    // `.mine` begins at its dot, and what follows a name with a dot belongs to the name.
    let isPart = index > 0 && tokens[index - 1].isMark(".")
    guard !isPart || index < 2 || tokens[index - 2].word == nil else { return }
    named.refer(to: predicateKeys(at: isPart ? index - 1 : index), from: key)
  }

  mutating func readReturnedPredicate(_ index: Int) {
    guard index + 1 < tokens.count, tokens[index + 1].word?.hasSuffix("Predicate") != true else { return }
    if let key = body(giving: \.isPredicate), conditions(at: index + 1) == nil {
      named.refer(
        to: predicateKeys(at: index + 1), from: key, orUnknownAt: source.range(tokens[index + 1].range))
    }
    guard tokens[index + 1].word != nil, case .subject(let name)? = scopes.variable("return") else { return }
    scopes.change(name, .other)
  }

  mutating func readSortBinding(_ index: Int) {
    guard let name = boundName(before: index), let sort = sort(of: index) else { return }
    scopes.set(name, .sorts([sort]))
  }

  /// What the code gives to a query, to sorts or to a predicate, whose variable is at a place.
  mutating func readChange(of word: String, _ variable: SwiftVariable, _ index: Int) {
    let isNew = index > 0 && ["let", "var"].contains(tokens[index - 1].word)
    switch variable {
    case .query(let type):
      guard tokens[index + 1].isMark("."), index + 4 < tokens.count,
        tokens[index + 2].word == "sortDescriptors", let (place, _) = givenSorts(at: index + 3)
      else { return }
      readSorts(place, of: type)
    case .sorts(let first):
      guard !isNew, let (place, areMore) = givenSorts(at: index + 1) else { return }
      let unknown = [SwiftSort(field: nil, place: place)]
      scopes.change(word, .sorts((areMore ? first : []) + (sorts(at: place) ?? unknown)))
    case .predicate(let first) where tokens[index + 1].isMark(".") && index + 4 < tokens.count:
      // `conditions.append(NSPredicate(…))`
      guard tokens[index + 2].word == "append" || tokens[index + 2].word == "insert" else { return }
      scopes.change(word, conditions(at: index + 4).map { .predicate(first + $0) } ?? .other)
    case .predicate:
      guard !isNew, index + 2 < tokens.count, tokens[index + 1].isMark("="),
        !tokens[index + 2].isMark("="), tokens[index + 2].word?.hasSuffix("Predicate") != true
      else { return }
      scopes.change(word, .other)
    default: break
    }
  }

  private mutating func readSorts(_ index: Int, of type: String?) {
    guard let sorts = sorts(at: index) else { return undecide(index, .sort) }
    for sort in sorts { add(.sort, type, sort.field.map(PredicateFormat.storedName), at: sort.place) }
  }

  /// `operation.desiredKeys = ["title"]`, `records(matching: query, desiredKeys: ["title"])`
  mutating func readDesiredKeys(_ index: Int) {
    guard index + 2 < tokens.count, tokens[index + 1].isMark(of: "=:"), tokens[index + 2].isMark("[")
    else { return }
    let query = tokens[index + 1].isMark(":") ? queryBefore(index) : index - 2
    let type =
      tokens[index + 1].isMark(":") || index >= 2 && tokens[index - 1].isMark(".")
      ? query.flatMap { queryType(at: $0) } : nil
    for key in elements(of: index + 2) { add(.field, type, text(at: key), at: key, isRead: true) }
  }
}
