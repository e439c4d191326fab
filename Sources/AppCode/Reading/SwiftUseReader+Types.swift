internal import Diagnostics
internal import SchemaLanguage

/// The types of values, as far as the code shows them: what may be proposed for a field.
extension SwiftUseReader {
  /// The type that a record's value is read as: by a cast, a default, or what it is given to.
  ///
  /// - Parameters:
  ///   - index: where the record stands.
  ///   - after: the place behind the value.
  func readType(from index: Int, to after: Int) -> DataType? {
    var end = after
    while tokens[end].isMark(of: "?!"), tokens.isJoined(end) { end += 1 }
    if tokens[end].word == "as" {
      let start = tokens[end + 1].isMark(of: "?!") ? end + 2 : end + 1
      guard let (type, behind) = tokens.type(at: start) else { return nil }
      if let known = constants.types.dataType(type) { return known }
      // `(record["done"] as? NSNumber)?.boolValue`
      var next = behind
      while tokens[next].isMark(of: ")?!") { next += 1 }
      guard type.name == "NSNumber", tokens[next].isMark(".") else { return nil }
      return tokens[next + 1].word.flatMap(type.frameworkMember)?.dataType
    }
    if infix(at: end) == "??" {
      return expression(at: end + 2, level: 2).type.flatMap(constants.types.dataType)
    }
    return endsExpression(end) ? wantedType(before: index).flatMap(constants.types.dataType) : nil
  }

  /// The type of what an expression is given to: `let title: String = `, `self.date = `, `return `, `get {`.
  private func wantedType(before index: Int) -> SwiftType? {
    let start = tokens.pathStart(index)
    let before = tokens[start - 1]
    let isBody = before.isMark("{") && (scopes.declares("->") || tokens[start - 2].word == "get")
    if before.word == "return" || isBody, case .body(_, let type)? = scopes.variable("->") { return type }
    guard before.isMark("="), !tokens[start - 2].isMark(of: "=!<>") else { return nil }
    for place in stride(from: start - 2, to: start - 12, by: -1) {
      if let word = tokens[place].word, word == "let" || word == "var" {
        guard tokens[place + 2].isMark(":") else { return nil }
        return tokens.type(at: place + 3)?.type
      }
      if tokens[place].startsLine || tokens[place].isMark(of: "{};") { break }
    }
    return valueType(at: tokens.pathStart(start - 2))
  }

  /// What a call of a database, whose bracket is at a place, gives.
  func given(by name: String?, _ open: Int) -> SwiftType? {
    guard let first = tokens[open + 1].word, tokens[open - 2].isMark(".") else { return nil }
    switch name {
    case "records" where first == "matching": return .matches(valueType(at: open + 3)?.recordType)
    case "records" where first == "continuingMatchFrom": return .matches(nil)
    case "records" where first == "for": return .resultsByID
    case "record" where first == "for": return .record(nil)
    case "modifyRecords" where first == "saving":
      return .tuple([SwiftType.Part(label: "saveResults", type: .resultsByID)])
    case "save" where tokens[open + 2].isMark(")"):
      return valueType(at: open + 1).flatMap { $0.isRecord ? $0 : nil }
    default: return nil
    }
  }

  /// The parameters of the closure that such a call gets.
  private func givenToClosure(by name: String, _ open: Int) -> [SwiftType?]? {
    guard let first = tokens[open + 1].word, tokens[open - 2].isMark(".") else { return nil }
    let type = valueType(at: tokens[open + 2].isMark(":") ? open + 3 : open + 1)
    switch name {
    case "save": return type?.isRecord ?? false ? [type] : nil
    case "perform": return type?.isQuery ?? false ? [.list(of: .record(type?.recordType))] : nil
    case "fetch" where first == "withRecordID": return [.record(nil)]
    case "fetch" where first == "withRecordIDs": return [.result(of: .resultsByID)]
    case "fetch" where first == "withQuery": return [.result(of: .matches(type?.recordType))]
    default: return nil
    }
  }

  /// The same for a closure that an operation gets.
  private func givenToBlock(_ name: String?, of recordType: String?) -> [SwiftType?]? {
    let (record, id) = (SwiftType.record(recordType), SwiftType("CKRecord.ID"))
    return switch name {
    case "recordMatchedBlock", "perRecordSaveBlock", "perRecordResultBlock", "recordWasChangedBlock":
      [id, .result(of: record)]
    case "recordFetchedBlock", "recordChangedBlock": [record]
    case "perRecordCompletionBlock": [record, nil]
    case "fetchRecordsCompletionBlock": [.dictionary(of: record, key: id), nil]
    case "modifyRecordsCompletionBlock": [.list(of: record), .list(of: id), nil]
    default: nil
    }
  }

  /// `decode([String: Int].self, from: data)`
  func decoded(by name: String, _ open: Int) -> SwiftType? {
    guard name.hasPrefix("decode"), let (type, end) = tokens.type(at: open + 1) else { return nil }
    let isType = tokens[end - 1].word == "self" || tokens[end + 1].word == "self"
    return isType ? type : nil
  }

