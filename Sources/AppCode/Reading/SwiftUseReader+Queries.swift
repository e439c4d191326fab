internal import Diagnostics
internal import SchemaLanguage

/// The queries of a file, their predicates and sorts.
extension SwiftUseReader {
  /// `CKRecord(recordType: "Note")`, `CKQuery(recordType: …`, `self.init(recordType: …` in an extension of CKRecord,
  /// `.init(recordType: …` where a record or a query is wanted, and `fetch(recordType: "Note", predicate: …)`: a function of
  /// the app's own that asks or makes what its labels say.
  mutating func readTypeLabel(_ index: Int) {
    guard tokens[index - 1].isMark(of: "(,"), tokens[index + 1].isMark(":"),
      let open = tokens[index].outer
    else { return }
    let isInit = tokens[open - 1].word == "init"
    guard !isInit || tokens[open - 2].isMark(".") else { return }
    let isImplicit =
      isInit && (tokens[open - 3].word == nil || !tokens.isJoined(open - 2))
    let name = isImplicit ? nil : tokens[isInit ? open - 3 : open - 1].word
    let isSelf = isInit && name == "self"
    let isOfRecord =
      name == "CKRecord" || isSelf || isImplicit && tokens.argument("predicate", from: open + 1) == nil
    let isOfQuery = isImplicit || name == "CKQuery" || name == "CKQuerySubscription"
    let isKnown = names(at: index + 2).names.contains { $0.field != nil }
    guard isOfRecord || isOfQuery || isKnown else { return }
    // The calls of a maker show it.
    let makers = constants.makers.values.joined().filter { $0.place == index + 2 && $0.source === source }
    guard !makers.contains(where: namesType) else { return }
    let types = readTypes(at: index + 2, isMade: isOfRecord, isAsked: !isOfRecord)
    if isSelf, case .record? = scopes.variable("self") { scopes.set("self", .record(text(at: index + 2))) }
    for type in types { readQueryArguments(of: type, from: open + 1) }
  }

  mutating func readQueryArguments(of type: String?, from argument: Int) {
    if let sorts = tokens.argument("sortDescriptors", from: argument) { readSorts(sorts, of: type) }
    if let predicate = tokens.argument("predicate", from: argument) { readPredicate(predicate, of: type) }
  }

  /// Of a query whose record type the code does not show, only what no query takes is found.
  private mutating func readPredicate(_ predicate: Int, of type: String?) {
    if type == nil { undecide(predicate, .recordType) }
    guard let found = conditions(at: predicate) else { return undecide(predicate, .predicate) }
    for condition in found {
      switch condition.subject {
      case .field(let field):
        add(
          .filter, type, field, at: predicate, place: condition.place, comparator: condition.comparator,
          value: condition.value, shownType: condition.type.flatMap(constants.types.dataType))
      case .everyField:
        add(.filter, type, nil, at: predicate, place: condition.place, comparator: condition.comparator)
      case .unknown: if type != nil { undecide(condition.place, .predicate) }
      case .refused(let part):
        refusals.append(
          Diagnostic(AppRule.refusedPredicate, part.message, at: condition.place, help: part.help))
      }
    }
  }

  /// `CKQuery(.note, where: predicate)`, `makeRecord(.note)`: an initializer or a function of the app's own.
  mutating func readOwnCall(_ open: Int) {
    let call = ownCall(open)
    if let (maker, arguments, type) = call {
      let isAsked = maker.predicate != nil
      for name in type ?? [.unknown(arguments[maker.argument] ?? open)] {
        add(.type, name.field, nil, at: name.place, isMade: !isAsked, isAsked: isAsked)
        guard type != nil, let place = maker.predicate.flatMap({ arguments[$0] }) else { continue }
        readPredicate(place, of: name.field)
      }
    }
    let word = tokens[open - 1].word == "init" ? tokens[open - 3].word : tokens[open - 1].word
    guard call?.type == nil, word == "CKQuery", tokens.isJoined(open) else { return }
    let arguments = tokens.arguments(in: open).map(tokens.labeled)
    guard !arguments.contains(where: { $0.label == "recordType" }) else { return }
    for (_, place) in arguments where valueType(at: place)?.isPredicate ?? false {
      readPredicate(place, of: nil)
    }
  }

  /// The maker that a call names, its arguments by parameter, and the record types; `nil` for these where it may be another
  /// function.
  private func ownCall(_ open: Int) -> (maker: SwiftMaker, arguments: [Int?], type: [SwiftKey]?)? {
    let isInit = tokens[open - 1].word == "init" && tokens[open - 2].isMark(".")
    let end = isInit ? open - 2 : open
    let isQuery = isInit && ["matching", "withQuery", "query"].contains(tokens[end - 2].word)
    let isMember = tokens[end - 2].isMark(".")
    guard let name = tokens[end - 1].word ?? (isQuery ? "CKQuery" : nil), let all = constants.makers[name],
      tokens.isJoined(open),
      isMember || scopes.variable(name) == nil
    else { return nil }
    let owners = isMember ? operandType(upTo: end - 2).map { [$0.name] } : scopes.typeNames + [nil]
    let given = tokens.arguments(in: open).map(tokens.labeled)
    let called = all.filter { owners?.contains($0.owner) ?? true }.compactMap { maker in
      maker.function.arguments(given).map { (maker: maker, arguments: $0) }
    }
    guard let (maker, arguments) = called.first(where: { namesType($0.maker) }),
      let place = arguments[maker.argument]
    else { return nil }
    var reader = self
    reader.wantedType = maker.type
    let isSure = called.count == 1 && owners != nil
    return (maker, arguments, isSure ? reader.names(at: place).names : nil)
  }

