internal import Diagnostics
internal import SchemaLanguage

/// Finds uses in one file, token by token. Nothing is guessed: a name that only running the code shows is undecided.
struct SwiftUseReader {
  let source: SourceText
  let tokens: [SwiftToken]
  let functions: [Int: SwiftFunction]
  let usesCloudKit: Bool
  var constants: SwiftConstants
  var scopes: SwiftScopes
  /// The type whose member `.name` is, where a parameter of the app's own declares it.
  var wantedType: String?
  private(set) var uses: [AppUse] = []
  private(set) var undecided: [SourceRange] = []
  private(set) var reasons: [SourceRange: String] = [:]
  /// The parts of predicates that no query can have.
  var refusals: [Diagnostic] = []
  /// The types of the records that properties and functions of the file give, as ``SwiftTypes`` names these; `nil` for one
  /// that only running the code shows.
  private(set) var givenTypes: [String: Set<String?>] = [:]
  /// What the predicates ask for that properties and functions of the file give, by `Type.name`, or `name` outside of types.
  var givenPredicates: [String: [PredicateCondition]] = [:]
  /// The same for those of all files, as far as it is known.
  var predicates: [String: [PredicateCondition]] = [:]

  init(_ file: SwiftFile, _ constants: SwiftConstants, in scopes: SwiftScopes = SwiftScopes()) {
    source = file.source
    tokens = file.tokens
    functions = file.functions
    usesCloudKit = file.usesCloudKit
    self.constants = constants
    self.scopes = scopes
  }

