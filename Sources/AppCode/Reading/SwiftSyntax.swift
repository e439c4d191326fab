internal import Diagnostics

struct SwiftFile: Sendable {
  let source: SourceText
  let tokens: [SwiftToken]
  /// By the place where the parameters begin.
  let functions: [Int: SwiftFunction]
  let usesCloudKit: Bool
  private static let names: Set<String> = ["CloudKit", "CKRecord", "CKQuery"]

  init(_ source: SourceText, _ tokens: [SwiftToken]) {
    self.source = source
    self.tokens = tokens
    functions = SwiftFunction.all(in: tokens)
    usesCloudKit = tokens.contains { $0.word.map(Self.names.contains) ?? false }
  }
}

/// A token of Swift code, as far as it is needed to find what code says about records.
struct SwiftToken: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// A name or a keyword, without backquotes.
    case word(String)
    case string(String)
    /// A string literal with interpolations, and how many tokens of these follow it, each in parentheses.
    case interpolation([Part], tokens: Int)
    case number(isWhole: Bool)
    case mark(UInt8)
    /// None: what is before the first token of a file and behind its last one.
    case edge
  }

  enum Part: Sendable, Equatable {
    case text(String)
    /// The index of the first token of an interpolation.
    case code(Int)
  }

  var kind: Kind
  let range: Range<Int>
  /// Whether it is the first token of its line.
  let startsLine: Bool
  /// Where the bracket is that is open before the token, which may close it.
  var outer: Int?
  /// Where the bracket is closed that the token opens.
  var pair = 0

  var word: String? { if case .word(let text) = kind { text } else { nil } }

  var isEdge: Bool { kind == .edge }
  /// The edges on each side of a file, so that readers need not ask whether there are tokens around a place.
  static let edges = Array(repeating: SwiftToken(kind: .edge, range: 0..<0, startsLine: true), count: 16)

  /// Whether it is a text, which may have interpolations.
  var isLiteral: Bool {
    if case .string = kind { true } else if case .interpolation = kind { true } else { false }
  }

  /// How many tokens the literal or the other token takes.
  var length: Int { if case .interpolation(_, let tokens) = kind { tokens + 1 } else { 1 } }

  func isMark(_ mark: Unicode.Scalar) -> Bool { kind == .mark(UInt8(ascii: mark)) }

  func isMark(of marks: StaticString) -> Bool {
    guard case .mark(let byte) = kind else { return false }
    return marks.withUTF8Buffer { $0.contains(byte) }
  }
}

extension [SwiftToken] {
  /// `Outer.Type.name`, or `.name`, and the index behind it.
  func path(at start: Int) -> (words: [String], isImplicit: Bool, end: Int) {
    let isImplicit = self[start].isMark(".")
    var index = isImplicit ? start + 1 : start
    var words: [String] = []
    while let word = self[index].word {
      words.append(word)
      index += 1
      guard self[index].isMark("."), self[index + 1].word != nil else { break }
      index += 1
    }
    return (words, isImplicit, index)
  }

  /// Where `self.name`, of which a token is the end, begins.
  func pathStart(_ index: Int) -> Int {
    var start = index
    while self[start - 1].isMark("."), self[start - 2].word != nil { start -= 2 }
    return start
  }

  /// Whether nothing stands between a token and the one before it: `value?` of `value?.name`, not of `value ? 1 : 0`.
  func isJoined(_ index: Int) -> Bool { self[index - 1].range.upperBound == self[index].range.lowerBound }

  /// The next place in the same brackets.
  func next(_ place: Int) -> Int {
    self[place].isMark(of: "([{") ? Swift.max(place, self[place].pair) + 1 : place + 1
  }

  /// The place before another in the same brackets; `nil` at their start.
  func previous(_ place: Int) -> Int? {
    guard place > 0, place - 1 != self[place].outer else { return nil }
    return self[place - 1].isMark(of: ")]}") ? self[place - 1].outer ?? place - 1 : place - 1
  }

