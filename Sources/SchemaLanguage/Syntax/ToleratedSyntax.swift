/// Text that is not part of the language but is accepted with a finding.
struct ToleratedSyntax {
  /// The kinds of text that the parser accepts with a finding.
  enum Kind {
    /// `# …`
    case hashComment
    /// The first marker of a merge conflict.
    case conflict
    /// A non-ASCII space, or an invisible character between words.
    case blank
    /// A full-width parenthesis, comma or semicolon.
    case mark
  }

  let kind: Kind
  let range: Range<Int>
}

/// A non-ASCII character that looks like one of the language, or is invisible.
struct LookalikeCharacter {
  let scalar: Unicode.Scalar
  /// Bytes of UTF-8.
  let length: Int

  /// `nil` where the bytes are not UTF-8.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    var decoder = Unicode.UTF8()
    var iterator = bytes[position...].prefix(4).makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    self.scalar = scalar
    length = UTF8.width(scalar)
  }

  init(_ scalar: Unicode.Scalar) {
    self.scalar = scalar
    length = UTF8.width(scalar)
  }

  /// No-break and other spaces.
  var isBlank: Bool { scalar.value >= 0x80 && scalar.properties.isWhitespace }

  /// Zero-width characters and other formatting.
  var isInvisible: Bool { scalar.properties.generalCategory == .format }

  /// The ASCII character for a full-width punctuation mark.
  var mark: Token.Kind? {
    switch scalar.value {
    case 0xFF08: .leftParenthesis
    case 0xFF09: .rightParenthesis
    case 0xFF0C: .comma
    case 0xFF1B: .semicolon
    default: nil
    }
  }

  /// The ASCII character that a full-width one looks like.
  var halfWidth: String {
    (0xFF01...0xFF5E).contains(scalar.value)
      ? String(UnicodeScalarView([Unicode.Scalar(UInt8(scalar.value - 0xFEE0))])) : ""
  }

  /// `U+00A0 (no-break space)`, without the character itself: it may be invisible, or look like another.
  var description: String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return scalar.properties.name.map { "\(code) (\($0.lowercased()))" } ?? code
  }

  private typealias UnicodeScalarView = String.UnicodeScalarView
}
