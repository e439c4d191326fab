// Inlinable, because other modules ask this of each byte of a file: the compiler inlines nothing of a package by itself.
extension UInt8 {
  @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  @inlinable package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// Of ASCII; `Character.isHexDigit` also takes fullwidth digits.
  @inlinable package var isHexDigit: Bool { isASCIIDigit || (0x61...0x66).contains(self | 0x20) }

  /// A digit or a letter from a to f, as digests are written.
  @inlinable package var isLowercaseHexDigit: Bool { isASCIIDigit || (0x61...0x66).contains(self) }

  @inlinable package var isIdentifierByte: Bool { isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") }

  /// What never needs an escape in a URL (RFC 3986, section 2.3).
  @inlinable package var isUnreserved: Bool { isIdentifierByte || "-.~".utf8.contains(self) }

  /// A line feed or a carriage return, alone or the first of both: a line ends with either in some file.
  @inlinable package var endsLine: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

extension String {
  package var shellWord: String {
    let isPlain =
      !isEmpty
      && !hasPrefix("-") && utf8.allSatisfy { $0.isIdentifierByte || "-./:,".utf8.contains($0) }
    return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
  }

  /// A command that a person can paste: its words, names of records, options. Users choose the names of records: where one
  /// begins with a hyphen, the names are last, after `--`.
  package static func shellCommand(_ words: String, _ names: [String], _ options: String = "") -> String {
    let arguments = names.map(\.shellWord).joined(separator: " ")
    let parts =
      names.contains { $0.hasPrefix("-") }
      ? [words, options, "-- \(arguments)"] : [words, arguments, options]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// What is said about a file in which git left both sides of a merge.
package enum MergeConflict {
  package static let message = "the file has an unresolved merge conflict"
  package static let help = "keep one side, and remove the lines with <<<<<<<, ======= and >>>>>>>"
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the first line of a merge conflict begins here.
  @inlinable package func hasConflictMarker(at start: Int) -> Bool {
    start < count && self[start] == UInt8(ascii: "<") && (start == 0 || self[start - 1].endsLine)
      && self[start...].prefix { $0 == UInt8(ascii: "<") }.count == 7
  }
}
