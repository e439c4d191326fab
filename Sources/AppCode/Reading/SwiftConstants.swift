internal import Diagnostics
internal import SchemaLanguage

/// A file of an app's code.
struct SwiftFile: Sendable {
  let source: SourceText
  let tokens: [SwiftToken]
  let usesCloudKit: Bool

  init(_ source: SourceText, _ tokens: [SwiftToken]) {
    self.source = source
    self.tokens = tokens
    usesCloudKit = tokens.contains { $0.word.map(["CloudKit", "CKRecord", "CKQuery"].contains) ?? false }
  }
}

/// Where an app's code says what its names stand for: `static let title = "title"`, `case title = "title"`.
struct SwiftConstants: Sendable {
  /// A place that gives a name its value.
  struct Declaration: Sendable {
    let file: SwiftFile
    /// Where the value begins.
    let place: Int
    /// The types around, the innermost first.
    var types: [String] = []
    /// The name of a case without a text, of a field in queries, or of the type that another name stands for.
    var text: String?

    var isList: Bool { file.tokens[place].isMark("[") }
    /// Whether the value is the text of the case itself: `var key: String { rawValue }`.
    var isAccessor: Bool {
      let (words, _, end) = SwiftConstants.path(file.tokens, at: place)
      return file.tokens[end].isMark("}") && words.last.map(SwiftConstants.accessors.contains) ?? false
        && ["self", words.last].contains(words[0])
    }
  }

  /// By `name` for one outside of types, by `Type.name` and `Outer.Type.name`, by `.name` for that of any type, by
  /// `typealias Name`, and by `query Type.Query.name` for a field in queries.
  private var declared: [String: [Declaration]] = [:]
  /// Those of all files, for names that the file does not have.
  private var shared: [String: [Declaration]] = [:]
  /// What declarations state of types.
  var types = SwiftTypes()
  /// The names in Swift of fields that code of `schema generate` offers for queries.
  private(set) var queryFields: Set<String> = []
  /// The functions and initializers that may make records or queries, by the name of a call.
  private(set) var makers: [String: [SwiftMaker]] = [:]
  /// How many names may stand for others.
  var depth = 4

