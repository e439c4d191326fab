internal import SchemaLanguage

/// The texts that names of an app's code stand for: `static let title = "title"`, `case title = "title"`.
struct SwiftConstants: Sendable {
  /// By `name` for one outside of types, by `Type.name` and `Outer.Type.name`, and by `.name` for that of any type; `nil`
  /// for a name with several texts.
  private var values: [String: Value?] = [:]
  /// Those of all files, for names that the file does not have.
  private var shared: [String: Value?] = [:]
  /// What declarations state of types.
  var types = SwiftTypes()
  /// The names in Swift of fields that code of `schema generate` offers for queries.
  private(set) var queryFields: Set<String> = []

  private indirect enum Value: Sendable, Equatable {
    case text(String)
    /// The pieces of a text with other names: `"\(prefix)Note"`.
    case joined([Value])
    /// The text of another name: `Type.name`, or `.name`.
    case alias(String)
    /// A field in queries, and the type in Swift for its record type.
    case queryField(String, of: String)
  }

  /// The constants of a file. A function's own ones are left out.
  init(of tokens: [SwiftToken]) {
    var scopes = SwiftScopes()
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      guard let word = tokens[index].word else { continue }
      if word == "typealias", let name = tokens[index + 1].word {
        let path = Self.path(tokens, at: index + 3).words
        if !path.isEmpty, path != [name] {
          add("typealias \(name)", .alias(path.suffix(2).joined(separator: ".")))
        }
      }
      guard !scopes.isLocal else { continue }
      types.read(tokens, at: index, in: scopes.typeName)
      if word == "let" || word == "var" { readBinding(tokens, index + 1, in: scopes.typeNames) }
      if word == "case", scopes.isTextEnum { readCases(tokens, index + 1, of: scopes.typeNames) }
    }
  }

  /// `name = "text"`, `name: Type = "text"`, `a = "text", b = "text"`, `name: Type { "text" }`, `name = Other.name`.
  private mutating func readBinding(_ tokens: [SwiftToken], _ start: Int, in types: [String]) {
    guard let name = tokens[start].word else { return }
    var index = start + 1
    // `let keys = SaleKeys()`: its members are those of the type.
    if tokens[index].isMark(of: ":="), let type = tokens[index + 1].word,
      ["Keys", "Fields", "Names"].contains(where: type.hasSuffix)
    {
      add("typealias \(name)", .alias(type))
    }
    if tokens[index].isMark(":") { while !tokens[index].isMark(of: "={"), index < start + 16 { index += 1 } }
    // `static var recordType: String { return "Note" }`
    if tokens[index].isMark("{"), tokens[index + 1].word == "return" { index += 1 }
    guard tokens[index].isMark(of: "={") || tokens[index].word == "return" else { return }
    // Code may give another value to a property of an instance.
    let isOfInstance = !types.isEmpty && !["static", "class"].contains(tokens[start - 2].word)
    if tokens[index].isMark("="), tokens[start - 1].word == "var", isOfInstance { return }
    // `var newest: NSSortDescriptor { NSSortDescriptor(key: "date", …`: its text is that of the key.
    let isSort = tokens[index + 1].word == "NSSortDescriptor" && tokens[index + 3].word == "key"
    if isSort { index += 4 }
    let value: Value?
    if case .string(let text) = tokens[index + 1].kind {
      value = .text(text)
      index += 2
    } else if tokens[index + 1].word == "QueryField", types.count > 1, let type = tokens[index + 3].word,
      case .string(let field)? = tokens[(index + 4)...].prefix(16).first(where: { $0.isText })?.kind
    {
      let system = types[0] == "SystemQuery" ? SystemField(rawValue: field) : nil
      queryFields.insert(name)
      return add("\(types[1]).\(types[0]).\(name)", .queryField(system?.storedName ?? field, of: type))
    } else if let (text, end) = Self.wrapped(tokens, at: index + 1) {
      value = .text(text)
      index = end
    } else if case .interpolation(let parts, _) = tokens[index + 1].kind {
      guard let pieces = Self.pieces(parts, tokens, in: types.first) else { return }
      value = .joined(pieces)
      index += 1 + tokens[index + 1].length
    } else {
      var (path, isImplicit, end) = Self.path(tokens, at: index + 1)
      if let last = path.last, Self.accessors.contains(last) { path.removeLast() }
      guard end > index + 1, path.last != "init" else { return }
      // `var key: String { rawValue }`
      let name = path.isEmpty ? "self" : path.suffix(2).joined(separator: ".")
      value = .alias((isImplicit ? "." : "") + name)
      index = end
    }
    guard tokens[index].startsLine || tokens[index].isMark(of: ";},") else { return }
    add(name, value, in: types)
    if !isSort, tokens[index].isMark(",") { readBinding(tokens, index + 1, in: types) }
  }

  /// The pieces of a text whose other parts are names; `nil` for one with more than names.
  private static func pieces(_ parts: [SwiftToken.Part], _ tokens: [SwiftToken], in type: String?) -> [Value]?
  {
    var pieces: [Value] = []
    for part in parts {
      switch part {
      case .text(let text): pieces.append(.text(text))
      case .code(let index):
        var (path, isImplicit, end) = Self.path(tokens, at: index)
        guard !isImplicit, !path.isEmpty, tokens[end].isMark(")") else { return nil }
        if let type, path[0] == "Self" || path[0] == "self" { path[0] = type }
        pieces.append(.alias(path.suffix(2).joined(separator: ".")))
      }
    }
    return pieces
  }

  /// What gives the text of a case or of a key.
  private static let accessors: Set<String> = ["rawValue", "stringValue"]

  /// Whether the last member of `Type.case.key` is a property of the app's own that gives the text of the case.
  private func isAccessor(_ name: String, of path: [String]) -> Bool {
    let keys = ["\(path[path.count - 3]).\(name)", ".\(name)"]
    return keys.lazy.compactMap { value($0) }.first == .alias("self")
  }

  /// `FieldKey("title")`, `Field<Int>(rawValue: "count")`: a key of a type of the app's own, and the index behind it.
  private static func wrapped(_ tokens: [SwiftToken], at start: Int) -> (text: String, end: Int)? {
    guard let name = tokens[start].word,
      ["Key", "Field", "Column", "RecordType"].contains(where: name.hasSuffix)
    else { return nil }
    var index = start + 1
    if tokens[index].isMark("<") {
      while !tokens[index].isMark(of: ">({};"), !tokens[index].isEdge { index += 1 }
      index += 1
    }
    guard tokens[index].isMark("(") else { return nil }
    index += tokens[index + 2].isMark(":") ? 3 : 1
    guard case .string(let text) = tokens[index].kind, tokens[index + 1].isMark(")") else { return nil }
    return (text, index + 2)
  }

  /// `a = "text", b`: a case without a text has its own name.
  private mutating func readCases(_ tokens: [SwiftToken], _ start: Int, of types: [String]) {
    var index = start
    while let name = tokens[index].word {
      var text = name
      index += 1
      if tokens[index].isMark("=") {
        guard case .string(let value) = tokens[index + 1].kind else { return }
        text = value
        index += 2
      }
      add(name, .text(text), in: types)
      guard tokens[index].isMark(",") else { return }
      index += 1
    }
  }

  /// Joins the constants of several files.
  init(joining files: [SwiftConstants]) {
    for file in files {
      for (key, value) in file.values { add(key, value) }
      types.join(file.types)
      queryFields.formUnion(file.queryFields)
    }
  }

  /// The constants of a file, with those of the others.
  func elsewhere(_ all: SwiftConstants) -> SwiftConstants {
    var known = self
    known.shared = all.values
    known.types = all.types
    known.queryFields = all.queryFields
    return known
  }

  /// - Parameter types: the types around, the innermost first.
  private mutating func add(_ name: String, _ value: Value?, in types: [String]) {
    guard !types.isEmpty else { return add(name, value) }
    add(".\(name)", value)
    var path = name
    for type in types {
      path = "\(type).\(path)"
      add(path, value)
    }
  }

  private mutating func add(_ key: String, _ value: Value?) {
    values[key] = .some(values[key].map { $0 == value ? value : nil } ?? value)
  }

  /// - Parameter depth: how many names may stand for others.
  private func text(_ key: String, depth: Int = 4) -> String? {
    value(key).flatMap { text($0, of: key, depth) }
  }

  private func value(_ key: String) -> Value? { values[key] ?? shared[key] ?? nil }

  /// - Parameter key: the name that stands for the value; names of its own type come first in what it names.
  private func text(_ value: Value, of key: String, _ depth: Int) -> String? {
    switch value {
    case .text(let text): return text
    case .alias(let other) where depth > 0:
      return (other.hasPrefix(".") ? text("RecordType\(other)", depth: depth - 1) : nil)
        ?? text(other, depth: depth - 1)
    case .joined(let pieces) where depth > 0:
      let owner = key.lastIndex(of: ".").map { String(key[...$0]) } ?? ""
      var all = ""
      for piece in pieces {
        var found = text(piece, of: key, depth - 1)
        if case .alias(let other) = piece { found = text(owner + other, depth: depth - 1) ?? found }
        guard let part = found else { return nil }
        all += part
      }
      return all
    case .alias, .joined, .queryField: return nil
    }
  }

  /// The text of a member of a type, or of the type that its name stands for.
  func text(of name: String, in type: String) -> String? {
    if let text = text("\(type).\(name)") { return text }
    return otherName(of: type).flatMap { text("\($0).\(name)") }
  }

  /// What a `typealias` stands for.
  private func otherName(of type: String) -> String? {
    if case .alias(let other)? = value("typealias \(type)") { other } else { nil }
  }

  /// The field of generated code that a path names, and its record type: `Note.Query.title`; `Query.title` and `title` in
  /// extensions of `Note` and `Note.Query`.
  func queryField(_ path: [String], in types: [String]) -> (field: String, recordType: String?)? {
    guard let name = path.last, queryFields.contains(name) else { return nil }
    let around = path.dropLast().filter { $0 != "Self" }.suffix(2)
    let owners: [String] =
      switch around.count {
      case 0: types.count > 1 ? ["\(types[1]).\(types[0])"] : []
      case 1:
        types.map { "\($0).\(around[around.startIndex])" }
          + [otherName(of: around[around.startIndex])].compactMap(\.self)
      default:
        [around.joined(separator: ".")]
          + [otherName(of: around[around.startIndex])].compactMap {
            $0.map { "\($0).\(around[around.startIndex + 1])" }
          }
      }
    for owner in owners {
      let key = "\(owner).\(name)"
      if case .queryField(let field, let type)? = value(key) {
        return (field, text(of: "recordType", in: type))
      }
    }
    return nil
  }

  /// What stands for a part of a text that only running the code shows.
  static let unknownPart = "\u{FFFC}"
  /// Stands at the end of a text that may be another one, or to which code may add.
  static let change = "\u{FFF9}"

  /// The text of an expression that begins at a token, and the index behind it; `nil` where only running the code shows
  /// the text.
  func value(_ tokens: [SwiftToken], at start: Int, in scopes: SwiftScopes) -> (text: String?, end: Int) {
    let (text, end) = partialValue(tokens, at: start, in: scopes)
    let isKnown = text.map { !$0.contains(Self.unknownPart) && !$0.contains(Self.change) } ?? false
    return (isKnown ? text : nil, end)
  }

  /// The same with ``unknownPart`` for parts of a literal, or of several with `+` between them.
  func partialValue(_ tokens: [SwiftToken], at start: Int, in scopes: SwiftScopes) -> (
    text: String?, end: Int
  ) {
    let (first, end) = term(tokens, at: start, in: scopes)
    guard tokens[end].isMark("+"), !tokens[end + 1].isMark(of: "+=") else { return (first, end) }
    let (rest, last) = partialValue(tokens, at: end + 1, in: scopes)
    guard first != nil || rest != nil else { return (nil, last) }
    return ((first ?? Self.unknownPart) + (rest ?? Self.unknownPart), last)
  }

  private func term(_ tokens: [SwiftToken], at start: Int, in scopes: SwiftScopes) -> (
    text: String?, end: Int
  ) {
    switch tokens[start].kind {
    case .string(let text): return (text, start + 1)
    case .interpolation(let parts, _):
      let texts = parts.map { part -> String in
        switch part {
        case .text(let text): return text
        case .code(let index):
          let (text, end) = value(tokens, at: index, in: scopes)
          return tokens[end].isMark(")") ? text ?? Self.unknownPart : Self.unknownPart
        }
      }
      return (texts.joined(), start + tokens[start].length)
    case .word, .number, .mark, .edge: break
    }
    var (path, isImplicit, index) = Self.path(tokens, at: start)
    // `#keyPath(CKRecord.creationDate)`
    if path == ["keyPath"], tokens[index].isMark("(") {
      let (inner, _, end) = Self.path(tokens, at: index + 1)
      return (inner.last, end + 1)
    }
    if path.last == "name", let (field, _) = queryField(Array(path.dropLast()), in: scopes.typeNames) {
      return (field, index)
    }
    if let last = path.last, Self.accessors.contains(last) || path.count > 2 && isAccessor(last, of: path) {
      path.removeLast()
    }
    guard let name = path.last, !tokens[index].isMark("(") else { return (nil, index) }
    let owner = path.count > 1 ? path[path.count - 2] : nil
    let own = { scopes.typeNames.lazy.compactMap { text(of: name, in: $0) }.first }
    switch owner {
    case "Self"?, "self"?: return (own(), index)
    case let owner?:
      // `Feed.Keys.title`, where other types have keys, too.
      let outer = path.count > 2 ? text("\(path[path.count - 3]).\(owner).\(name)") : nil
      return (outer ?? text(of: name, in: owner), index)
    case nil where isImplicit: return (text(of: name, in: "RecordType") ?? text(".\(name)"), index)
    case nil:
      guard let variable = scopes.variable(name) else { return (own() ?? text(name), index) }
      if case .text(let text) = variable { return (text, index) }
      return (nil, index)
    }
  }

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
  /// The type whose brace comes next.
  private var pending: Scope?

  mutating func move(over tokens: [SwiftToken], at index: Int) {
    let token = tokens[index]
    if token.isMark("{") {
      stack.append(pending ?? Scope())
      pending = nil
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
  /// Whether the innermost type is an enum of texts.
  var isTextEnum: Bool { stack.last { $0.type != nil }?.isTextEnum ?? false }

  func variable(_ name: String) -> SwiftVariable? {
    stack.last { $0.variables[name] != nil }?.variables[name]
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

  /// - Parameter isParameter: the variable is that of the function whose brace comes next.
  mutating func set(_ name: String, _ variable: SwiftVariable, isParameter: Bool = false) {
    if isParameter {
      pending = pending ?? Scope()
      pending?.variables[name] = variable
    } else {
      stack[stack.count - 1].variables[name] = variable
    }
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
  /// A text, with ``SwiftConstants/unknownPart`` and ``SwiftConstants/change``.
  case text(String)
  /// A value of a type.
  case value(SwiftType)
  /// The record whose type a `switch` is about.
  case subject(String)
  /// What the property or the function of a name gives, in its body.
  case body(of: String, gives: SwiftType)
  /// Something else, which hides a constant of its name.
  case other

  /// A value of a type, which may be that of a record or a query.
  static func holding(_ type: SwiftType) -> SwiftVariable {
    type.isRecord ? .record(type.recordType) : type.isQuery ? .query(nil) : .value(type)
  }
}
