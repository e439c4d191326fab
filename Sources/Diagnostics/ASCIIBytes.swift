extension UInt8 {
  /// `0` to `9`.
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  /// `a` to `z` and `A` to `Z`.
  package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// Of ASCII; `Character.isHexDigit` also takes fullwidth digits.
  package var isHexDigit: Bool { isASCIIDigit || (0x61...0x66).contains(self | 0x20) }

  /// A digit or a letter from a to f, as digests are written.
  package var isLowercaseHexDigit: Bool { isASCIIDigit || (0x61...0x66).contains(self) }

  /// What an identifier consists of: a letter, a digit or `_`.
  package var isIdentifierByte: Bool { isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") }

  /// What never needs an escape in a URL (RFC 3986, section 2.3).
  package var isUnreserved: Bool { isIdentifierByte || "-.~".utf8.contains(self) }

  /// A line feed or a carriage return, alone or the first of both: a line ends with either in some file.
  package var endsLine: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

extension String {
  /// The text as one word of a shell's command line.
  package var shellWord: String {
    let isPlain =
      !isEmpty
      && !hasPrefix("-") && utf8.allSatisfy { $0.isIdentifierByte || "-./:".utf8.contains($0) }
    return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
  }
}

/// What is said about a file in which git left both sides of a merge.
package enum MergeConflict {
  package static let message = "the file has an unresolved merge conflict"
  package static let help = "keep one side, and remove the lines with <<<<<<<, ======= and >>>>>>>"
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the first line of a merge conflict begins here.
  package func hasConflictMarker(at start: Int) -> Bool {
    (start == 0 || self[start - 1].endsLine)
      && self[start...].prefix { $0 == UInt8(ascii: "<") }.count == 7
  }
}