  func operandStart(_ end: Int) -> Int {
    var start = end
    while true {
      let last = start - 1
      if tokens[last].isMark(of: "?!"), tokens.isJoined(last) {
        start = last
      } else if tokens[last].isMark(of: ")]}"), let open = tokens[last].outer {
        start = open
        // What stands before the bracket of a call, an index or a closure belongs to it.
        let isCall = (tokens[start].isMark("{") || tokens.isJoined(start))
        guard isCall, tokens[start - 1].word != nil || tokens[start - 1].isMark(of: ")]}?!>") else { break }
      } else if let open = tokens.openingGenerics(of: last) {
        start = open
      } else if tokens[last].word != nil {
        start = last
        guard tokens[start - 1].isMark("."), !tokens[start - 2].isMark(of: "([{,:=") else { break }
        start -= 1
      } else {
        break
      }
    }
    return start
  }

  /// The types of what a closure gets, whose brace is at a place, where the code around it shows them: of
  /// `list.map {`, `list.first(where: {`, `operation.recordFetchedBlock = {`, or what a function of the app declares.
  func closureParameters(_ open: Int, of receiver: SwiftType?? = nil) -> [SwiftType?] {
    let before = tokens[open - 1]
    if before.isMark("=") {
      let owner = tokens[open - 3].isMark(".") ? operandType(upTo: open - 3) : nil
      if let own = owner.flatMap({ constants.types.type(of: tokens[open - 2].word ?? "", in: $0.name) }) {
        return own.parts.map(\.type)
      }
      return givenToBlock(tokens[open - 2].word, of: owner?.recordType) ?? []
    }
    let bracket = before.isMark(of: "),:(") ? before.isMark("(") ? open - 1 : before.outer : nil
    let place = bracket.map { $0 - 1 } ?? open - 1
    guard let name = tokens[place].word, bracket.map({ tokens[$0].isMark("(") }) ?? true else { return [] }
    if name == "Dictionary", let bracket, let list = tokens.argument("grouping", from: bracket + 1) {
      return [valueType(at: list)?.element]
    }
    guard tokens[place - 1].isMark(".") else {
      return statedType(of: "closure \(name)")?.parts.map(\.type) ?? []
    }
    let type = receiver ?? operandType(upTo: place - 1)
    if let own = type.flatMap({ constants.types.type(of: "closure \(name)", in: $0.name) }) {
      return own.parts.map(\.type)
    }
    if let element = type?.element {
      switch name {
      case "sorted", "sort", "min", "max": return [element, element]
      case "reduce": return [nil, element]
      case "mapValues", "compactMapValues": return [type?.value]
      default: return Self.methodsOfElements.contains(name) ? [element] : []
      }
    }
    if let type, name == "map" || name == "flatMap" { return [type] }
    return bracket.flatMap { givenToClosure(by: name, $0) } ?? []
  }

  private static let methodsOfElements: Set<String> = [
    "map", "compactMap", "flatMap", "forEach", "filter", "first", "last", "contains", "allSatisfy",
    "removeAll",
    "prefix", "drop", "firstIndex", "lastIndex", "count", "partition", "split",
  ]

  /// The names that a closure gives to what it gets, with the types that it states or gets, and where its body begins:
  /// `{ [weak self] (r: CKRecord, _) async -> String? in`, `{ id, result in`.
  func closureNames(_ open: Int, of receiver: SwiftType?? = nil) -> (
    names: [(name: String, type: SwiftType?)], result: SwiftType?, body: Int
  ) {
    var place = open + 1
    while tokens[place].isMark("@"), tokens[place + 1].word != nil { place += 2 }
    let behind = tokens[place].isMark("[") ? tokens[place].pair + 1 : place
    if tokens[behind].word != nil || tokens[behind].isMark("(") { place = behind }
    let given = closureParameters(open, of: receiver)
    let head = tokens[place...].prefix(120).indices.prefix {
      !tokens[$0].isMark(of: "{};=") && !tokens[$0].isEdge
    }
    let isLoop = tokens[place].word == "for"
    let end = isLoop ? nil : head.first { tokens[$0].word == "in" && tokens[$0].outer == open }
    guard let end else {
      let isSplit = (open..<tokens[open].pair).contains { tokens[$0].word == "$1" }
      let types = isSplit ? Self.split(given, count: 2) : given
      return ((0..<2).map { ("$\($0)", types.indices.contains($0) ? types[$0] : nil) }, nil, open + 1)
    }
    var names: [(name: String, type: SwiftType?)] = []
    let starts =
      tokens[place].isMark("(")
      ? tokens.arguments(in: place) : (place..<end).filter { $0 == place || tokens[$0 - 1].isMark(",") }
    for start in starts where tokens[start].word != nil && tokens[start].word != "in" {
      let isNamed = tokens[start + 1].word != nil && tokens[start + 2].isMark(":")
      let name = isNamed ? start + 1 : start
      let type = tokens[name + 1].isMark(":") ? tokens.type(at: name + 2)?.type : nil
      names.append((tokens[name].word ?? "", type))
    }
    let types = Self.split(given, count: names.count)
    for index in names.indices where names[index].type == nil && types.indices.contains(index) {
      names[index].type = types[index]
    }
    let arrow = (place..<end).last {
      tokens[$0].isMark(">") && tokens[$0 - 1].isMark("-") && tokens[$0].outer == open
    }
    return (names, arrow.flatMap { tokens.type(at: $0 + 1)?.type }, end + 1)
  }

