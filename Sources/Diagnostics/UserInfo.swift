extension String {
  /// The text with the user name and password of every URL in it left out: `https://[redacted]@example.com/`.
  public var withoutUserInfo: String {
    replacingUserInfo { _ in Array("[redacted]".unicodeScalars) }
  }

  /// The text with user names and passwords replaced by as many scalars, so that carets below the line stay
  /// aligned.
  var maskingUserInfo: String {
    replacingUserInfo { Array(repeating: "*", count: $0.count) }
  }

  private func replacingUserInfo(
    by replacement: (ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar]
  ) -> String {
    guard utf8.contains(UInt8(ascii: "@")) else { return self }
    let text = Array(unicodeScalars)
    var result: [Unicode.Scalar] = []
    var copied = 0
    var place = 2
    while place < text.count {
      defer { place += 1 }
      guard text[place - 1] == "/", text[place - 2] == "/", place >= copied else { continue }
      let authority = text[place...].prefix { !Self.endsOfAuthority.contains($0) }
      guard let at = authority.lastIndex(of: "@") else { continue }
      result += text[copied..<place] + replacement(text[place..<at])
      copied = at
    }
    return String(String.UnicodeScalarView(result + text[copied...]))
  }

  /// Characters that end a URL's authority. A space does not: a mistyped password may contain one.
  private static let endsOfAuthority: Set<Unicode.Scalar> = ["/", "?", "#", "\"", "'", "<", ">", "\n"]
}