  /// The places of a call's arguments, or of a list's elements.
  func arguments(in open: Int?) -> [Int] {
    guard let open else { return [] }
    var places: [Int] = []
    var (place, isFirst) = (open + 1, true)
    while place <= self[open].pair {
      if isFirst, !self[place].isMark(of: ")]}"), !self[place].isEdge { places.append(place) }
      isFirst = self[place].isMark(",")
      place = next(place)
    }
    return places
  }

  func labeled(_ argument: Int) -> (label: String?, value: Int) {
    guard let label = self[argument].word, self[argument + 1].isMark(":") else { return (nil, argument) }
    return (label, argument + 2)
  }

  /// The place of a labeled argument of the call that a token is in.
  func argument(_ label: String, from index: Int) -> Int? {
    arguments(in: self[index].outer).lazy.map(labeled).first { $0.label == label }?.value
  }

  /// The place of the mark that closes the `<` at a place, or where they nest too deeply for a type.
  func closingGenerics(of open: Int) -> Int {
    var depth = 0
    for place in open..<count {
      if self[place].isMark("<") { depth += 1 }
      if self[place].isMark(">") { depth -= 1 }
      if depth == 0 || depth > SwiftType.levels || self[place].isMark(of: "({};") { return place }
    }
    return count - 1 - SwiftToken.edges.count
  }

  /// The place of the `<` behind the name of a type that the `>` at a place closes.
  func openingGenerics(of close: Int) -> Int? {
    guard self[close].isMark(">") else { return nil }
    return (Swift.max(1, close - 40)..<close).last {
      self[$0].isMark("<") && isJoined($0) && self[$0 - 1].word?.first?.isUppercase ?? false
        && closingGenerics(of: $0) == close
    }
  }

  /// `if`, `guard`, `while` or `for`, of whose conditions a place is one, and whether that condition has `||`.
  func condition(of index: Int) -> (head: String, isAlternative: Bool)? {
    var (place, isBeside, isAlternative) = (index, true, false)
    while let before = previous(place), !self[before].isMark(of: "{};") {
      place = before
      if self[place].isMark(",") { isBeside = false }
      if isBeside, self[place].isMark("|") { isAlternative = true }
      guard let head = self[place].word, ["if", "guard", "while", "for"].contains(head) else { continue }
      place = index
      while !isAlternative, !self[place].isMark(of: ",;{})]"), !self[place].isEdge {
        isAlternative = self[place].isMark("|")
        place = next(place)
      }
      return (head, isAlternative)
    }
    return nil
  }

  /// The brace of the body or the branches behind `if`, `for`, `switch` or `else`.
  func brace(after start: Int) -> Int? {
    var place = next(start)
    while !self[place].isMark(of: "{})];"), !self[place].isEdge { place = next(place) }
    return self[place].isMark("{") ? place : nil
  }
}

struct SwiftFunction: Sendable {
  struct Parameter: Sendable {
    let label: String?
    let name: String
    let type: SwiftType?
    let hasDefault: Bool
    var part: SwiftType.Part { SwiftType.Part(label: label, type: type) }
  }

  /// `init` for an initializer.
  let name: String
  let parameters: [Parameter]
  let result: SwiftType?
  /// The brace of its body, if it has one.
  let body: Int?

  /// The functions of a file, by the place where the parameters begin.
  static func all(in tokens: [SwiftToken]) -> [Int: SwiftFunction] {
    var all: [Int: SwiftFunction] = [:]
    for index in tokens.indices {
      guard let word = tokens[index].word, word == "func" || word == "init", !tokens[index - 1].isMark("."),
        let open = tokens[index...].prefix(24).firstIndex(where: { $0.isMark("(") })
      else { continue }
      all[open] = SwiftFunction(tokens, word == "init" ? word : tokens[index + 1].word ?? "", open)
    }
    return all
  }

