internal import Diagnostics
internal import SchemaLanguage

/// Splits Swift code into tokens. Comments and the lines of `#if` are left out, so the code of each branch counts; but what
/// is compiled for debugging only is left out, because the users' app does not have it. What is not Swift gives tokens, too:
/// it never fails.
struct SwiftLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var tokens = SwiftToken.edges
  private var startsLine = true
  /// For each `#if` around a place, whether a branch is one that the users' app surely has.
  private var conditions: [Bool] = []
  private var comments: [Range<Int>] = []
  /// How many brackets are open. The readers of the tokens follow them by recursion, as this one does interpolations.
  private var nesting = 0
  private var problem: Problem?

  /// A place from which on a file may be read wrong, and a sentence why: the file is cut, or is not Swift.
  typealias Problem = (offset: Int, text: String)

  static func tokens(in bytes: [UInt8]) -> (
    tokens: [SwiftToken], comments: [Range<Int>], problem: Problem?
  ) {
    var lexer = SwiftLexer(bytes: bytes)
    lexer.scan(until: nil)
    lexer.tokens += SwiftToken.edges
    let unpaired = lexer.pairBrackets()
    return (lexer.tokens, lexer.comments, notText(bytes) ?? lexer.problem ?? unpaired)
  }

  private static func notText(_ bytes: [UInt8]) -> Problem? {
    if let zero = bytes.firstIndex(of: 0) { return (zero, "the file is not text") }
    return bytes.withUnsafeBufferPointer(SchemaDetection.firstInvalidUTF8).map {
      ($0, "the file is not UTF-8")
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Finds the pair of each bracket. The result is about the first without one.
  private mutating func pairBrackets() -> Problem? {
    var open: [Int] = []
    var problem: Problem?
    for place in tokens.indices {
      tokens[place].outer = open.last
      tokens[place].pair = tokens.count - 1 - SwiftToken.edges.count
      if tokens[place].isMark(of: "([{") { open.append(place) }
      guard case .mark(let mark) = tokens[place].kind, let opening = Self.pairs[mark] else { continue }
      let start = open.popLast()
      if let start { tokens[start].pair = place }
      let isPair = start.map { tokens[$0].kind == .mark(opening) }
      if isPair != true, problem == nil {
        problem = (
          tokens[start ?? place].range.lowerBound,
          start == nil ? "this bracket closes nothing" : Self.unclosed
        )
      }
    }
    return problem ?? open.last.map { (tokens[$0].range.lowerBound, Self.unclosed) }
  }

  private static let unclosed = "the bracket that opens here is not closed"
  private static let pairs: [UInt8: UInt8] = [
    UInt8(ascii: ")"): UInt8(ascii: "("), UInt8(ascii: "]"): UInt8(ascii: "["),
    UInt8(ascii: "}"): UInt8(ascii: "{"),
  ]

  /// - Parameter closing: the mark at which to stop, where it is not nested: the end of an interpolation.
  private mutating func scan(until closing: UInt8?) {
    var depth = 0
    while position < bytes.count {
      let start = position
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t"):
        startsLine = startsLine || byte.endsLine
        position += 1
        continue
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
        skipLine()
        comments.append(start..<position)
        continue
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
        skipBlockComment()
        continue
      case UInt8(ascii: "/") where skipRegularExpression(hashes: 0): continue
      case UInt8(ascii: "#"):
        var hashes = 0
        while peek(hashes) == byte { hashes += 1 }
        if peek(hashes) == UInt8(ascii: "\"") {
          addString(hashes: hashes)
        } else if !skipRegularExpression(hashes: hashes) {
          skipDirective()
        }
        continue
      case UInt8(ascii: "\""):
        addString(hashes: 0)
        continue
      case UInt8(ascii: "`"):
        position += 1
        let text = name()
        if position < bytes.count, bytes[position] == byte { position += 1 }
        add(.word(text), from: start)
        continue
      case _ where byte.isASCIIDigit:
        let exponent = UInt8(ascii: bytes[start...].starts(with: "0x".utf8) ? "p" : "e")
        while position < bytes.count, bytes[position].continuesSwiftName || isFraction || isSign(of: exponent)
        {
          position += 1
        }
        let isWhole = !bytes[start..<position].contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == exponent }
        add(.number(isWhole: isWhole), from: start)
        continue
      case _ where byte.continuesSwiftName:
        add(.word(name()), from: start)
        continue
      default: position += 1
      }
      if let closing {
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == closing {
          if depth == 0 { return }
          depth -= 1
        }
      }
      add(.mark(byte), from: start)
    }
  }

  private mutating func add(_ kind: SwiftToken.Kind, from start: Int) {
    tokens.append(SwiftToken(kind: kind, range: start..<position, startsLine: startsLine))
    startsLine = false
    if tokens[tokens.count - 1].isMark(of: "([{") { nesting += 1 }
    if tokens[tokens.count - 1].isMark(of: ")]}") { nesting = max(0, nesting - 1) }
    // The compiler refuses deeper code, too.
    guard nesting > 256 else { return }
    problem = problem ?? (start, "more than 256 brackets are open here")
    position = bytes.count
  }

  private mutating func name() -> String {
    let start = position
    while position < bytes.count, bytes[position].continuesSwiftName { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func peek(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private var isFraction: Bool {
    bytes[position] == UInt8(ascii: ".") && peek(1).map(\.isASCIIDigit) ?? false
  }

  /// The sign of `1e-3`.
  private func isSign(of exponent: UInt8) -> Bool {
    [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(bytes[position]) && bytes[position - 1] | 0x20 == exponent
  }

  private mutating func skipLine() {
    while position < bytes.count, !bytes[position].endsLine { position += 1 }
  }

  /// Block comments of Swift nest.
  private mutating func skipBlockComment() {
    let start = position
    var depth = 0
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if bytes[position] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
        if depth == 0 { return comments.append(start..<position) }
      } else {
        position += 1
      }
    }
    problem = problem ?? (start, "the comment that begins here is not closed")
  }

  /// Skips a regular expression, `/…/` where a value can begin, or `#/…/#`; `false` for anything else.
  private mutating func skipRegularExpression(hashes: Int) -> Bool {
    guard peek(hashes) == UInt8(ascii: "/") else { return false }
    if hashes == 0 {
      let before = tokens.last
      let isValue = before.map { $0.isMark(of: "(,=:[{&|!?;") || $0.word == "return" } ?? false
      guard isValue || startsLine, let next = peek(1), next > UInt8(ascii: " ") else { return false }
    }
    var end = position + hashes + 1
    while end < bytes.count, hashes > 0 || !bytes[end].endsLine {
      if bytes[end] == UInt8(ascii: "\\") {
        end += 1
      } else if bytes[end] == UInt8(ascii: "/"),
        (0..<hashes).allSatisfy({ end + 1 + $0 < bytes.count && bytes[end + 1 + $0] == UInt8(ascii: "#") })
      {
        position = end + hashes + 1
        return true
      }
      end += 1
    }
    return false
  }

  /// The line of `#if`, `#else` and the like. Of others, such as `#Predicate`, only the mark is left out.
  private mutating func skipDirective() {
    position += 1
    let start = position
    let name = name()
    guard ["if", "elseif", "else", "endif", "sourceLocation", "error", "warning"].contains(name) else {
      position = start
      return
    }
    let rest = position
    skipLine()
    switch name {
    case "if", "elseif", "else":
      let hasBranch = name == "if" ? false : conditions.popLast() ?? false
      let isCompiled = name == "else" ? true : Self.condition(bytes[rest..<position])
      conditions.append(hasBranch || isCompiled == true)
      if hasBranch || isCompiled == false { skipBranch() }
    case "endif": _ = conditions.popLast()
    default: break
    }
  }

  /// The value of a condition in which DEBUG is false, because the users' app is not built with it. `nil` for what depends
  /// on the platform and the settings of the app.
  private static func condition(_ bytes: ArraySlice<UInt8>) -> Bool? {
    let text = String(decoding: bytes, as: UTF8.self).prefix { $0 != "/" }.filter { $0 != " " && $0 != "\t" }
    func isAny(_ known: Set<Substring>, between mark: String, without other: String) -> Bool {
      !text.contains(other) && text.split(separator: mark).contains(where: known.contains)
    }
    if isAny(["DEBUG", "(DEBUG)", "false"], between: "&&", without: "||") { return false }
    return isAny(["!DEBUG", "!(DEBUG)", "true"], between: "||", without: "&&") ? true : nil
  }

  /// The lines up to the directive that ends a branch.
  private mutating func skipBranch() {
    var depth = 0
    while position < bytes.count {
      while position < bytes.count, bytes[position] == UInt8(ascii: " ") || bytes[position] <= 0x0D {
        position += 1
      }
      let line = bytes[position...].prefix(5)
      if line.starts(with: "#if".utf8) { depth += 1 }
      if depth == 0, line.starts(with: "#els".utf8) || line.starts(with: "#end".utf8) { return }
      if line.starts(with: "#end".utf8) { depth -= 1 }
      skipLine()
    }
  }

  /// Adds the literal that begins here, and the tokens of its interpolations behind it.
  private mutating func addString(hashes: Int) {
    let (start, place) = (position, tokens.count)
    add(.string(""), from: start)
    position += hashes
    let parts = string(hashes: hashes)
    let kind: SwiftToken.Kind =
      if parts.count == 1, case .text(let text) = parts[0] { .string(text) } else {
        .interpolation(parts, tokens: tokens.count - place - 1)
      }
    tokens[place] = SwiftToken(kind: kind, range: start..<position, startsLine: tokens[place].startsLine)
  }

  /// The parts of a literal that begins at a quote.
  private mutating func string(hashes: Int) -> [SwiftToken.Part] {
    let start = position
    var isClosed = false
    let isMultiline = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
    let quotes = isMultiline ? 3 : 1
    position += quotes
    var parts: [SwiftToken.Part] = []
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\""), closes(quotes, hashes) {
        position += quotes + hashes
        isClosed = true
        break
      }
      if !isMultiline, byte.endsLine { break }
      if byte == UInt8(ascii: "\\"), (0..<hashes).allSatisfy({ peek(1 + $0) == UInt8(ascii: "#") }) {
        position += 1 + hashes
        guard position < bytes.count else { break }
        if bytes[position] == UInt8(ascii: "(") {
          parts.append(.text(String(decoding: text, as: UTF8.self)))
          text = []
          position += 1
          add(.mark(UInt8(ascii: "(")), from: position - 1)
          parts.append(.code(tokens.count))
          scan(until: UInt8(ascii: ")"))
          add(.mark(UInt8(ascii: ")")), from: position - 1)
        } else {
          text += escaped()
        }
        continue
      }
      // The end of a line is one character, whatever the file has.
      if byte != UInt8(ascii: "\r") || peek(1) != UInt8(ascii: "\n") { text.append(byte) }
      position += 1
    }
    if !isClosed { problem = problem ?? (start, "the text that begins here is not closed") }
    var value = String(decoding: text, as: UTF8.self)
    if isMultiline, parts.isEmpty {
      value = value.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
        .filter { !$0.isEmpty }.joined(separator: "\n")
    }
    return parts + [.text(value)]
  }

  private func closes(_ quotes: Int, _ hashes: Int) -> Bool {
    (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
      && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
  }

  /// What an escape stands for, behind its backslash: `n`, `u{6F}`, or the end of a line that goes on in the next.
  private mutating func escaped() -> [UInt8] {
    let byte = bytes[position]
    position += 1
    let plain: [UInt8: Unicode.Scalar] = [
      UInt8(ascii: "n"): "\n", UInt8(ascii: "t"): "\t", UInt8(ascii: "r"): "\r", UInt8(ascii: "0"): "\0",
    ]
    if let scalar = plain[byte] { return [UInt8(ascii: scalar)] }
    switch byte {
    case UInt8(ascii: "u") where position < bytes.count && bytes[position] == UInt8(ascii: "{"):
      let digits = bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "}") && !$0.endsLine }.prefix(9)
      let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap { Unicode.Scalar($0) }
      guard let scalar, digits.endIndex < bytes.count else { return [byte] }
      position = digits.endIndex + 1
      return Array(String(scalar).utf8)
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      while position < bytes.count, bytes[position] <= UInt8(ascii: " ") { position += 1 }
      return []
    default: return [byte]
    }
  }
}

extension UInt8 {
  /// Letters, digits, `_`, `$` and every byte of a character outside ASCII.
  fileprivate var continuesSwiftName: Bool { isIdentifierByte || self == UInt8(ascii: "$") || self >= 0x80 }
}