  /// Whether what the body of a function names gives the text of the argument.
  private func namesType(_ maker: SwiftMaker) -> Bool {
    maker.place != nil && SwiftConstants.accessors.contains(maker.member)
      || constants.agreed("\(maker.type).\(maker.member)") { $0.isAccessor } ?? false
  }

  /// The record or the query that the call of a maker gives.
  func ownType(ofCall open: Int) -> SwiftType? {
    ownCall(open).map { SwiftType($0.maker.made, of: $0.type?.count == 1 ? $0.type?[0].field : nil) }
  }

  /// `CKQuery(Note.self, where: filters)`; the filters and sorts are read where they are made.
  mutating func readGeneratedQuery(_ index: Int) {
    guard let place = typeArgument(of: index) else { return }
    let type = recordType(ofType: place)
    add(.type, type, nil, at: place, isAsked: true)
    let filters = tokens.argument("where", from: place)
    let isEmpty = filters.map { tokens[$0].isMark("[") && tokens.arguments(in: $0).isEmpty } ?? true
    if let type, isEmpty { add(.filter, type, "___recordID", at: place, comparator: .equals) }
  }

  /// A filter or a sort of generated code, at the name of the field: `Note.Query.title == "a"`,
  /// `Note.Query.title.ascending`.
  mutating func readQueryField(_ index: Int) {
    guard let word = tokens[index].word, constants.queryFields.contains(word) else { return }
    let start = tokens.pathStart(index)
    let path = tokens[start...index].compactMap(\.word)
    guard start == 0 || !tokens[start - 1].isMark("."), path.count > 1 || scopes.variable(word) == nil,
      !tokens[index + 1].isMark(":"), let (field, type) = constants.queryField(path, in: scopes.typeNames)
    else { return }
    let recordType = text(of: "recordType", in: type)
    let (first, second) = (tokens[index + 1], tokens[index + 2])
    var comparator: Comparator?
    if first.isMark(".") {
      switch second.word {
      case "ascending", "descending": return add(.sort, recordType, field, at: start)
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
    add(.filter, recordType, field, at: start, comparator: comparator)
  }

  /// The conditions of a predicate that a variable gets; of one that only running the code shows, that it is unknown.
  func predicate(at index: Int) -> [PredicateCondition] {
    conditions(at: index) ?? [.unknown(place(of: index))]
  }

  /// What the code gives to a variable: in the braces of its declaration instead of what it had, in a branch perhaps. To a
  /// text, a predicate or a list it may add.
  mutating func readChange(of word: String, _ variable: SwiftVariable?, _ index: Int) {
    guard !["let", "var"].contains(tokens[index - 1].word) else { return }
    // `addFilters(to: &filters)`
    let isLent = tokens[index - 1].isMark("&") && tokens[index - 2].isMark(of: "(,:")
    guard let (place, isMore) = isLent ? (index - 1, true) : given(at: index + 1) else { return }
    let keeps = isMore || !scopes.declares(word)
    let isShared = scopes.isShared(word)
    switch variable {
    case .sorts(let first)?:
      scopes.change(word, .sorts((keeps ? first : []) + (sorts(at: place) ?? [.unknown(place)])))
    case .keys(let first)?:
      scopes.change(word, .keys((keeps ? first : []) + (keys(at: place) ?? [.unknown(place)])))
    case .predicate(let first)?:
      scopes.change(word, .predicate((keeps ? first : []) + predicate(at: place)))
    case .text(let first)?:
      scopes.change(word, .text((keeps ? first : []) + texts(at: place).texts + [SwiftConstants.change]))
    default:
      let type = isMore ? nil : valueType(at: place)
      if case .record(let first)? = variable, !isMore, type?.recordType != first {
        scopes.change(word, .record(nil))
      }
      guard let type, type.recordType != nil || type.isPredicate else { return }
      if type.isQuery, !isShared {
        // Behind a branch it may be another one.
        let isOther = if case .query(let first)? = variable { first != type.recordType } else { false }
        scopes.change(word, .query(isOther ? nil : type.recordType))
      }
      scopes.set(word, grown(type, place, isConstant: false) ?? .holding(type))
    }
    if isShared { readMemberPredicate(word) }
  }

  /// A member or a global variable gives the predicates that it gets.
  mutating func readMemberPredicate(_ name: String) {
    if case .predicate(let found)? = scopes.variable(name) {
      givenPredicates[memberKey(name), default: []] += found
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
    if isLabel, let open = tokens[index].outer, functions[open] != nil { return }
    var type = isLabel ? queryBefore(index).flatMap { valueType(at: $0)?.recordType } : nil
    // `fetch(recordType: "Note", desiredKeys: ["title"])`
    if isLabel, let own = tokens.argument("recordType", from: index) { type = type ?? text(at: own) }
    if !isLabel, case .query(let own)? = owner(of: index) { type = own }
    for key in keys(at: place) ?? [.unknown(place)] {
      add(.field, type, key.field, at: key.place, isRead: true)
    }
  }
}
