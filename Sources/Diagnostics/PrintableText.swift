extension String {
  /// The text as a terminal may have it: input is shown, never obeyed, so nothing in it moves the cursor, changes
  /// colours or reverses the direction of writing. A line stays a line, and a character a character.
  public var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0 == "\t" ? " " : $0.isUnprintable ? "\u{FFFD}" : $0 }))
  }

  /// The same in one line, for what must not look like a line of ours.
  public var printableLine: String {
    let text = printable
    guard text.unicodeScalars.contains("\n") else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// A control character, or one that overrides the direction of text.
  fileprivate var isUnprintable: Bool {
    (value < 0x20 && value != 0x0A) || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
      || (0x2066...0x2069).contains(value) || (0x2028...0x2029).contains(value)
  }
}
