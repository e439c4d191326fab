public import Diagnostics
public import SchemaLanguage

/// What an app's code says about records: a record type, a field, a filter or a sort.
public struct AppUse: Sendable, Hashable {
  public enum Kind: String, Sendable {
    case type, field, filter, sort
  }

  public let kind: Kind
  public let recordType: String
  /// `nil` for a use of the type itself, and for a filter by the words of all fields.
  public let field: String?
  /// How a filter compares.
  public let comparator: Comparator?
  /// The type of the field's values, where the code shows it.
  public let dataType: DataType?
  public let place: SourceRange
}

/// The uses in the sources of an app, and the places where only running the code would show a name.
public struct AppUses: Sendable {
  public private(set) var uses: [AppUse] = []
  public private(set) var undecided: [SourceRange] = []

  /// Reads Swift files, in which constants of one are known in the others.
  public init(swift sources: [SourceText]) {
    let files = sources.map { (source: $0, tokens: SwiftLexer.tokens(in: $0)) }
    var constants = SwiftConstants()
    for file in files { constants.read(file.tokens) }
    for file in files {
      var reader = SwiftUseReader(file.source, file.tokens, constants)
      reader.read()
      uses += reader.uses
      undecided += reader.undecided
    }
  }

  init(_ uses: [AppUse], undecided: [SourceRange]) {
    self.uses = uses
    self.undecided = undecided
  }

  /// Both together.
  public mutating func add(_ other: AppUses) {
    uses += other.uses
    undecided += other.undecided
  }
}

/// Finds uses in one file, token by token. Nothing is guessed: a variable whose type the code does not show is
/// undecided.
private struct SwiftUseReader {
  private let source: SourceText
  private let tokens: [SwiftToken]
  private let constants: SwiftConstants
  private var scopes = SwiftScopes()
  private(set) var uses: [AppUse] = []
  private(set) var undecided: [SourceRange] = []

  init(_ source: SourceText, _ tokens: [SwiftToken], _ constants: SwiftConstants) {
    self.source = source
    self.tokens = tokens
    self.constants = constants
  }

