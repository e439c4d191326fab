/// Finds what may be secret in the URLs of a text: user names with passwords, and values of the query that are keys to
/// something. What is printed for people leaves it out; documents for programs keep it
/// (Documentation/reference/commands.md#json).
package enum AddressSecrets {
  /// Names of parameters that hold a key to something, in lower case.
  package static let parameters: Set<String> = [
    "token", "access_token", "auth_token", "authtoken", "auth", "key", "api_key", "apikey", "secret",
    "password", "passwd", "pass", "pw", "pwd", "sig", "signature", "session", "sessionid", "sid",
  ]
  private static let maxNameLength = 12

  /// The places of the secrets, in their order.
  fileprivate static func ranges(in text: [Unicode.Scalar]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var place = 0
    while place < text.count {
      let secret =
        switch text[place] {
        case "/": place > 0 && text[place - 1] == "/" ? userInfo(in: text, from: place + 1) : nil
        case "?", "&", ";", "#": value(in: text, from: place + 1)
        default: nil as Range<Int>?
        }
      // Stars hide a secret already.
      if let secret, secret.isEmpty || !text[secret].allSatisfy({ $0 == "*" }) { found.append(secret) }
      place = secret?.upperBound ?? place + 1
    }
    return found
  }

  /// The user information of the authority that begins at a place.
  private static func userInfo(in text: [Unicode.Scalar], from start: Int) -> Range<Int>? {
    var authority = text[start...].prefix { !endsOfAuthority.contains($0) }
    // A space ends an address, except in what is a mistyped password.
    if let space = authority.firstIndex(of: " "), !authority[..<space].contains(":") {
      authority = authority[..<space]
    }
    return authority.lastIndex(of: "@").map { start..<$0 }
  }

  /// The value of the secret parameter whose name begins at a place.
  private static func value(in text: [Unicode.Scalar], from start: Int) -> Range<Int>? {
    guard let equals = text[start...].prefix(maxNameLength + 1).firstIndex(of: "="),
      parameters.contains(String(String.UnicodeScalarView(text[start..<equals])).lowercased())
    else { return nil }
    var end = text[(equals + 1)...].firstIndex(where: isEndOfValue) ?? text.count
    // Punctuation at the end belongs to the sentence.
    while end > equals + 2, ",.:!".unicodeScalars.contains(text[end - 1]) { end -= 1 }
    return end > equals + 1 ? equals + 1..<end : nil
  }

  /// Characters that end a URL's authority.
  private static let endsOfAuthority: Set<Unicode.Scalar> = ["/", "?", "#", "\"", "'", "<", ">", "\n"]

  private static func isEndOfValue(_ scalar: Unicode.Scalar) -> Bool {
    "&;#\"'<>`)".unicodeScalars.contains(scalar) || scalar.properties.isWhitespace
  }
}

extension String {
  /// The text without what may be secret in its URLs: `https://[redacted]@example.com/feed?token=[redacted]`.
  package var withoutSecrets: String { replacingSecrets { _ in Array("[redacted]".unicodeScalars) } }

  /// The text with secrets replaced by as many scalars, so that carets below the line stay aligned.
  var maskingSecrets: String { replacingSecrets { Array(repeating: "*", count: $0.count) } }

  private func replacingSecrets(by replacement: (ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar]) -> String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) else { return self }
    let text = Array(unicodeScalars)
    var result: [Unicode.Scalar] = []
    var copied = 0
    for secret in AddressSecrets.ranges(in: text) {
      result += text[copied..<secret.lowerBound] + replacement(text[secret])
      copied = secret.upperBound
    }
    return copied == 0 ? self : String(String.UnicodeScalarView(result + text[copied...]))
  }
}
