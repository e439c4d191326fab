internal import SchemaLanguage

/// The types that the declarations of an app's code state: of properties and functions, and of the values of enums.
struct SwiftTypes: Sendable, Equatable {
  /// By `Type.name`, by `name` outside of types, by `enum Type` for its raw values and by `typealias Name`, with `closure`
  /// or `case` before the name for what a function gives to its closure or a case holds; `nil` for a name with several types.
  private var stated: [String: SwiftType?] = [:]

  /// Adds what a function gives, and what it gives to its closure.
  mutating func add(_ function: SwiftFunction, in owner: String?) {
    guard function.name != "init", !function.name.isEmpty else { return }
    if let type = function.result { add(function.name, type, in: owner) }
    let closure = function.parameters.last { $0.type?.name == "->" }
    if let type = closure?.type { add("closure \(function.name)", type, in: owner) }
  }

  /// Adds the type that a property or a variable states, or that of its first value.
  mutating func add(_ binding: SwiftBinding, _ tokens: [SwiftToken], in owner: String?) {
    let type = binding.type ?? binding.value.flatMap { tokens.madeType(at: $0)?.type }
    if let type { add(binding.name, type, in: owner) }
  }

  /// Reads the declaration of an enum, a case or a type's other name, whose keyword is at a place outside of functions.
  mutating func read(_ tokens: [SwiftToken], at index: Int, in owner: String?) {
    guard let keyword = tokens[index].word, let name = tokens[index + 1].word else { return }
    switch keyword {
    case "case":
      guard tokens[index + 2].isMark("(") else { return }
      add("case \(name)", .tuple(tokens.parameters(in: index + 2).map(\.part)), in: owner)
    case "enum":
      guard tokens[index + 2].isMark(":"), let type = tokens.type(at: index + 3)?.type else { return }
      add("enum \(name)", type)
    case "typealias":
      if let type = tokens.type(at: index + 3)?.type, type.name != name { add("typealias \(name)", type) }
    default: break
    }
  }

  /// Other names of CloudKit's classes, which stand for nothing else in the files: `typealias Rec = CKRecord`.
  static func otherNames(in files: [[SwiftToken]]) -> [String: String] {
    var names: [String: Set<String>] = [:]
    for tokens in files {
      for index in tokens.indices {
        guard let word = tokens[index].word, word == "typealias" || SwiftScopes.typeWords.contains(word),
          word != "extension", let name = tokens[index + 1].word
        else { continue }
        let isWhole = tokens[index + 4].startsLine || tokens[index + 4].isMark(of: ";}")
        names[name, default: []].insert(word == "typealias" && isWhole ? tokens[index + 3].word ?? "" : "")
      }
    }
    return names.compactMapValues { meanings in
      meanings.count == 1 ? meanings.intersection(["CKRecord", "CKQuery", "CKQueryOperation"]).first : nil
    }
  }

  /// Adds the types of the records that properties and functions give, where a name gives one type; the names.
  mutating func add(recordTypes files: [[String: Set<String?>]]) -> [String] {
    var names: [String] = []
    let all = files.reduce(into: [String: Set<String?>]()) { $0.merge($1) { $0.union($1) } }
    for (key, given) in all where given.count == 1 && type(key)?.isRecord ?? false {
      guard let recordType = given.first ?? nil else { continue }
      stated[key] = .some(SwiftType.record(recordType))
      names.append(key)
    }
    return names
  }

  private mutating func add(_ name: String, _ type: SwiftType, in owner: String?) {
    add(owner.map { "\($0).\(name)" } ?? name, type)
  }

  private mutating func add(_ key: String, _ type: SwiftType?) {
    stated[key] = .some(stated[key].map { $0 == type ? type : nil } ?? type)
  }

  mutating func join(_ other: SwiftTypes) { for (key, type) in other.stated { add(key, type) } }

  /// The type of a property or a function of a type, or outside of types (`nil`).
  func type(of name: String, in owner: String?) -> SwiftType? { type(owner.map { "\($0).\(name)" } ?? name) }

  private func type(_ key: String) -> SwiftType? { stated[key] ?? nil }

  func rawType(of name: String) -> SwiftType? { stated["enum \(name)"] ?? nil }

  /// The type of a field with values of a type, which may be another name for it.
  func dataType(_ type: SwiftType) -> DataType? {
    guard let other = stated["typealias \(type.name)"] ?? nil else { return type.dataType }
    return SwiftType(other.name, isList: other.isList || type.isList).dataType
  }
}