  /// The constants of a file. A function's own ones are left out.
  init(of file: SwiftFile) {
    var scopes = SwiftScopes()
    let tokens = file.tokens
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      guard let word = tokens[index].word else { continue }
      let maker = SwiftMaker(file, at: index, in: scopes.typeName)
      if let maker { makers[maker.name, default: []].append(maker) }
      if word == "typealias", let name = tokens[index + 1].word {
        let path = Self.path(tokens, at: index + 3).words
        if !path.isEmpty, path != [name] {
          let other = path.suffix(2).joined(separator: ".")
          add("typealias \(name)", Declaration(file: file, place: index + 3, text: other))
        }
      }
      guard !scopes.isLocal else { continue }
      types.read(tokens, at: index, in: scopes.typeName)
      if word == "let" || word == "var" { readBinding(file, index + 1, in: scopes.typeNames) }
      if word == "case", scopes.isTextEnum { readCases(file, index + 1, of: scopes.typeNames) }
    }
  }

  /// `name = "text"`, `name: Type = "text"`, `a = "text", b = "text"`, `name: Type { "text" }`, `name = Other.name`.
  private mutating func readBinding(_ file: SwiftFile, _ start: Int, in types: [String]) {
    let tokens = file.tokens
    guard let name = tokens[start].word else { return }
    var index = start + 1
    // `let keys = SaleKeys()`: its members are those of the type.
    if tokens[index].isMark(of: ":="), let type = tokens[index + 1].word,
      ["Keys", "Fields", "Names"].contains(where: type.hasSuffix)
    {
      add("typealias \(name)", Declaration(file: file, place: index + 1, text: type))
    }
    if tokens[index].isMark(":") {
      index += 1
      while !tokens[index].isMark(of: "={;}"), !tokens[index].startsLine, index < start + 16 { index += 1 }
    }
    let isGiven = tokens[index].isMark("=")
    guard isGiven || tokens[index].isMark("{") else { return }
    // `static var recordType: String { return "Note" }`
    if !isGiven, tokens[index + 1].word == "return" { index += 1 }
    // Code may give another value to a property of an instance.
    let isOfInstance = !types.isEmpty && !["static", "class"].contains(tokens[start - 2].word)
    if isGiven, tokens[start - 1].word == "var", isOfInstance { return }
    var value = Declaration(file: file, place: index + 1, types: types)
    if tokens[index + 1].word == "QueryField", types.count > 1,
      case .string(let field)? = tokens[(index + 4)...].prefix(16).first(where: { $0.isLiteral })?.kind
    {
      let system = types[0] == "SystemQuery" ? SystemField(rawValue: field) : nil
      queryFields.insert(name)
      value.text = system?.storedName ?? field
      return add("query \(types[1]).\(types[0]).\(name)", value)
    }
    if Self.mayBeConstant(tokens, at: index + 1) { add(name, value, in: types) }
    // `a = "text", b = "text"`
    let comma = tokens[(index + 1)...].prefix(isGiven ? 60 : 0).indices.first { place in
      tokens[place].outer == tokens[index].outer && (tokens[place].isMark(",") || tokens[place].startsLine)
    }
    if let comma, tokens[comma].isMark(",") { readBinding(file, comma + 1, in: types) }
  }

  /// Whether a value may be a text, a key, a sort or a list of these.
  private static func mayBeConstant(_ tokens: [SwiftToken], at start: Int) -> Bool {
    let (path, _, end) = Self.path(tokens, at: start)
    switch tokens[start].kind {
    case .string, .interpolation: return true
    case .word("if"), .word("switch"): return true
    case .number, .edge: return false
    case .word, .mark:
      guard let last = path.last else { return tokens[start].isMark(of: "([") }
      let isName = tokens[end].startsLine || tokens[end].isMark(of: ";},?+")
      return last != "init" && (isName || isKeyType(last) || last == "NSSortDescriptor")
    }
  }

  /// Whether a type of the app's own may be that of keys: `FieldKey("title")`, `Field<Int>(rawValue: "count")`.
  static func isKeyType(_ name: String) -> Bool {
    ["Key", "Field", "Column", "RecordType"].contains(where: name.hasSuffix)
  }

  /// What gives the text of a case or of a key.
  static let accessors: Set<String> = ["rawValue", "stringValue"]

  /// `a = "text", b`: a case without a text has its own name.
  private mutating func readCases(_ file: SwiftFile, _ start: Int, of types: [String]) {
    var index = start
    while let name = file.tokens[index].word {
      var value = Declaration(file: file, place: index, types: types, text: name)
      index += 1
      if file.tokens[index].isMark("=") {
        guard case .string(let text) = file.tokens[index + 1].kind else { return }
        value.text = text
        index += 2
      }
      add(name, value, in: types)
      guard file.tokens[index].isMark(",") else { return }
      index += 1
    }
  }

  /// Joins the constants of several files.
  init(joining files: [SwiftConstants]) {
    for file in files {
      declared.merge(file.declared, uniquingKeysWith: +)
      makers.merge(file.makers, uniquingKeysWith: +)
      types.join(file.types)
      queryFields.formUnion(file.queryFields)
    }
  }

  /// The constants of a file, with those of the others.
  func elsewhere(_ all: SwiftConstants) -> SwiftConstants {
    var known = self
    known.shared = all.declared
    known.types = all.types
    known.queryFields = all.queryFields
    known.makers = all.makers
    return known
  }

  /// - Parameter types: the types around, the innermost first.
  private mutating func add(_ name: String, _ value: Declaration, in types: [String]) {
    if !types.isEmpty { add(".\(name)", value) }
    var path = name
    if types.isEmpty { add(path, value) }
    for type in types {
      path = "\(type).\(path)"
      add(path, value)
    }
  }

  private mutating func add(_ key: String, _ value: Declaration) { declared[key, default: []].append(value) }

  /// What the declarations of a name give, if all give the same.
  func agreed<Value: Equatable>(_ key: String, isList: Bool = false, _ read: (Declaration) -> Value?)
    -> Value?
  {
    let all = (declared[key] ?? shared[key] ?? []).filter { $0.isList == isList }
    guard let first = all.first.flatMap(read) else { return nil }
    return all.dropFirst().allSatisfy { read($0) == first } ? first : nil
  }

  /// What a `typealias` stands for.
  private func otherName(of type: String) -> String? { agreed("typealias \(type)") { $0.text } }

  /// The names under which a constant may be known, the surest first.
  ///
  /// - Parameters:
  ///   - type: that of a value without one, `.name`.
  ///   - types: the types around.
  func keys(of path: [String], isImplicit: Bool, of type: String, in types: [String]) -> [String] {
    guard let name = path.last else { return [] }
    if isImplicit, path.count == 1 { return ["\(type).\(name)", ".\(name)"] }
    guard let owner = path.dropLast().last, owner != "self", owner != "Self" else {
      return types.map { "\($0).\(name)" } + (path.count == 1 ? [name] : [])
    }
    // `Feed.Keys.title`, where other types have keys, too.
    let outer = path.count > 2 ? ["\(path[path.count - 3]).\(owner).\(name)"] : []
    return outer + ["\(owner).\(name)"] + [otherName(of: owner)].compactMap { $0.map { "\($0).\(name)" } }
  }

  /// The field of generated code that a path names, and the type of its record in Swift: `Note.Query.title`; `Query.title`
  /// and `title` in extensions of `Note` and `Note.Query`.
  func queryField(_ path: [String], in types: [String]) -> (field: String, type: String)? {
    guard let name = path.last, queryFields.contains(name) else { return nil }
    let around = Array(path.dropLast().filter { $0 != "Self" }.suffix(2))
    let other = around.first.flatMap(otherName)
    let owners: [String] =
      switch around.count {
      case 0: types.count > 1 ? ["\(types[1]).\(types[0])"] : []
      case 1: types.map { "\($0).\(around[0])" } + [other].compactMap(\.self)
      default: [around.joined(separator: ".")] + [other].compactMap { $0.map { "\($0).\(around[1])" } }
      }
    return owners.lazy.compactMap { owner in
      agreed("query \(owner).\(name)") { value in value.text.map { ["\($0)"] + value.types.prefix(2) } }
    }.first { $0.count == 3 }.map { ($0[0], $0[2]) }
  }

  /// What stands for a part of a text that only running the code shows.
  static let unknownPart = "\u{FFFC}"
  /// Stands at the end of a text that may be another one, or to which code may add.
  static let change = "\u{FFF9}"

  /// Whether a text is known as a whole.
  static func isWhole(_ text: String) -> Bool { !text.contains(unknownPart) && !text.contains(change) }

  /// `Outer.Type.name`, or `.name`, and the index behind it.
  static func path(_ tokens: [SwiftToken], at start: Int) -> (words: [String], isImplicit: Bool, end: Int) {
    let isImplicit = tokens[start].isMark(".")
    var index = isImplicit ? start + 1 : start
    var words: [String] = []
    while let word = tokens[index].word {
      words.append(word)
      index += 1
      guard tokens[index].isMark("."), tokens[index + 1].word != nil else { break }
      index += 1
    }
    return (words, isImplicit, index)
  }
}

