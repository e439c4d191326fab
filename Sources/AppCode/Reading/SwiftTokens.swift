/// A token of Swift code, as far as it is needed to find what code says about records.
struct SwiftToken: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// A name or a keyword, without backquotes.
    case word(String)
    case string(String)
    /// A string literal with interpolations, and how many tokens of these follow it, each in parentheses.
    case interpolation([Part], tokens: Int)
    case number(isWhole: Bool)
    /// One punctuation mark.
    case mark(UInt8)
    /// None: what is before the first token of a file and behind its last one.
    case edge
  }

  /// A piece of a string literal.
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
  /// The edges on each side of a file. The readers ask for the tokens around a place without asking whether there are so
  /// many.
  static let edges = Array(repeating: SwiftToken(kind: .edge, range: 0..<0, startsLine: true), count: 16)

  /// Whether it is a text, which may have interpolations.
  var isLiteral: Bool {
    if case .string = kind { true } else if case .interpolation = kind { true } else { false }
  }

  /// How many tokens the literal or the other token takes.
  var length: Int { if case .interpolation(_, let tokens) = kind { tokens + 1 } else { 1 } }

  func isMark(_ mark: Unicode.Scalar) -> Bool { kind == .mark(UInt8(ascii: mark)) }

  /// Whether it is one of several marks.
  func isMark(of marks: StaticString) -> Bool {
    guard case .mark(let byte) = kind else { return false }
    return marks.withUTF8Buffer { $0.contains(byte) }
  }
}

/// The parts of code around a place.
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

  /// The label and the value of an argument.
  func labeled(_ argument: Int) -> (label: String?, value: Int) {
    guard let label = self[argument].word, self[argument + 1].isMark(":") else { return (nil, argument) }
    return (label, argument + 2)
  }

  /// The place of a labeled argument of the call that a token is in.
  func argument(_ label: String, from index: Int) -> Int? {
    arguments(in: self[index].outer).lazy.map(labeled).first { $0.label == label }?.value
  }

  /// The place of the mark that closes the `<` at a place.
  func closingGenerics(of open: Int) -> Int {
    var depth = 0
    for place in open..<count {
      if self[place].isMark("<") { depth += 1 }
      if self[place].isMark(">") { depth -= 1 }
      if depth == 0 || self[place].isMark(of: "({};") { return place }
    }
    return count - 1 - SwiftToken.edges.count
  }

  /// The brace of the body or the branches behind `if`, `for`, `switch` or `else`.
  func brace(after start: Int) -> Int? {
    var place = next(start)
    while !self[place].isMark(of: "{})];"), !self[place].isEdge { place = next(place) }
    return self[place].isMark("{") ? place : nil
  }
}
