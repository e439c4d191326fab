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
    let isImplicit = isInit && (tokens[open - 3].word == nil || !tokens.isJoined(open - 2))
    let name = isImplicit ? nil : tokens[isInit ? open - 3 : open - 1].word
    let isSelf = isInit && name == "self"
    let isOfRecord =
      name == "CKRecord" || isSelf || isImplicit && tokens.argument("predicate", from: open + 1) == nil
    let isOfQuery = isImplicit || name == "CKQuery" || name == "CKQuerySubscription"
    // The record types that it may be, without a name where only running the code shows it.
    let types = names(at: index + 2).names
    guard isOfRecord || isOfQuery || types.contains(where: { $0.field != nil }) else { return }
    // The calls of a maker show it.
    let makers = constants.makersByPlace[index + 2, default: []]
    guard !makers.contains(where: { $0.source === source && namesType($0) }) else { return }
    for type in types {
      add(.type, type.field, nil, at: type.place, isMade: isOfRecord, isAsked: !isOfRecord)
    }
    if isSelf, case .record? = scopes.variable("self") { scopes.set("self", .record(text(at: index + 2))) }
    for type in types {
      if let sorts = tokens.argument("sortDescriptors", from: open + 1) { readSorts(sorts, of: type.field) }
      guard let predicate = tokens.argument("predicate", from: open + 1) else { continue }
      readPredicate(predicate, of: type.field)
    }
  }

  /// `subscription.recordType = "Note"`, of a subscription to a database or to a zone.
  mutating func readSubscribedType(_ index: Int) {
    guard let (place, _) = given(at: index + 1), let type = operandType(upTo: index - 1), type.isQuery,
      type.name.hasSuffix("Subscription")
    else { return }
    for name in names(at: place).names { add(.type, name.field, nil, at: name.place) }
    var owner = index - 2
    while tokens[owner].isMark(of: "?!") { owner -= 1 }
    guard let name = variableName(at: owner), scopes.variable(name) != nil else { return }
    scopes.set(name, .value(SwiftType(type.name, of: text(at: place))), isNew: false)
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
        refusals.report(AppRule.refusedPredicate, part.message, at: condition.place, help: part.help)
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

  /// The maker that a call names, its arguments by parameter, and the record types, if it is surely that function.
  private func ownCall(_ open: Int) -> (maker: SwiftMaker, arguments: [Int?], type: [SwiftKey]?)? {
    let isInit = tokens[open - 1].word == "init" && tokens[open - 2].isMark(".")
    let end = isInit ? open - 2 : open
    let isQuery = isInit && ["matching", "withQuery", "query"].contains(tokens[end - 2].word)
    let isMember = tokens[end - 2].isMark(".")
    guard let name = tokens[end - 1].word ?? (isQuery ? "CKQuery" : nil), let all = constants.makers[name],
      tokens.isJoined(open), isMember || scopes.variable(name) == nil, all.contains(where: namesType),
      constants.depth > 0
    else { return nil }
    // In what has the function, there may be calls of others.
    var reader = self
    reader.constants.depth -= 1
    let owners = reader.owners(of: end - 1)
    let given = tokens.arguments(in: open).map(tokens.labeled)
    let fitting = all.compactMap { maker in
      maker.function.arguments(given).map { (maker: maker, arguments: $0) }
    }
    let own = fitting.filter { owners?.contains($0.maker.owner) ?? true }
    // A requirement of a protocol stands for the functions of its name.
    let isRequired = own.contains { $0.maker.function.body == nil }
    let called = isRequired ? fitting : own
    guard let (maker, arguments) = called.first(where: { namesType($0.maker) }),
      let place = arguments[maker.argument]
    else { return nil }
    reader = self
    reader.wantedType = maker.type
    let isSure = called.count == 1 && owners != nil && !isRequired
    return (maker, arguments, isSure ? reader.names(at: place).names : nil)
  }

  /// The types that may have the function whose name is at a place, `nil` among them for none, if the code shows them.
  private func owners(of name: Int) -> [String?]? {
    guard tokens[name - 1].isMark(".") else { return scopes.typeNames + [nil] }
    return operandType(upTo: name - 1).map { [$0.name] }
  }

  /// `names.map(makeRecord)`: what a maker makes that is given to other code, only running the code shows.
  mutating func readReference(_ word: String, _ index: Int) {
    guard let all = constants.makers[word], tokens[tokens.pathStart(index) - 1].isMark(of: "(,=:"),
      endsExpression(index + 1), let owners = owners(of: index),
      all.contains(where: { $0.function.name == word && owners.contains($0.owner) && namesType($0) })
    else { return }
    undecide(index, .recordType)
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

  /// Code that `schema generate` wrote reads each field of its record type in one line, with its type.
  mutating func readGenerated() {
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      guard ["let", "value"].contains(tokens[index].word), let type = ownRecordType else { continue }
      if tokens[index].word == "let", tokens[index + 1].word == "recordType" {
        add(.type, type, nil, at: index + 3)
      } else if tokens[index].word == "value", case .string(let field) = tokens[index + 2].kind,
        let values = tokens.argument("as", from: index + 2),
        let encrypted = tokens.argument("isEncrypted", from: index + 2)
      {
        add(
          .field, type, field, at: index + 2, dataType: generatedType(at: values),
          isEncrypted: tokens[encrypted].word == "true")
      }
    }
  }

  /// The type of values in generated code, which has types of its own for some.
  private func generatedType(at index: Int) -> DataType? {
    let own = [
      "Location": "CLLocation", "Asset": "CKAsset", "Reference": "CKReference", "AnyReference": "CKReference",
    ]
    return tokens.type(at: index).flatMap { type, _ in
      SwiftType(own[type.name] ?? type.name, isList: type.isList).dataType
    }
  }

  /// `.init(Note.self, where: filters)` where a query is wanted.
  mutating func readInitializer(_ index: Int) {
    guard tokens[index - 1].isMark("."), tokens[index - 2].word == nil, let place = typeArgument(of: index)
    else { return }
    let isOfQuery = ["matching", "withQuery", "query"].contains(tokens[index - 3].word)
    if isOfQuery || ["where", "sortedBy"].contains(where: { tokens.argument($0, from: place) != nil }) {
      readGeneratedQuery(index)
    }
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

  /// The place of the query that the call of an argument names: `matching: query`, `withQuery: CKQuery(…`.
  func queryBefore(_ index: Int) -> Int? {
    ["matching", "withQuery", "query"].lazy.compactMap { tokens.argument($0, from: index) }.first
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
    let path = tokens.path(at: place).words
    guard path.count > 1, path.last == "self" else { return nil }
    let name = path[path.count - 2]
    return (name == "Self" ? scopes.typeName : name).flatMap { text(of: "recordType", in: $0) }
  }

  /// A filter or a sort of generated code, at the field's name: `Note.Query.title == "a"`, `Note.Query.title.ascending`.
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

  private mutating func readSorts(_ index: Int, of type: String?) {
    guard let sorts = sorts(at: index) else { return undecide(index, .sort) }
    for sort in sorts {
      add(.sort, type, sort.field.map { PredicateFormat.storedNames[$0] ?? $0 }, at: sort.place)
    }
  }

  /// `query.sortDescriptors = …`, or in an extension of CKQuery without the query. A fetch request has sorts, too.
  mutating func readGivenSorts(_ index: Int) {
    guard tokens[index - 1].word != "let", tokens[index - 1].word != "var",
      let (place, _) = given(at: index + 1)
    else { return }
    if let query = owner(of: index) { return readSorts(place, of: query.recordType) }
    let isMember = tokens[index - 1].isMark(".")
    let type = isMember ? operandType(upTo: index - 1) : scopes.typeName.map { SwiftType($0) }
    let isRequest = isMember && tokens[index - 2].word?.lowercased().hasSuffix("request") ?? false
    guard type?.isQuery ?? isMember, !isRequest else { return }
    readSorts(place, of: nil)
  }

  /// The variable with the query, the operation or the subscription of a member: `query.sortDescriptors`,
  /// `subscription.notificationInfo?.desiredKeys`.
  private func owner(of index: Int) -> SwiftType? {
    guard tokens[index - 1].isMark(".") else { return nil }
    var place = index - 2
    while tokens[place].isMark(of: "?!") { place -= 1 }
    guard let name = tokens[place].word else { return nil }
    if let type = variableName(at: place).flatMap(scopes.variable)?.type, type.isQuery { return type }
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
    var type =
      isLabel ? queryBefore(index).flatMap { valueType(at: $0)?.recordType } : owner(of: index)?.recordType
    // `fetch(recordType: "Note", desiredKeys: ["title"])`
    if isLabel, let own = tokens.argument("recordType", from: index) { type = type ?? text(at: own) }
    for key in keys(at: place) ?? [.unknown(place)] {
      add(.field, type, key.field, at: key.place, isRead: true)
    }
  }
}

/// A function of the app's own. A maker's body is one call that makes a record or a query of the type in a parameter.
struct SwiftMaker: Sendable {
  let source: SourceText
  let function: SwiftFunction
  let name: String
  /// The type that has it; `nil` for an initializer.
  let owner: String?
  /// `CKRecord` or `CKQuery`.
  let made: String
  /// Where the body names the record type; `nil` for another function.
  private(set) var place: Int?
  /// The numbers of the parameters, and the type of that with the record type, of which the body names a member.
  private(set) var (argument, predicate, type, member): (Int, Int?, String, String) = (0, nil, "", "")

  init?(_ file: SwiftFile, _ function: SwiftFunction, in owner: String?) {
    let (tokens, isInit) = (file.tokens, function.name == "init")
    guard !isInit || owner == "CKRecord" || owner == "CKQuery" else { return nil }
    (source, self.function, self.owner) = (file.source, function, isInit ? nil : owner)
    name = isInit ? owner ?? "" : function.name
    made = isInit ? name : function.result?.name ?? ""
    guard let body = function.body else { return }
    let (path, _, call) = tokens.path(at: body + (tokens[body + 1].word == "return" ? 2 : 1))
    guard path == (isInit ? ["self", "init"] : [made]), made == "CKRecord" || made == "CKQuery",
      tokens[call].isMark("("), tokens[call].pair + 1 == tokens[body].pair,
      let place = tokens.argument("recordType", from: call + 1)
    else { return }
    let parameters = function.parameters
    let (value, _, end) = tokens.path(at: place)
    if let given = tokens.argument("predicate", from: call + 1), tokens[given + 1].isMark(of: ",)") {
      predicate = parameters.firstIndex { $0.name == tokens[given].word }
    }
    guard value.count < 3, tokens[end].isMark(of: ",)"), made == "CKRecord" || predicate != nil,
      let argument = parameters.firstIndex(where: { $0.name == value.first && $0.label != "recordType" }),
      let type = parameters[argument].type
    else { return }
    self.type = type.name == "CKRecord.RecordType" ? "RecordType" : type.name
    member = value.count == 2 ? value[1] : ["String", "RecordType"].contains(self.type) ? "rawValue" : ""
    (self.place, self.argument) = (place, argument)
  }
}