/// The braces around a place of Swift code, and the types that they belong to.
struct SwiftScopes {
  private struct Scope {
    var type: String?
    /// `Note` of `extension Note.Query`.
    var outer: String?
    var isTextEnum = false
    /// What variables hold.
    var variables: [String: SwiftVariable] = [:]
  }

  private var stack = [Scope()]

  init() {}

  /// A place in types, the innermost first.
  init(in types: [String]) { stack += types.reversed().map { Scope(type: $0) } }

  /// The type whose brace comes next.
  private var pending: Scope?

  /// A variable that is known from a place on: in the braces around, or in those that open at another place.
  private struct Coming {
    let name: String
    let variable: SwiftVariable
    let place: Int
    let brace: Int?
    /// How many braces are around.
    let depth: Int
  }

  private var coming: [Coming] = []
  private var position = 0

  mutating func move(over tokens: [SwiftToken], at index: Int) {
    let token = tokens[index]
    position = index
    let opened = coming.filter { $0.brace == index }
    for one in coming where one.brace == nil && one.place <= index {
      stack[min(one.depth, stack.count) - 1].variables[one.name] = one.variable
    }
    coming.removeAll { $0.brace.map { $0 <= index } ?? ($0.place <= index) }
    if token.isMark("{") {
      stack.append(pending ?? Scope())
      pending = nil
      for one in opened { stack[stack.count - 1].variables[one.name] = one.variable }
    } else if token.isMark("}") {
      if stack.count > 1 { stack.removeLast() }
    } else if token.word == "func" {
      pending = nil
    } else if let word = token.word, Self.typeWords.contains(word), let name = tokens[index + 1].word,
      name != "func", name != "var", name != "let"
    {
      let heritage = tokens[(index + 2)...].prefix { !$0.isMark("{") && !$0.isMark("}") }.prefix(24)
      // `extension CKRecord.Keys` names the last part.
      let path = heritage.first?.isMark(".") ?? false ? heritage.dropFirst().first?.word : nil
      pending = Scope(
        type: path ?? name, outer: path.map { _ in name },
        isTextEnum: word == "enum" && heritage.contains { ["String", "CodingKey"].contains($0.word) },
        variables: ["self": path == nil && name == "CKRecord" ? .record(nil) : .other])
    }
  }

