/// Recognizes fields that hold a credential, by name and type.
enum CredentialFields {
  private static let words: Set<String> = [
    "credential", "password", "passwd", "passcode", "passphrase", "apikey", "privatekey", "accesstoken",
    "authtoken", "refreshtoken", "otp", "totp", "pin", "pincode",
  ]
  private static let keys: Set<String> = ["api", "private", "secret", "access", "encryption", "signing"]

  /// Other kinds of tokens: page tokens, text tokens, design tokens.
  private static let otherTokens: Set<String> = [
    "page", "paging", "pagination", "continuation", "change", "sync", "next", "previous", "cursor",
    "cancellation", "design", "color", "lex", "lexer", "word", "history", "zone", "snapshot", "idempotency",
  ]

  /// Words before `code` that make it a credential; a country or language code is none.
  private static let codes: Set<String> = [
    "pairing", "pair", "verification", "verify", "confirmation", "access", "login", "signin", "auth",
    "authentication", "authorization", "recovery", "backup", "security", "reset", "unlock", "pin", "secret",
    "onetime", "mfa", "otp",
  ]

  /// Words before `hash`: the hash of a short secret can be guessed back.
  private static let hashed: Set<String> = [
    "password", "passwd", "passcode", "pin", "otp", "token", "secret",
  ]

  private static let endings = NameEndingFilter(words.union(["token", "secret", "key", "code", "hash"]))

  /// - Parameter type: the record type with the field. A plain `code` is judged by the name of its type.
  static func isOne(_ field: FieldDeclaration, of type: RecordTypeDeclaration) -> Bool {
    guard endings.mayEnd(field.name), canHoldOne(field) else { return false }
    let name = IdentifierWords(field.name).words
    // Not a credential, but a flag, number or time about one.
    guard let last = name.last, !["is", "has", "use"].contains(name[0]) else { return false }
    let before = name.dropLast().last
    switch last {
    case "token": return before.map { !otherTokens.contains($0) } ?? true
    case "secret": return true
    case "key": return before.map(keys.contains) ?? false
    case "hash": return before.map(hashed.contains) ?? false
    case "code":
      let lastTwo = name.dropLast().suffix(2).joined()
      return before.map { codes.contains($0) || codes.contains(lastTwo) }
        ?? IdentifierWords(type.name).contains(codes)
    // A pin on a map has a name of its own: `mapPin`.
    case "pin":
      return before.map { ["user", "login", "access", "security", "device", "account"].contains($0) } ?? true
    default: return words.contains(last)
    }
  }

  /// Text and bytes; numbers only for one-time codes, because a number `pin` is often a flag.
  private static func canHoldOne(_ field: FieldDeclaration) -> Bool {
    switch field.type?.primitive {
    case .plain(.string), .plain(.bytes): true
    case .plain(.int64):
      IdentifierWords(field.name).words.last.map { ["otp", "totp", "code"].contains($0) } ?? false
    default: false
    }
  }
}