  private init(_ tokens: [SwiftToken], _ name: String, _ open: Int) {
    self.name = name
    parameters = tokens.parameters(in: open)
    var place = tokens[open].pair + 1
    var arrow: Int?
    while !tokens[place].isMark(of: "{});"), !tokens[place].isEdge,
      !tokens[place].startsLine || !(tokens[place].word.map(Self.declarations.contains) ?? false)
    {
      if arrow == nil, tokens[place].isMark(">"), tokens[place - 1].isMark("-") { arrow = place }
      place = tokens.next(place)
    }
    body = tokens[place].isMark("{") ? place : nil
    result = arrow.flatMap { tokens.type(at: $0 + 1)?.type }
  }

  private static let declarations: Set<String> = [
    "func", "var", "let", "init", "subscript", "case", "static", "mutating", "associatedtype",
  ]

  /// The arguments of a call by parameter, `nil` where a default is kept; `nil` for a call of another function.
  func arguments(_ given: [(label: String?, value: Int)]) -> [Int?]? {
    var rest = given[...]
    var places: [Int?] = []
    for parameter in parameters {
      if let next = rest.first, next.label == parameter.label {
        places.append(next.value)
        rest.removeFirst()
      } else if parameter.hasDefault {
        places.append(nil)
      } else {
        return nil
      }
    }
    return rest.isEmpty ? places : nil
  }
}

struct SwiftBinding {
  let name: String
  let place: Int
  let isConstant: Bool
  let type: SwiftType?
  /// Where its first value begins.
  let value: Int?
  /// The brace of the body that computes it.
  let body: Int?

  /// The names behind `let` or `var`: `a = 1, b: Int`.
  static func all(_ tokens: [SwiftToken], at keyword: Int) -> [SwiftBinding] {
    var all: [SwiftBinding] = []
    var place = keyword
    repeat {
      let start = place + 1
      guard let name = tokens[start].word else { break }
      var type: SwiftType?
      place = start + 1
      if tokens[place].isMark(":") {
        let stated = tokens.type(at: place + 1)
        (type, place) = (stated?.type, stated?.end ?? place + 1)
        while !tokens[place].isMark(of: "={;},)"), !tokens[place].startsLine { place = tokens.next(place) }
      }
      let isGiven = tokens[place].isMark("=")
      all.append(
        SwiftBinding(
          name: name, place: start, isConstant: tokens[keyword].word == "let", type: type,
          value: isGiven ? place + 1 : nil, body: tokens[place].isMark("{") ? place : nil))
      // A value ends with its line.
      while isGiven, !tokens[place].isMark(of: ",;)]}"), !tokens[place].startsLine {
        place = tokens.next(place)
      }
    } while tokens[place].isMark(",")
    return all
  }
}

extension [SwiftToken] {
  /// The parameters of a function, or the elements of a tuple's or a closure's type, in the parentheses at a place:
  /// `(_ a: CKRecord, b c: Int = 1)`, `(id: CKRecord.ID, Bool)`.
  func parameters(in open: Int, levels: Int = SwiftType.levels) -> [SwiftFunction.Parameter] {
    let close = self[open].pair
    var parameters: [SwiftFunction.Parameter] = []
    var place = open + 1
    while place < close {
      while self[place].isMark("@"), self[place + 1].word != nil {
        place += 2
        if self[place].isMark("("), isJoined(place) { place = next(place) }
      }
      let name =
        self[place].word == nil
        ? nil : [place + 1, place].first { self[$0].word != nil && self[$0 + 1].isMark(":") }
      let label = name == nil || self[place].word == "_" ? nil : self[place].word
      let type = self.type(at: name.map { $0 + 2 } ?? place, levels: levels)?.type
      var (depth, hasDefault) = (0, false)
      while place < close, !self[place].isMark(",") || depth > 0 {
        if self[place].isMark("=") { (depth, hasDefault) = (0, true) }
        if self[place].isMark("<"), !hasDefault { depth += 1 }
        if self[place].isMark(">"), !hasDefault, !self[place - 1].isMark("-") { depth -= 1 }
        place = next(place)
      }
      parameters.append(
        SwiftFunction.Parameter(
          label: label, name: name.flatMap { self[$0].word } ?? "", type: type, hasDefault: hasDefault))
      place += 1
    }
    return parameters
  }
}
