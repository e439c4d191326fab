package import Diagnostics

package struct Token: Sendable {
  package enum Kind: Equatable, Sendable {
    /// A keyword or a name: letters, digits, `_` and other characters without a space between them.
    case word
    /// A name between double quotes; the range includes the quotes.
    case quoted
    case leftParenthesis, rightParenthesis
    case leftAngle, rightAngle
    case comma, semicolon
    case stray
    case end
  }

  package var kind: Kind
  package var range: Range<Int>
  /// Whether only white space and comments come before it on its line.
  var startsLine: Bool
  package var keyword: Keyword?

  /// The tokens of a text, or of a part of it.
  package static func all(in source: SourceText, _ part: Range<Int>? = nil) -> [Token] {
    source.bytes.withUnsafeBufferPointer { bytes in
      let part = part ?? bytes.indices
      var lexer = Lexer(
        UnsafeBufferPointer(rebasing: bytes[..<part.upperBound]), from: part.lowerBound, keepsTrivia: false)
      var tokens: [Token] = []
      while true {
        let token = lexer.next()
        if token.kind == .end { return tokens }
        tokens.append(token)
      }
    }
  }
}

/// The keywords. All but the reserved ones can also be names (Documentation/reference/schema-language.md#names).
package enum Keyword: String, CaseIterable, Sendable {
  case define = "DEFINE"
  case schema = "SCHEMA"
  case create = "CREATE"
  case role = "ROLE"
  case record = "RECORD"
  case type = "TYPE"
  case grant = "GRANT"
  case to = "TO"
  case read = "READ"
  case write = "WRITE"
  case list = "LIST"
  case encrypted = "ENCRYPTED"
  case number = "NUMBER"
  case preferred = "PREFERRED"
  case `as` = "AS"
  case asset = "ASSET"
  case reference = "REFERENCE"
  case bytes = "BYTES"
  case string = "STRING"
  case double = "DOUBLE"
  case int64 = "INT64"
  case location = "LOCATION"
  case timestamp = "TIMESTAMP"
  case queryable = "QUERYABLE"
  case sortable = "SORTABLE"
  case searchable = "SEARCHABLE"

  /// The keywords by length. Nearly each word of a schema is compared with those of its length, so their letters are
  /// numbers: of the first eight, and of the others.
  private static let byLength: [[(keyword: Keyword, head: UInt64, tail: UInt16)]] = {
    var table = Array(repeating: [(keyword: Keyword, head: UInt64, tail: UInt16)](), count: 11)
    for keyword in allCases {
      let (head, tail) = numbers(of: keyword.rawValue.utf8)
      table[keyword.rawValue.utf8.count].append((keyword, head, tail))
    }
    return table
  }()

  /// The letters without their case. Among the characters of words, digits too keep a number of their own.
  private static func numbers(of letters: some Collection<UInt8>) -> (head: UInt64, tail: UInt16) {
    var (head, tail) = (0 as UInt64, 0 as UInt16)
    for (place, letter) in letters.enumerated() {
      if place < 8 {
        head = head << 8 | UInt64(letter & 0xDF)
      } else {
        tail = tail << 8 | UInt16(letter & 0xDF)
      }
    }
    return (head, tail)
  }

  package init?(_ bytes: some Collection<UInt8>) {
    let count = bytes.count
    guard (2..<11).contains(count) else { return nil }
    let (head, tail) = Self.numbers(of: bytes)
    for entry in Self.byLength[count] where entry.head == head && entry.tail == tail {
      self = entry.keyword
      return
    }
    return nil
  }

  // Without the raw values, because these are asked for nearly each word of a schema.

  var index: Index? {
    switch self {
    case .queryable: .queryable
    case .searchable: .searchable
    case .sortable: .sortable
    default: nil
    }
  }

  package var encryptable: Primitive.Encryptable? {
    switch self {
    case .bytes: .bytes
    case .string: .string
    case .double: .double
    case .int64: .int64
    case .location: .location
    case .timestamp: .timestamp
    default: nil
    }
  }

  package var privilege: Privilege? { Privilege(rawValue: rawValue) }

  /// Whether Apple reserves the keyword, so that it needs quotes as a name.
  var isReserved: Bool { self == .grant || self == .preferred || index != nil }

  package var startsType: Bool {
    switch self {
    case .list, .encrypted, .number, .asset, .reference: true
    default: encryptable != nil
    }
  }
}

/// A character that the language does not use, for messages: it may be invisible, or look like another.
struct OddCharacter {
  let scalar: Unicode.Scalar
  var length: Int { UTF8.width(scalar) }

  /// - Parameter bytes: valid UTF-8 with a character at `position`.
  init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    scalar = String(decoding: bytes[position...].prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
  }

  var isBlank: Bool { scalar.properties.isWhitespace }
  var isInvisible: Bool { scalar.properties.isDefaultIgnorableCodePoint }

  var help: String {
    switch scalar {
    case "\u{2018}"..."\u{201F}": "write straight quotes: \""
    case "\u{FF01}"..."\u{FF5E}":
      "write '\(UnicodeScalar(UInt8(scalar.value - 0xFEE0)))'"
    case _ where isInvisible: "remove it"
    case _ where isBlank: "write a space"
    default: "names are the letters A to Z and a to z, digits and '_'"
    }
  }

  /// `'{'`, or `U+00A0 (no-break space)`.
  var description: String {
    if (0x21..<0x7F).contains(scalar.value) { return "'\(scalar)'" }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return scalar.properties.name.map { "\(code) (\($0.lowercased()))" } ?? code
  }
}
