internal import Diagnostics

/// A token of Swift code, as far as it is needed to find what code says about records.
struct SwiftToken: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// A name or a keyword, without backquotes.
    case word(String)
    /// A string literal; `nil` for one with interpolation, whose text is only known when the code runs.
    case string(String?)
    case number
    /// One punctuation mark.
    case mark(UInt8)
  }

  let kind: Kind
  let range: Range<Int>
  /// Whether it is the first token of its line.
  let startsLine: Bool

  var word: String? { if case .word(let text) = kind { text } else { nil } }

  func isMark(_ mark: Unicode.Scalar) -> Bool { kind == .mark(UInt8(ascii: mark)) }

  /// Whether it is one of several marks.
  func isMark(of marks: StaticString) -> Bool {
    guard case .mark(let byte) = kind else { return false }
    return marks.withUTF8Buffer { $0.contains(byte) }
  }
}

/// Splits Swift code into tokens. Comments and the lines of `#if` are left out, so the code of each branch counts.
/// What is not Swift gives tokens, too: it never fails.
struct SwiftLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [SwiftToken] = []
  private var startsLine = true

  static func tokens(in source: SourceText) -> [SwiftToken] {
    var lexer = SwiftLexer(bytes: source.bytes)
    lexer.scan(until: nil)
    return lexer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter closing: the mark at which to stop, where it is not nested: the end of an interpolation.
  private mutating func scan(until closing: UInt8?) {
    var depth = 0
    while position < bytes.count {
      let start = position
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        startsLine = true
        position += 1
        continue
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        position += 1
        continue
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
        skipLine()
        continue
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
        skipBlockComment()
        continue
      case UInt8(ascii: "#"):
        if let text = rawString() { add(.string(text), from: start) } else { skipDirective() }
        continue
      case UInt8(ascii: "\""):
        add(.string(string(hashes: 0)), from: start)
        continue
      case UInt8(ascii: "`"):
        position += 1
        let name = position
        while position < bytes.count, bytes[position].continuesSwiftName { position += 1 }
        let text = String(decoding: bytes[name..<position], as: UTF8.self)
        if position < bytes.count, bytes[position] == byte { position += 1 }
        add(.word(text), from: start)
        continue
      case _ where byte.isDigit:
        while position < bytes.count, bytes[position].continuesSwiftName || isFraction { position += 1 }
        add(.number, from: start)
        continue
      case _ where byte.continuesSwiftName:
        while position < bytes.count, bytes[position].continuesSwiftName { position += 1 }
        add(.word(String(decoding: bytes[start..<position], as: UTF8.self)), from: start)
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
  }

  private func peek(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private var isFraction: Bool { bytes[position] == UInt8(ascii: ".") && peek(1).map(\.isDigit) ?? false }

  private mutating func skipLine() {
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n"), bytes[position] != UInt8(ascii: "\r")
    {
      position += 1
    }
  }

  /// Block comments of Swift nest.
  private mutating func skipBlockComment() {
    var depth = 0
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if bytes[position] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else {
        position += 1
      }
    }
  }

  /// The line of `#if`, `#else` and the like. Of others, such as `#Predicate`, only the mark is left out.
  private mutating func skipDirective() {
    position += 1
    let start = position
    while position < bytes.count, bytes[position].continuesSwiftName { position += 1 }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    if ["if", "elseif", "else", "endif", "sourceLocation", "error", "warning"].contains(name) {
      skipLine()
    } else {
      position = start
    }
  }

  private mutating func rawString() -> String?? {
    var hashes = 0
    while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
    guard peek(hashes) == UInt8(ascii: "\"") else { return nil }
    position += hashes
    return .some(string(hashes: hashes))
  }

  /// The text of a literal that begins at a quote; `nil` with interpolation.
  private mutating func string(hashes: Int) -> String? {
    let isMultiline = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
    let quotes = isMultiline ? 3 : 1
    position += quotes
    var text: [UInt8] = []
    var isConstant = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\""), closes(quotes, hashes) {
        position += quotes + hashes
        break
      }
      if !isMultiline, byte.endsLine { break }
      if byte == UInt8(ascii: "\\"), (0..<hashes).allSatisfy({ peek(1 + $0) == UInt8(ascii: "#") }) {
        position += 1 + hashes
        guard position < bytes.count else { break }
        if bytes[position] == UInt8(ascii: "(") {
          isConstant = false
          position += 1
          scan(until: UInt8(ascii: ")"))
        } else {
          text.append(Self.escaped(bytes[position]))
          position += 1
        }
        continue
      }
      text.append(byte)
      position += 1
    }
    guard isConstant else { return nil }
    let value = String(decoding: text, as: UTF8.self)
    guard isMultiline else { return value }
    return value.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "\n")
  }

  private func closes(_ quotes: Int, _ hashes: Int) -> Bool {
    (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
      && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
  }

  private static func escaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    default: byte
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// Letters, digits, `_`, `$` and every byte of a character outside ASCII.
  fileprivate var continuesSwiftName: Bool {
    isDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z") && self < 0x80)
      || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self >= 0x80
  }
}