  mutating func read() {
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      guard let word = tokens[index].word else { continue }
      switch word {
      case "CKRecord": readRecord(index)
      case "CKQuery", "CKQuerySubscription": readQuery(index)
      case "CKQueryOperation": readOperation(index)
      case "NSPredicate": readPredicateBinding(index)
      case "desiredKeys": readDesiredKeys(index)
      default: readVariable(word, index)
      }
    }
  }

  // MARK: Records and queries

  private mutating func readRecord(_ index: Int) {
    if let (label, argument) = firstArgument(of: index), label == "recordType" {
      let type = text(at: argument)
      add(.type, type, nil, at: argument)
      if let name = boundName(before: index) { scopes.set(name, .record(type)) }
    } else if index >= 2, tokens[index - 1].isMark(":"), let name = tokens[index - 2].word,
      !isPartOfPath(index)
    {
      // A parameter or a variable: `record: CKRecord`. In a type with a constant recordType, it is a record of that type.
      scopes.set(
        name, .record(scopes.typeName.flatMap { constants.text(of: "recordType", in: $0) }),
        isParameter: isParameter(index))
    }
  }

  /// `CKRecord.Reference` and `CKRecord.ID` are other types.
  private func isPartOfPath(_ index: Int) -> Bool {
    index + 1 < tokens.count && tokens[index + 1].isMark(".")
  }

  /// Whether a declaration at a type stands in the parentheses of a function.
  private func isParameter(_ index: Int) -> Bool {
    var depth = 0
    for place in stride(from: index, to: max(0, index - 200), by: -1) {
      if tokens[place].isMark(")") { depth += 1 }
      if tokens[place].isMark("(") {
        depth -= 1
        if depth < 0 { return true }
      }
      if tokens[place].isMark("{") || tokens[place].isMark("}") { return false }
    }
    return false
  }

  private mutating func readQuery(_ index: Int) {
    guard let (label, argument) = firstArgument(of: index), label == "recordType" else { return }
    let type = text(at: argument)
    add(.type, type, nil, at: argument)
    if let name = boundName(before: index) { scopes.set(name, .query(type)) }
    guard let predicate = argumentIndex("predicate", from: argument) else { return }
    readFilters(predicate, of: type)
  }

  private mutating func readOperation(_ index: Int) {
    guard let name = boundName(before: index), let query = argumentIndex("query", from: index),
      let word = tokens[query].word
    else { return }
    if word == "CKQuery", let (label, argument) = firstArgument(of: query), label == "recordType" {
      scopes.set(name, .query(text(at: argument)))
    } else if let variable = scopes.variable(word) {
      scopes.set(name, variable)
    }
  }

  private mutating func readPredicateBinding(_ index: Int) {
    guard let name = boundName(before: index), let conditions = conditions(at: index) else { return }
    scopes.set(name, .predicate(conditions))
  }

  private mutating func readFilters(_ index: Int, of type: String?) {
    let found: [PredicateCondition]? =
      if tokens[index].word == "NSPredicate" {
        conditions(at: index)
      } else if let word = tokens[index].word,
        case .predicate(let conditions)? = scopes.variable(word)
      { conditions } else { nil }
    guard let found, let type else { return undecide(index) }
    for condition in found {
      switch condition.subject {
      case .field(let field): add(.filter, type, field, at: index, comparator: condition.comparator)
      case .everyField: add(.filter, type, nil, at: index, comparator: condition.comparator)
      case .unknown: undecide(index)
      }
    }
  }

  /// The conditions of `NSPredicate(format: …)`; of `NSPredicate(value: true)` the one that every record passes, which
  /// needs the record names. `nil` where only running the code shows them.
  private func conditions(at index: Int) -> [PredicateCondition]? {
    guard let (label, argument) = firstArgument(of: index) else { return nil }
    if label == "value" {
      return [PredicateCondition(subject: .field("___recordID"), comparator: .equals)]
    }
    guard label == "format", case .string(let format?) = tokens[argument].kind else { return nil }
    if format == "TRUEPREDICATE" {
      return [PredicateCondition(subject: .field("___recordID"), comparator: .equals)]
    }
    return PredicateFormat.conditions(of: format, arguments: arguments(after: argument).map { text(at: $0) })
  }

  // MARK: Fields

  private mutating func readVariable(_ word: String, _ index: Int) {
    guard index + 1 < tokens.count, let variable = scopes.variable(word) else { return }
    switch variable {
    case .record(let type): readMember(of: type, after: index)
    case .query(let type):
      guard tokens[index + 1].isMark("."), index + 2 < tokens.count,
        tokens[index + 2].word == "sortDescriptors"
      else {
        return
      }
      readSorts(index + 3, of: type)
    case .predicate: break
    }
  }

  private mutating func readMember(of type: String?, after index: Int) {
    var next = index + 1
    // `record?["title"]`, `record.encryptedValues["title"]`
    while next < tokens.count, tokens[next].isMark("?") || tokens[next].isMark("!") { next += 1 }
    if next + 1 < tokens.count, tokens[next].isMark("."), tokens[next + 1].word == "encryptedValues" {
      next += 2
    }
    guard next + 1 < tokens.count else { return }
    if tokens[next].isMark("[") {
      let (name, end) = constants.value(tokens, at: next + 1, in: scopes.typeName)
      guard end < tokens.count, tokens[end].isMark("]") else { return undecide(next + 1) }
      let assigned = end + 2 < tokens.count && tokens[end + 1].isMark("=") && !tokens[end + 2].isMark("=")
      add(.field, type, name, at: next + 1, dataType: assigned ? dataType(at: end + 2) : nil)
    } else if tokens[next].isMark("."), let call = tokens[next + 1].word,
      ["object", "value", "setObject", "setValue"].contains(call),
      let key = argumentIndex("forKey", from: next + 1)
    {
      let value = call.hasPrefix("set") && next + 3 < tokens.count ? dataType(at: next + 3) : nil
      add(.field, type, text(at: key), at: key, dataType: value)
    } else if tokens[next].isMark("."), tokens[next + 1].word == "recordType", next + 4 < tokens.count,
      tokens[next + 2].isMark("="), tokens[next + 3].isMark("="), let name = tokens[index].word,
      let type = text(at: next + 4)
    {
      // After `guard record.recordType == "Note"` the record is of that type; after `if` in the braces that follow.
      add(.type, type, nil, at: next + 4)
      let isGuard =
        tokens[max(0, index - 12)..<index].last { ["if", "guard"].contains($0.word) }?.word == "guard"
      scopes.set(name, .record(type), isParameter: !isGuard)
    }
  }

  /// The type of a literal or of a framework's value.
  private func dataType(at index: Int) -> DataType? {
    switch tokens[index].kind {
    case .string: return .string
    case .number:
      return source.bytes[tokens[index].range].contains(UInt8(ascii: ".")) ? .double : .int64
    case .word("true"), .word("false"): return .int64
    case .word("Date"): return .timestamp
    case .word("CKAsset"): return .asset
    case .word("CLLocation"): return .location
    case .word("CKRecord") where index + 2 < tokens.count && tokens[index + 2].word == "Reference":
      return .reference
    default: return nil
    }
  }

  private mutating func readSorts(_ start: Int, of type: String?) {
    var index = start
    while index < tokens.count, !tokens[index].isMark("]"), index < start + 80 {
      if tokens[index].word == "NSSortDescriptor", let (label, key) = firstArgument(of: index), label == "key"
      {
        add(.sort, type, text(at: key).map(PredicateFormat.storedName), at: key)
      }
      index += 1
    }
  }

  /// `operation.desiredKeys = ["title"]`, `records(matching: query, desiredKeys: ["title"])`
  private mutating func readDesiredKeys(_ index: Int) {
    guard index + 2 < tokens.count, tokens[index + 1].isMark("=") || tokens[index + 1].isMark(":"),
      tokens[index + 2].isMark("[")
    else { return }
    var type: String?
    if tokens[index + 1].isMark("="), index >= 2, tokens[index - 1].isMark("."),
      let name = tokens[index - 2].word,
      case .query(let found)? = scopes.variable(name)
    {
      type = found
    } else if tokens[index + 1].isMark(":"), let query = queryBefore(index),
      case .query(let found)? = scopes.variable(query)
    {
      type = found
    }
    var element = index + 3
    while element < tokens.count, !tokens[element].isMark("]") {
      let (name, end) = constants.value(tokens, at: element, in: scopes.typeName)
      add(.field, type, name, at: element)
      element = max(end, element + 1)
      if element < tokens.count, tokens[element].isMark(",") { element += 1 }
    }
  }

  /// The query that the call of an argument names: `matching: query`, `withQuery: query`.
  private func queryBefore(_ index: Int) -> String? {
    for place in stride(from: index - 1, to: max(1, index - 40), by: -1) {
      guard let word = tokens[place].word, ["matching", "withQuery", "query"].contains(word),
        tokens[place + 1].isMark(":")
      else { continue }
      return tokens[place + 2].word
    }
    return nil
  }

  // MARK: Expressions

  private func text(at index: Int) -> String? { constants.value(tokens, at: index, in: scopes.typeName).text }

  /// The label and the place of the first argument of a call: `Name(label: argument`, `Name.init(label: argument`.
  private func firstArgument(of index: Int) -> (label: String, argument: Int)? {
    var open = index + 1
    if open + 1 < tokens.count, tokens[open].isMark("."), tokens[open + 1].word == "init" { open += 2 }
    guard open + 3 < tokens.count, tokens[open].isMark("("), let label = tokens[open + 1].word,
      tokens[open + 2].isMark(":")
    else { return nil }
    return (label, open + 3)
  }

  /// The place of a labeled argument of the call that a token is in, or begins.
  private func argumentIndex(_ label: String, from index: Int) -> Int? {
    var depth = 0
    for place in index..<min(tokens.count, index + 400) {
      if tokens[place].isMark("(") || tokens[place].isMark("[") || tokens[place].isMark("{") { depth += 1 }
      if tokens[place].isMark(")") || tokens[place].isMark("]") || tokens[place].isMark("}") {
        depth -= 1
        if depth < 0 { return nil }
      }
      if depth <= 1, tokens[place].word == label, place + 2 < tokens.count, tokens[place + 1].isMark(":") {
        return place + 2
      }
    }
    return nil
  }

  /// The places of the arguments behind one, up to the end of the call.
  private func arguments(after index: Int) -> [Int] {
    var depth = 0
    var found: [Int] = []
    for place in (index + 1)..<min(tokens.count, index + 400) {
      if depth == 0, tokens[place].isMark(","), place + 1 < tokens.count {
        // `argumentArray: [a, b]` has them in a list.
        if tokens[place + 1].word == "argumentArray" { continue }
        found.append(place + 1)
      }
      if tokens[place].isMark("(") || tokens[place].isMark("[") { depth += 1 }
      if tokens[place].isMark(")") || tokens[place].isMark("]") {
        depth -= 1
        if depth < 0 { break }
      }
    }
    return found
  }

  /// The variable that an expression is assigned to: `let name = CKRecord(…`, `name = CKRecord(…`.
  private func boundName(before index: Int) -> String? {
    var place = index - 1
    while place > 0, let word = tokens[place].word, ["try", "await"].contains(word) { place -= 1 }
    guard place > 0, tokens[place].isMark("=") else { return nil }
    for start in stride(from: place - 1, to: max(-1, place - 8), by: -1) {
      guard let word = tokens[start].word else { continue }
      if word == "let" || word == "var" { return tokens[start + 1].word }
    }
    return tokens[place - 1].word
  }

  // MARK: Results

  private mutating func add(
    _ kind: AppUse.Kind, _ type: String?, _ field: String?, at index: Int, comparator: Comparator? = nil,
    dataType: DataType? = nil
  ) {
    guard let type, kind == .type || field != nil || comparator != nil else { return undecide(index) }
    uses.append(
      AppUse(
        kind: kind, recordType: type, field: field, comparator: comparator, dataType: dataType,
        place: source.range(tokens[index].range)))
  }

  private mutating func undecide(_ index: Int) { undecided.append(source.range(tokens[index].range)) }
}