  mutating func read() {
    guard !source.bytes.starts(with: GeneratedFolder.mark.utf8) else { return readGenerated() }
    // A file without CloudKit may have the predicates of queries, and filters that generated code offers.
    if usesCloudKit || tokens.contains(where: { $0.word == "NSPredicate" }) { readAll() }
    guard !usesCloudKit, !constants.queryFields.isEmpty else { return }
    scopes = SwiftScopes()
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      readQueryField(index)
    }
  }

  private mutating func readAll() {
    defer { if !usesCloudKit { (uses, undecided, reasons, refusals) = ([], [], [:], []) } }
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      readQueryField(index)
      if tokens[index].isMark("{") { readBrace(index) }
      if tokens[index].isMark("(") {
        if let function = functions[index] { read(function) } else { readOwnCall(index) }
      }
      if tokens[index].isMark(of: ")]") { readUnnamed(index) }
      guard let word = tokens[index].word else { continue }
      switch word {
      case "CKQuery": readGeneratedQuery(index)
      case "return": readResult(at: index + 1)
      case "sortDescriptors" where isMember(index): readGivenSorts(index)
      case "desiredKeys" where isMember(index), "alertLocalizationArgs", "titleLocalizationArgs",
        "subtitleLocalizationArgs":
        readKeys(index)
      case "init": readInitializer(index)
      case "let", "var": readNewName(index)
      case "for": readLoop(index)
      case "switch": readSwitch(index)
      case "case", "default":
        readCase(index)
        if word == "case" { readPattern(index) }
      case "setValue", "setObject", "setValuesForKeys", "value", "object", "encryptedValues":
        let isCall = tokens[index + 1].isMark("(") && tokens[index - 1].word != "func"
        if !tokens[index - 1].isMark("."), isCall || word == "encryptedValues", scopes.variable(word) == nil,
          case .record(let type)? = scopes.variable("self")
        {
          if isCall {
            readKeyCall(index, of: type)
          } else {
            readMember(of: type, after: index, isEncrypted: true)
          }
        } else if !isCall {
          readVariable(word, index)
        }
      case "recordType" where tokens[index - 1].isMark("."): readSubscribedType(index)
      case "recordType": readTypeLabel(index)
      default: readVariable(word, index)
      }
    }
  }

  // MARK: Records

  /// The text of the constant recordType of the type around.
  var ownRecordType: String? { scopes.typeName.flatMap { text(of: "recordType", in: $0) } }

  /// What the body of a property or a function, or a closure whose result a variable gets, gives.
  private mutating func readResult(at start: Int) {
    if case .subject(let name)? = scopes.variable("return"),
      case .predicate(let first)? = scopes.variable(name)
    {
      return scopes.change(name, .predicate(first + predicate(at: start)))
    }
    guard case .body(let key, let result)? = scopes.variable("->"), !tokens[start].isEdge else { return }
    if result.isPredicate { givenPredicates[key, default: []] += predicate(at: start) }
    guard result.isRecord else { return }
    let type = valueType(at: start)
    // What a closure in the body returns may be another value.
    guard type?.isRecord ?? true else { return }
    givenTypes[key, default: []].insert(type?.recordType)
  }

  /// What a brace opens: a closure with the elements of a list, or a body with one expression.
  private mutating func readBrace(_ index: Int) {
    if isClosure(index) {
      for (name, type) in closureNames(index).names { scopes.set(name, .holding(type)) }
    }
    guard scopes.declares("->") || tokens[index - 1].word == "get", isExpression(index) else { return }
    readResult(at: index + 1)
  }

  /// Whether there is one expression in the braces that open at a place.
  func isExpression(_ open: Int) -> Bool {
    let body = expression(at: open + 1)
    return body.end == tokens[open].pair && !body.values.isEmpty
  }

  /// Whether a name is that of a member or an argument, and not of a variable.
  private func isMember(_ index: Int) -> Bool {
    tokens[index - 1].isMark(".") || tokens[index + 1].isMark(":")
      || scopes.variable(tokens[index].word ?? "") == nil
  }

  /// The name of the variable at a place, as the scopes know it; `nil` for a member of another value than `self`.
  func variableName(at index: Int) -> String? {
    guard let word = tokens[index].word else { return nil }
    guard tokens[index - 1].isMark(".") else { return word }
    return tokens[index - 2].word == "self" ? scopes.member(word) : nil
  }

  // MARK: Fields

  private mutating func readVariable(_ word: String, _ index: Int) {
    let name = variableName(at: index)
    let variable = name.flatMap(scopes.variable)
    if let name { readChange(of: name, variable, index) }
    if variable == nil { readReference(word, index) }
    let mayBeRecord = variable == nil && hasMemberOfRecord(index)
    let member = mayBeRecord ? operandType(upTo: index + 1).map(SwiftVariable.holding) : nil
    switch variable ?? member ?? .other {
    case .record(let type): readMember(of: type, after: index)
    case .encryptedValues(let type): readMember(of: type, after: index, isEncrypted: true)
    default:
      // What has a record type is a record.
      if tokens[index + 1].isMark("."), tokens[index + 2].word == "recordType" {
        readComparison(of: index, at: index + 3)
      }
      readUnnamed(index)
    }
  }

  /// Whether behind the end of a value is a member that is read of records.
  private func hasMemberOfRecord(_ index: Int) -> Bool {
    var next = index + 1
    while tokens[next].isMark(of: "?!") { next += 1 }
    return tokens[next].isMark("[")
      || tokens[next].isMark(".") && Self.membersOfRecord.contains(tokens[next + 1].word ?? "")
  }

  private static let membersOfRecord: Set<String> = [
    "encryptedValues", "object", "value", "setObject", "setValue", "setValuesForKeys", "recordType",
  ]

  /// A record without a name of its own: `records[0]["title"]`, `records.first!["title"]`, `make()["title"]`.
  private mutating func readUnnamed(_ index: Int) {
    var next = index + 1
    while tokens[next].isMark(of: "?!"), tokens.isJoined(next) { next += 1 }
    let isSubscript = tokens[next].isMark("[") && tokens.isJoined(next)
    guard isSubscript || tokens[next].isMark("."), hasMemberOfRecord(index) else { return }
    if let type = operandType(upTo: next) {
      if type.isRecord { readMember(of: type.recordType, after: index) }
    } else if isSubscript, !isOfRecord(index) {
      // A value of an unknown type with a text as its key may be a record.
      let (names, end) = self.names(at: next + 1)
      let isOfField = !names.isEmpty && names.allSatisfy { $0.field.map(Schema.isPlainName) ?? false }
      if isOfField, end == tokens[next].pair { undecide(next + 1, .record) }
    }
  }

  /// Whether a member is one that was read with its record: `record.encryptedValues["title"]`.
  private func isOfRecord(_ member: Int) -> Bool {
    tokens[member].word == "encryptedValues" && tokens[member - 1].isMark(".")
      && operandType(upTo: member - 1)?.isRecord ?? false
  }

  private mutating func readMember(of type: String?, after index: Int, isEncrypted: Bool = false) {
    var isEncrypted = isEncrypted
    var next = index + 1
    // `record?["title"]`, `record.encryptedValues["title"]`
    while tokens[next].isMark(of: "?!") { next += 1 }
    if tokens[next].isMark("."), tokens[next + 1].word == "encryptedValues" {
      isEncrypted = true
      next += 2
    }
    if tokens[next].isMark("[") {
      // `record[.note]` is a key, not the record type of that name.
      if tokens[next + 1].isMark("."), let word = tokens[next + 2].word,
        text(of: word, in: "RecordType") != nil
      {
        return undecide(next + 1, .field)
      }
      let (names, end) = self.names(at: next + 1)
      guard tokens[end].isMark("]") else { return undecide(next + 1, .field) }
      let isWritten = tokens[end + 1].isMark("=") && !tokens[end + 2].isMark("=")
      add(
        names, of: type, written: isWritten ? end + 2 : nil,
        readType: isWritten ? nil : readType(from: index, to: end + 1), isEncrypted: isEncrypted)
    } else if tokens[next].isMark("."), let call = tokens[next + 1].word {
      switch call {
      case "object", "value", "setObject", "setValue", "setValuesForKeys":
        readKeyCall(next + 1, of: type, isEncrypted: isEncrypted)
      case "recordType": readComparison(of: index, at: next + 2)
      default: break
      }
    }
  }

  /// `setValue(value, forKey: "title")`, `setValuesForKeys(["title": value])`
  private mutating func readKeyCall(_ index: Int, of type: String?, isEncrypted: Bool = false) {
    if tokens[index].word == "setValuesForKeys" {
      // `["title": value].merging(others) { $1 }` has more.
      let isWhole = endsExpression(tokens[index + 2].pair + 1)
      guard tokens[index + 2].isMark("["), isWhole else { return undecide(index, .field) }
      for key in tokens.arguments(in: index + 2) {
        let (names, end) = self.names(at: key)
        add(names, of: type, written: end + 1, isEncrypted: isEncrypted)
      }
      return
    }
    guard
      let key = tokens.argument("forKey", from: index + 2) ?? tokens.argument("forKeyPath", from: index + 2)
    else { return }
    let isWritten = tokens[index].word?.hasPrefix("set") ?? false
    let end = tokens[index + 1].pair + 1
    add(
      names(at: key).names, of: type, written: isWritten ? index + 2 : nil,
      readType: isWritten ? nil : readType(from: index, to: end), isEncrypted: isEncrypted)
  }

  /// - Parameters:
  ///   - written: where the value begins that the fields get.
  ///   - readType: the type that the value of the fields is read as.
  private mutating func add(
    _ names: [SwiftKey], of type: String?, written: Int?, readType: DataType? = nil, isEncrypted: Bool
  ) {
    for name in names {
      add(
        .field, type, name.field, at: name.place, dataType: written.flatMap(dataType),
        shownType: written.map { valueType(at: $0).flatMap(constants.types.dataType) } ?? readType,
        isEncrypted: isEncrypted, isRead: written == nil)
    }
  }

  // MARK: The type of a record

  /// After `guard record.recordType == "Note"` the record is of that type; after `if` in the braces that follow.
  private mutating func readComparison(of index: Int, at operation: Int) {
    guard tokens[operation].isMark("="), tokens[operation + 1].isMark("="),
      let type = text(at: operation + 2, level: 2)
    else { return }
    add(.type, type, nil, at: operation + 2)
    guard let name = variableName(at: index), let (head, isAlternative) = tokens.condition(of: index),
      let brace = tokens.brace(after: index)
    else { return }
    // Beside `||` it may be of another type.
    if !isAlternative {
      scopes.set(name, .record(type), isNew: false, inBraces: head == "guard" ? nil : brace)
    }
  }

  /// `switch record.recordType {`, `switch result {`
  private mutating func readSwitch(_ index: Int) {
    guard let brace = tokens.brace(after: index) else { return }
    let isOfType = tokens[index + 2].isMark(".") && tokens[index + 3].word == "recordType"
    let subject = isOfType ? tokens[index + 1].word.map(SwiftVariable.subject) : nil
    let value = subject == nil ? valueType(at: index + 1).map(SwiftVariable.value) : nil
    scopes.set("switch", subject ?? value ?? .other, inBraces: brace)
  }

  private mutating func readCase(_ index: Int) {
    guard case .subject(let name)? = scopes.variable("switch"), tokens[index].startsLine else { return }
    guard tokens[index].word == "case" else { return scopes.set(name, .record(nil), isNew: false) }
    let type = text(at: index + 1, level: 2)
    let end = expression(at: index + 1, level: 2).end
    add(.type, type, nil, at: index + 1)
    scopes.set(name, .record(tokens[end].isMark(":") ? type : nil), isNew: false)
  }

  // MARK: Results

  mutating func add(
    _ kind: AppUse.Kind, _ type: String?, _ field: String?, at index: Int, place: SourceRange? = nil,
    comparator: Comparator? = nil, value: JSONValue? = nil, dataType: DataType? = nil,
    shownType: DataType? = nil, isEncrypted: Bool = false, isRead: Bool = false, isMade: Bool = false,
    isAsked: Bool = false
  ) {
    let isKnown =
      type == nil ? kind == .field && field != nil : kind == .type || field != nil || comparator != nil
    guard isKnown, !tokens[index].isEdge else {
      let isOfSort = kind == .sort && field == nil
      return undecide(
        index, isOfSort ? .sort : type == nil && (field != nil || kind == .type) ? .recordType : .field)
    }
    uses.append(
      AppUse(
        kind: kind, recordType: type, field: field, comparator: comparator, value: value, dataType: dataType,
        shownType: shownType, isEncrypted: isEncrypted, isRead: isRead, isMade: isMade,
        isAsked: isAsked || kind == .filter || kind == .sort, place: place ?? self.place(of: index)))
  }

  /// The place of an expression, as it is written.
  func place(of index: Int) -> SourceRange {
    var (start, end) = (index, index)
    if tokens[index].isMark(")") {
      // `CKRecord.init(recordType:)`
      start = operandStart(index + 1)
    } else {
      let value = tokens[index].isMark(of: ".&") ? index + 1 : index
      end = max(index, (expressionEnd(value) ?? index) - 1)
    }
    return source.range(tokens[start].range.lowerBound..<tokens[end].range.upperBound)
  }

  /// What only running the code shows.
  enum Unknown: String {
    case recordType = "record type", field, predicate, sort, record = "type of the value"
  }

  mutating func undecide(_ index: Int, _ unknown: Unknown) {
    guard !tokens[index].isEdge else { return }
    undecide(place(of: index), unknown)
  }

  mutating func undecide(_ place: SourceRange, _ unknown: Unknown) {
    guard reasons.updateValue("only running the code shows the \(unknown.rawValue)", forKey: place) == nil
    else { return }
    undecided.append(place)
  }
}
