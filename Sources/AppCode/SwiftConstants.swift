/// The texts that names of an app's code stand for: `static let title = "title"`, `case title = "title"`.
struct SwiftConstants: Sendable {
  /// By `Type.name`, and by `name` alone; `nil` for a name with several texts.
  private var texts: [String: String?] = [:]

  /// Adds the constants of a file.
  mutating func read(_ tokens: [SwiftToken]) {
    var scopes = SwiftScopes()
    for index in tokens.indices {
      scopes.move(over: tokens, at: index)
      guard let word = tokens[index].word else { continue }
      if word == "let" || word == "var" { readBinding(tokens, index + 1, in: scopes.typeName) }
      if word == "case", let name = scopes.typeName, scopes.isTextEnum {
        readCases(tokens, index + 1, of: name)
      }
    }
  }

  /// `name = "text"`, `name: Type = "text"`.
  private mutating func readBinding(_ tokens: [SwiftToken], _ start: Int, in type: String?) {
    guard start < tokens.count, let name = tokens[start].word else { return }
    var index = start + 1
    if index < tokens.count, tokens[index].isMark(":") {
      while index < tokens.count, !tokens[index].isMark("="), !tokens[index].isMark("{"), index < start + 16 {
        index += 1
      }
    }
    guard index + 1 < tokens.count, tokens[index].isMark("="),
      case .string(let text) = tokens[index + 1].kind,
      index + 2 >= tokens.count || tokens[index + 2].startsLine || tokens[index + 2].isMark(";")
        || tokens[index + 2].isMark("}")
    else { return }
    add(name, text, in: type)
  }

  /// `a = "text", b`: a case without a text has its own name.
  private mutating func readCases(_ tokens: [SwiftToken], _ start: Int, of type: String) {
    var index = start
    while index < tokens.count, let name = tokens[index].word {
      var text: String? = name
      index += 1
      if index + 1 < tokens.count, tokens[index].isMark("=") {
        guard case .string(let value) = tokens[index + 1].kind else { return }
        text = value
        index += 2
      }
      add(name, text, in: type)
      guard index < tokens.count, tokens[index].isMark(",") else { return }
      index += 1
    }
  }

  private mutating func add(_ name: String, _ text: String?, in type: String?) {
    for key in [name, type.map { "\($0).\(name)" }].compactMap({ $0 }) {
      if let known = texts[key], known != text { texts[key] = .some(nil) } else { texts[key] = .some(text) }
    }
  }

  /// The text of a member of a type.
  func text(of name: String, in type: String) -> String? { (texts["\(type).\(name)"] ?? nil) }

  /// The text of a name that stands alone.
  func text(of name: String) -> String? { (texts[name] ?? nil) }

  /// The text of an expression that begins at a token, and the index behind it; `nil` where only running the code shows
  /// the text.
  func value(_ tokens: [SwiftToken], at start: Int, in type: String?) -> (text: String?, end: Int) {
    guard start < tokens.count else { return (nil, start) }
    if case .string(let text) = tokens[start].kind { return (text, start + 1) }
    var path: [String] = []
    var index = start
    if tokens[index].isMark(".") { index += 1 }
    while index < tokens.count, let word = tokens[index].word {
      path.append(word)
      index += 1
      guard index + 1 < tokens.count, tokens[index].isMark("."), tokens[index + 1].word != nil else { break }
      index += 1
    }
    if path.last == "rawValue" { path.removeLast() }
    guard let name = path.last, index >= tokens.count || !tokens[index].isMark("(") else {
      return (nil, index)
    }
    let owner = path.count > 1 ? path[path.count - 2] : nil
    switch owner {
    case "Self"?, "self"?: return (type.flatMap { text(of: name, in: $0) }, index)
    case let owner?: return (text(of: name, in: owner), index)
    case nil: return (type.flatMap { text(of: name, in: $0) } ?? text(of: name), index)
    }
  }
}

/// The braces around a place of Swift code, and the types that they belong to.
struct SwiftScopes {
  private struct Scope {
    var type: String?
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
    } else if let word = token.word, Self.typeWords.contains(word), index + 1 < tokens.count,
      let name = tokens[index + 1].word, name != "func", name != "var", name != "let"
    {
      let heritage = tokens[(index + 2)...].prefix { !$0.isMark("{") && !$0.isMark("}") }.prefix(24)
      // `extension CKRecord.Keys` names the last part.
      let path = heritage.first?.isMark(".") ?? false ? heritage.dropFirst().first?.word : nil
      pending = Scope(
        type: path ?? name,
        isTextEnum: word == "enum" && heritage.contains { ["String", "CodingKey"].contains($0.word) })
    }
  }

  private static let typeWords: Set<String> = ["struct", "class", "enum", "extension", "actor", "protocol"]

  /// The innermost type.
  var typeName: String? { stack.last { $0.type != nil }?.type }
  /// Whether the innermost type is an enum of texts.
  var isTextEnum: Bool { stack.last { $0.type != nil }?.isTextEnum ?? false }

  func variable(_ name: String) -> SwiftVariable? {
    stack.last { $0.variables[name] != nil }?.variables[name]
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

/// What a variable of an app's code holds.
enum SwiftVariable: Sendable, Equatable {
  /// A record; its type, if the code shows it.
  case record(String?)
  /// A query, or an operation with one.
  case query(String?)
  case predicate([PredicateCondition])
}