  /// A closure with several names takes apart the one tuple that it gets.
  private static func split(_ given: [SwiftType?], count: Int) -> [SwiftType?] {
    guard count > 1, given.count == 1, let tuple = given[0], tuple.name == "()", !tuple.isList else {
      return given
    }
    return tuple.parts.map(\.type)
  }

  /// Whether a brace may be that of a closure: it belongs to no statement.
  func isClosure(_ open: Int) -> Bool {
    if let outer = tokens[open].outer, tokens[outer].isMark(of: "([") { return true }
    for place in stride(from: open - 1, through: max(0, open - 60), by: -1) {
      if tokens[place].isMark(of: "{};") { break }
      if let word = tokens[place].word, Self.statements.contains(word) { return false }
      if tokens[place].startsLine { break }
    }
    return true
  }

  private static let statements: Set<String> = [
    "if", "guard", "else", "for", "while", "switch", "do", "catch", "defer", "repeat",
  ]

  /// The type of a member of the types around, or of a name outside of types.
  func statedType(of name: String) -> SwiftType? {
    scopes.typeNames.lazy.compactMap { constants.types.type(of: name, in: $0) }.first
      ?? constants.types.type(of: name, in: nil)
  }

  func member(_ name: String, of type: SwiftType?) -> SwiftType? {
    let types = constants.types
    // Dictionaries of the frameworks, whatever has them.
    let dictionaries: Set = [
      "userInfo", "infoDictionary", "environment", "allHTTPHeaderFields", "allHeaderFields",
    ]
    guard let type else { return dictionaries.contains(name) ? .dictionary(of: nil) : nil }
    if name == "rawValue" { return types.rawType(of: type.name) }
    if let own = types.type(of: name, in: type.name) { return own }
    if let part = type.part(name) { return part.type }
    if name == "get", type.name == "Result" { return type.parts.first?.type }
    if let known = type.frameworkMember(name) { return known }
    // A case of an enum.
    if types.rawType(of: type.name) != nil { return type }
    return dictionaries.contains(name) ? .dictionary(of: nil) : nil
  }

  /// - Parameter open: the bracket of the call's arguments or closure.
  func memberOfList(_ name: String, _ list: SwiftType, _ open: Int?, _ depth: Int) -> SwiftType? {
    switch name {
    case "first", "last", "randomElement", "min", "max", "popLast", "removeFirst", "removeLast": list.element
    case "filter", "lazy": list
    case "sorted", "reversed", "prefix", "suffix", "dropFirst", "dropLast", "drop", "shuffled":
      list.element.map(SwiftType.list)
    case "enumerated":
      .list(
        of: .tuple([
          SwiftType.Part(label: "offset", type: SwiftType("Int")),
          SwiftType.Part(label: "element", type: list.element),
        ]))
    case "values" where list.isDictionary: list.value.map(SwiftType.list)
    case "keys" where list.isDictionary: list.parts.first?.type.map(SwiftType.list)
    case "map", "compactMap": open.flatMap { mapped($0, of: list, depth) }.map(SwiftType.list)
    case "flatMap": open.flatMap { mapped($0, of: list, depth)?.element }.map(SwiftType.list)
    case "mapValues", "compactMapValues":
      .dictionary(of: open.flatMap { mapped($0, of: list, depth) }, key: list.parts.first?.type)
    default: list.frameworkMember(name)
    }
  }

  /// What `map` makes of one value: `{ CKAsset(fileURL: $0) }`, `{ $0.name }`, `(\.name)`.
  func mapped(_ open: Int, of type: SwiftType?, _ depth: Int) -> SwiftType? {
    if tokens[open + 1].isMark("\\"), let method = tokens[open - 1].word {
      let path = tokens.path(at: open + 2).words
      let value =
        method == "map" || method == "compactMap" || method == "flatMap" ? type?.element ?? type : nil
      return path.filter { $0 != "self" }.reduce(value) { member($1, of: $0) }
    }
    let brace = tokens[open].isMark("{") ? open : open + 1
    guard tokens[brace].isMark("{"), depth > 0 else { return nil }
    let (names, result, body) = closureNames(brace, of: .some(type))
    if let result { return result }
    var reader = self
    for (name, type) in names { reader.scopes.set(name, .holding(type)) }
    return reader.valueType(at: tokens[body].word == "return" ? body + 1 : body, depth: depth - 1)
  }
}