  private static let typeWords: Set<String> = ["struct", "class", "enum", "extension", "actor", "protocol"]

  /// The innermost type.
  var typeName: String? { stack.last { $0.type != nil }?.type }
  /// The types around, the innermost first.
  var typeNames: [String] { stack.reversed().flatMap { [$0.type, $0.outer].compactMap(\.self) } }
  /// Whether the place is in a function.
  var isLocal: Bool { stack.count > 1 && stack[stack.count - 1].type == nil }
  /// Whether the place is in a type, and not in one of its functions.
  var isInType: Bool { stack[stack.count - 1].type != nil }
  /// Whether the innermost type is an enum of texts.
  var isTextEnum: Bool { stack.last { $0.type != nil }?.isTextEnum ?? false }

  func variable(_ name: String) -> SwiftVariable? {
    guard !coming.isEmpty else { return stack.last { $0.variables[name] != nil }?.variables[name] }
    for depth in stack.indices.reversed() {
      // The conditions behind `if let name` see it, too.
      let own = coming.last { $0.name == name && $0.depth == depth + 1 && $0.place <= position }
      if let found = own?.variable ?? stack[depth].variables[name] { return found }
    }
    return nil
  }

  /// Whether a name is that of a member or of a global variable, or of none, and not of a function's own.
  func isShared(_ name: String) -> Bool {
    guard let scope = stack.lastIndex(where: { $0.variables[name] != nil }) else { return true }
    return scope == 0 || stack[scope].type != nil
  }

  /// Whether a variable is one of the innermost braces.
  func declares(_ name: String) -> Bool { stack[stack.count - 1].variables[name] != nil }

  /// Changes a variable where it was declared.
  mutating func change(_ name: String, _ variable: SwiftVariable) {
    let scope = stack.lastIndex { $0.variables[name] != nil } ?? stack.count - 1
    stack[scope].variables[name] = variable
  }

  /// - Parameters:
  ///   - place: where it is known from; by default where the code is read.
  ///   - brace: where the braces open that have it, if these are others than those around.
  mutating func set(
    _ name: String, _ variable: SwiftVariable, from place: Int? = nil, inBraces brace: Int? = nil
  ) {
    guard place == nil, brace == nil else {
      return coming.append(
        Coming(
          name: name, variable: variable, place: place ?? position, brace: brace, depth: stack.count))
    }
    stack[stack.count - 1].variables[name] = variable
  }
}

/// The name of a field, as in a sort, if the code shows it, and its place.
struct SwiftKey: Sendable, Equatable {
  let field: String?
  let place: Int

  static func unknown(_ place: Int) -> SwiftKey { SwiftKey(field: nil, place: place) }
}

/// What a variable of an app's code holds.
enum SwiftVariable: Sendable, Equatable {
  /// A record; its type, if the code shows it.
  case record(String?)
  /// The encrypted values of a record; its type, if the code shows it.
  case encryptedValues(String?)
  /// A query, or an operation with one.
  case query(String?)
  /// A predicate or a list of predicates; none where the code gives it another value than those that are known.
  case predicate([PredicateCondition])
  /// A sort or a list of sorts.
  case sorts([SwiftKey])
  /// A list of names of fields.
  case keys([SwiftKey])
  /// The texts that it may be, with ``SwiftConstants/unknownPart`` and ``SwiftConstants/change``.
  case text([String])
  /// A value of a type.
  case value(SwiftType)
  /// The record whose type a `switch` is about.
  case subject(String)
  /// What the property or the function of a name gives, in its body.
  case body(of: String, gives: SwiftType)
  /// Something else, which hides a constant of its name.
  case other

  /// The type of what it holds, if the code shows it.
  var type: SwiftType? {
    switch self {
    case .value(let type): type
    case .record(let recordType): .record(recordType)
    case .query(let recordType): SwiftType("CKQuery", of: recordType)
    case .text: SwiftType("String")
    case .keys: SwiftType("String", isList: true)
    case .predicate: SwiftType("NSPredicate")
    case .sorts: SwiftType("NSSortDescriptor")
    case .encryptedValues, .subject, .body, .other: nil
    }
  }

  /// A value of a type, which may be that of a record or a query.
  static func holding(_ type: SwiftType) -> SwiftVariable {
    type.isRecord ? .record(type.recordType) : type.isQuery ? .query(type.recordType) : .value(type)
  }
}
