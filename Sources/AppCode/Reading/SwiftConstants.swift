internal import Diagnostics
internal import SchemaLanguage

/// Where an app's code says what its names stand for: `static let title = "title"`, `case title = "title"`.
struct SwiftConstants: Sendable {
  /// A place that gives a name its value.
  struct Declaration: Sendable {
    let file: SwiftFile
    let place: Int
    /// The types around, the innermost first.
    var types: [String] = []
    /// The name of a case without a text, of a field in queries, or of the type that another name stands for.
    var text: String?

    var isList: Bool { file.tokens[place].isMark("[") }
    /// Whether the value is the text of the case itself: `var key: String { rawValue }`.
    var isAccessor: Bool {
      let (words, _, end) = file.tokens.path(at: place)
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
  /// Those that name the record type in their body, by the place there.
  private(set) var makersByPlace: [Int: [SwiftMaker]] = [:]
  /// How many names may stand for others.
  var depth = 4

  /// The constants of a file. A function's own ones are left out.
  init(of file: SwiftFile) {
    var scopes = SwiftScopes()
    let tokens = file.tokens
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      if tokens[index].isMark("("), let function = file.functions[index] {
        if let maker = SwiftMaker(file, function, in: scopes.typeName) {
          makers[maker.name, default: []].append(maker)
          if let place = maker.place { makersByPlace[place, default: []].append(maker) }
        }
        if !scopes.isLocal { types.add(function, in: scopes.typeName) }
      }
      guard let word = tokens[index].word else { continue }
      if word == "typealias", let name = tokens[index + 1].word {
        let path = tokens.path(at: index + 3).words
        if !path.isEmpty, path != [name] {
          let other = path.suffix(2).joined(separator: ".")
          add("typealias \(name)", Declaration(file: file, place: index + 3, text: other))
        }
      }
      guard !scopes.isLocal else { continue }
      types.read(tokens, at: index, in: scopes.typeName)
      if word == "case", scopes.isTextEnum { readCases(file, index + 1, of: scopes.typeNames) }
      guard word == "let" || word == "var" else { continue }
      // Code may give another value to a property of an instance.
      let mayChange =
        word == "var" && scopes.isInType && !["static", "class"].contains(tokens[index - 1].word)
      for binding in SwiftBinding.all(tokens, at: index) {
        types.add(binding, tokens, in: scopes.typeName)
        read(binding, file, in: scopes.typeNames, mayChange: mayChange)
      }
    }
  }

  /// `name = "text"`, `name: Type = "text"`, `name: Type { "text" }`, `name = Other.name`.
  private mutating func read(_ binding: SwiftBinding, _ file: SwiftFile, in types: [String], mayChange: Bool)
  {
    let (tokens, name) = (file.tokens, binding.name)
    // `let keys = SaleKeys()`: its members are those of the type.
    let type = binding.type.map { $0.isList ? nil : $0.name } ?? binding.value.flatMap { tokens[$0].word }
    if let type, ["Keys", "Fields", "Names"].contains(where: type.hasSuffix) {
      add("typealias \(name)", Declaration(file: file, place: binding.place, text: type))
    }
    // `static var recordType: String { return "Note" }`
    let result = binding.body.map { tokens[$0 + 1].word == "return" ? $0 + 2 : $0 + 1 }
    guard let start = binding.value ?? result, binding.value == nil || !mayChange else { return }
    var value = Declaration(file: file, place: start, types: types)
    if tokens[start].word == "QueryField", types.count > 1,
      case .string(let field)? = tokens[(start + 3)...].prefix(16).first(where: { $0.isLiteral })?.kind
    {
      let system = types[0] == "SystemQuery" ? SystemField(rawValue: field) : nil
      queryFields.insert(name)
      value.text = system?.storedName ?? field
      return add("query \(types[1]).\(types[0]).\(name)", value)
    }
    if Self.mayBeConstant(tokens, at: start) { add(name, value, in: types) }
  }

  /// Whether a value may be a text, a key, a sort or a list of these.
  private static func mayBeConstant(_ tokens: [SwiftToken], at start: Int) -> Bool {
    let (path, _, end) = tokens.path(at: start)
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

  init(joining files: [SwiftConstants]) {
    for file in files {
      declared.merge(file.declared, uniquingKeysWith: +)
      makers.merge(file.makers, uniquingKeysWith: +)
      makersByPlace.merge(file.makersByPlace, uniquingKeysWith: +)
      types.join(file.types)
      queryFields.formUnion(file.queryFields)
    }
  }

  /// The constants of a file, with those of the others.
  func elsewhere(_ all: SwiftConstants) -> SwiftConstants {
    var known = all
    (known.declared, known.shared) = (declared, all.declared)
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
  /// A predicate or a list of predicates; none where the code gives it another value than those that are known.
  case predicate([PredicateCondition])
  case sorts([SwiftKey])
  /// A list of names of fields.
  case keys([SwiftKey])
  /// The texts that it may be, with ``SwiftConstants/unknownPart`` and ``SwiftConstants/change``.
  case text([String])
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
    case .text: SwiftType("String")
    case .keys: SwiftType("String", isList: true)
    case .predicate: SwiftType("NSPredicate")
    case .sorts: SwiftType("NSSortDescriptor")
    case .encryptedValues, .subject, .body, .other: nil
    }
  }

  /// A value of a type, which may be that of a record; `nil` for one that the code does not show.
  static func holding(_ type: SwiftType?) -> SwiftVariable {
    type.map { $0.isRecord ? .record($0.recordType) : .value($0) } ?? .other
  }
}

/// What constants of the app stand for.
extension SwiftUseReader {
  /// Whether the last member of `Type.case.key` is a property of the app's own that gives the text of the case.
  func isAccessor(_ path: [String]) -> Bool {
    guard path.count > 2 else { return false }
    let keys = ["\(path[path.count - 3]).\(path[path.count - 1])", ".\(path[path.count - 1])"]
    return keys.lazy.compactMap { constants.agreed($0) { $0.isAccessor } }.first ?? false
  }

  /// What a constant is.
  ///
  /// - Parameters:
  ///   - type: that of a value without one, `.name`.
  ///   - read: reads a declaration.
  func constant<Value: Equatable>(
    _ path: [String], isImplicit: Bool = false, of type: String = "", isList: Bool = false,
    _ read: (SwiftUseReader, SwiftConstants.Declaration) -> Value?
  ) -> Value? {
    guard constants.depth > 0 else { return nil }
    var constants = constants
    constants.depth -= 1
    let keys = constants.keys(of: path, isImplicit: isImplicit, of: type, in: scopes.typeNames)
    for key in keys {
      let found = constants.agreed(key, isList: isList) { value in
        var reader = SwiftUseReader(value.file, constants, in: SwiftScopes(in: value.types))
        reader.wantedType = wantedType
        return read(reader, value)
      }
      if let found { return found }
    }
    return nil
  }

  /// The text of a member of a type, or of the type that its name stands for.
  func text(of name: String, in type: String) -> String? {
    constant([type, name]) { reader, value in value.text ?? reader.text(at: value.place) }
  }
}
