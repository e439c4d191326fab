/// The braces around a place of Swift code, and the types that they belong to.
struct SwiftScopes {
  private struct Scope {
    var type: String?
    /// `Note` of `extension Note.Query`.
    var outer: String?
    var isTextEnum = false
    var variables: [String: SwiftVariable] = [:]
    /// The variables that the code declares there.
    var declared: Set<String> = []

    mutating func set(_ name: String, _ variable: SwiftVariable, isNew: Bool) {
      variables[name] = variable
      if isNew { declared.insert(name) }
    }
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
    let isNew: Bool
    let place: Int
    let brace: Int?
    /// How many braces are around.
    let depth: Int
  }

  private var coming: [Coming] = []
  private var position = 0
  /// The variables before each `guard`, by the brace of its `else`, where its conditions do not hold.
  private var guarded: [Int: [String: SwiftVariable]] = [:]

  mutating func move(over tokens: [SwiftToken], at index: Int) {
    let token = tokens[index]
    position = index
    var opened: [Coming] = []
    if !coming.isEmpty {
      opened = coming.filter { $0.brace == index }
      for one in coming where one.brace == nil && one.place <= index {
        stack[min(one.depth, stack.count) - 1].set(one.name, one.variable, isNew: one.isNew)
      }
      coming.removeAll { ($0.brace ?? $0.place) <= index }
    }
    if token.isMark("{") {
      var scope = pending ?? Scope()
      pending = nil
      if let before = guarded.removeValue(forKey: index) {
        for (name, variable) in stack[stack.count - 1].variables where variable != before[name] {
          let outer = stack.dropLast().last { $0.variables[name] != nil }
          scope.variables[name] = before[name] ?? outer?.variables[name] ?? .other
        }
      }
      stack.append(scope)
      for one in opened { stack[stack.count - 1].set(one.name, one.variable, isNew: one.isNew) }
    } else if token.isMark("}") {
      if stack.count > 1 { stack.removeLast() }
    } else if token.word == "func" {
      pending = nil
    } else if token.word == "guard", let brace = tokens.brace(after: index) {
      guarded[brace] = stack[stack.count - 1].variables
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

  static let typeWords: Set<String> = ["struct", "class", "enum", "extension", "actor", "protocol"]

  var typeName: String? { stack.last { $0.type != nil }?.type }
  /// The types around, the innermost first.
  var typeNames: [String] { stack.reversed().flatMap { [$0.type, $0.outer].compactMap(\.self) } }
  /// Whether the place is in a function.
  var isLocal: Bool { stack.count > 1 && stack[stack.count - 1].type == nil }
  /// Whether the place is in a type, and not in one of its functions.
  var isInType: Bool { stack[stack.count - 1].type != nil }
  /// Whether the innermost type is an enum of texts.
  var isTextEnum: Bool { stack.last { $0.type != nil }?.isTextEnum ?? false }

  /// What a variable holds; the member's for the name of ``member(_:)``.
  func variable(_ name: String) -> SwiftVariable? {
    for depth in stack.indices.reversed() {
      // The conditions behind `if let name` see it, too.
      let own =
        coming.isEmpty
        ? nil : coming.last { $0.name == name && $0.depth == depth + 1 && $0.place <= position }
      if let found = own?.variable ?? stack[depth].variables[name] { return found }
    }
    return home(of: name).flatMap { stack[$0.scope].variables[$0.name] }
  }

  private static let selfPrefix = "self."

  /// The name under which `self.name` is known: with `self`, if a variable of the function hides the member.
  func member(_ name: String) -> String {
    let isHidden =
      stack.reversed().prefix { $0.type == nil }.contains { $0.declared.contains(name) }
      || coming.contains { $0.name == name && $0.isNew && $0.brace == nil && $0.place <= position }
    return isHidden ? Self.selfPrefix + name : name
  }

  /// The name of a variable, without the `self` that it may have from ``member(_:)``.
  static func bare(_ name: String) -> String {
    name.hasPrefix(selfPrefix) ? String(name.dropFirst(selfPrefix.count)) : name
  }

  /// Where a variable is, and under which name: that of a hidden member is in the type, where no braces say more about it.
  private func home(of name: String) -> (scope: Int, name: String)? {
    if let scope = stack.lastIndex(where: { $0.variables[name] != nil }) { return (scope, name) }
    let bare = Self.bare(name)
    guard bare != name, let type = stack.lastIndex(where: { $0.type != nil }),
      stack[type].variables[bare] != nil
    else { return nil }
    return (type, bare)
  }

  /// Whether a name is that of a member or of a global variable, or of none, and not of a function's own.
  func isShared(_ name: String) -> Bool {
    guard Self.bare(name) == name, let (scope, _) = home(of: name) else { return true }
    return scope == 0 || stack[scope].type != nil
  }

  /// Whether a variable is one of the innermost braces.
  func declares(_ name: String) -> Bool { stack[stack.count - 1].variables[name] != nil }

  /// Changes a variable where it was declared.
  mutating func change(_ name: String, _ variable: SwiftVariable) {
    let (scope, name) = home(of: name) ?? (stack.count - 1, name)
    stack[scope].variables[name] = variable
  }

  /// - Parameters:
  ///   - isNew: whether the code declares it, and does not just show more about it.
  ///   - place: where it is known from; by default where the code is read.
  ///   - brace: where the braces open that have it, if these are others than those around.
  mutating func set(
    _ name: String, _ variable: SwiftVariable, isNew: Bool = true, from place: Int? = nil,
    inBraces brace: Int? = nil
  ) {
    guard place == nil, brace == nil else {
      return coming.append(
        Coming(
          name: name, variable: variable, isNew: isNew, place: place ?? position, brace: brace,
          depth: stack.count))
    }
    stack[stack.count - 1].set(name, variable, isNew: isNew)
  }
}
