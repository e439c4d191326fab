import Diagnostics

extension SchemaRule {
  static let encryptedInPublic = SchemaRule("CK0307", ofPublicTypesIn: .lint) { type, findings in
    for field in type.fields where field.type?.isEncrypted == true {
      findings.report(
        "the field '\(field.name)' is ENCRYPTED, which the public database does not support",
        at: field.typeRange,
        help:
          "keep it encrypted, in a type of the private database; if this type is private, say so with a "
          + "comment above it: // celestra:private")
    }
  }

  static let privateFlagInPublic = SchemaRule("CK0308", ofPublicTypesIn: .lint) { type, findings in
    guard type.isReadByStrangers else { return }
    for field in type.fields where endings.mayEnd(field.name) && names.contains(field.name.lowercased()) {
      findings.report(
        "'\(type.name).\(field.name)' does not keep a record private: strangers can read it",
        at: field.nameRange,
        help: "keep private records in the private or a shared database")
    }
  }

  static let readableHealth = SchemaRule("CK0312", ofPublicTypesIn: .lint) { type, findings in
    guard type.isReadByStrangers, type.mayBeAPersons else { return }
    let isAboutHealth = HealthNames.isAboutHealth(type)
    for field in type.fields where HealthNames.isOne(field, of: type, isAboutHealth: isAboutHealth) {
      findings.report(
        "'\(type.name).\(field.name)' may be about a person's health or body, and strangers can read it",
        at: field.nameRange, help: "keep it in the private database, or grant READ to \"_creator\" only")
    }
  }

  private static let names: Set<String> = ["isprivate", "private", "issecret", "isconfidential"]
  private static let endings = NameEndingFilter(names)
}

enum CredentialFields {
  private static let words = NameWords.lists["credentials"]
  private static let phrases = NameWords.lists["credential phrases"]
  private static let keys = NameWords.lists["before key"]
  private static let otherTokens = NameWords.lists["before other tokens"]
  private static let codes = NameWords.lists["before code"]
  private static let codesOfThings = NameWords.lists["before code, except in types"]

  /// Fields beside a `pinCode` that make it the postal code that it is in India.
  private static let ofAddresses: Set<String> = ["city", "state", "street", "country", "district", "address"]

  private static let hashed = NameWords.lists["before hash"]

  /// First words of a name that is a question: `isPIN`, `hasPassword`. `ha` is `has` without what looks like a plural.
  private static let beginningsOfFlags: Set<String> = ["is", "ha", "use"]

  private static let endings = NameEndingFilter(
    words.union(phrases).union(["token", "secret", "key", "code", "hash", "salt"]))

  /// - Parameter type: the record type with the field. A plain `code` is judged by the name of its type.
  static func isOne(_ field: FieldDeclaration, of type: RecordTypeDeclaration) -> Bool {
    guard endings.mayEnd(field.name), canHoldOne(field) else { return false }
    let name = IdentifierWords(field.name).words
    // Not a credential, but a flag, number or time about one.
    guard let last = name.last, !beginningsOfFlags.contains(name[0]) else { return false }
    let before = name.dropLast().last
    if phrases.contains(name.suffix(2).joined()) || phrases.contains(name.suffix(3).joined()) { return true }
    switch last {
    case "token": return before.map { !otherTokens.contains($0) } ?? true
    case "secret": return true
    case "key": return before.map(keys.contains) ?? false
    case "hash", "salt": return before.map(hashed.contains) ?? false
    case "code", "pincode":
      if last == "pincode" || before == "pin", isInAddress(type) { return false }
      if last == "pincode" { return true }
      let lastTwo = name.dropLast().suffix(2).joined()
      let known = codes.union(codesOfThings)
      return before.map { known.contains($0) || known.contains(lastTwo) }
        ?? IdentifierWords(type.name).contains(codes)
    // A pin on a map has a name of its own: `mapPin`.
    case "pin":
      return before.map { ["user", "login", "access", "security", "device", "account"].contains($0) } ?? true
    // Also as two words: `pass_word`, `passPhrase`.
    default: return words.contains(last) || words.contains(name.suffix(2).joined())
    }
  }

  private static func isInAddress(_ type: RecordTypeDeclaration) -> Bool {
    type.fields.contains { IdentifierWords($0.name).contains(ofAddresses) }
  }

  /// Text and bytes; numbers only for one-time codes, because a number `pin` is often a flag.
  private static func canHoldOne(_ field: FieldDeclaration) -> Bool {
    switch field.type?.primitive {
    case .plain(.string), .plain(.bytes): true
    case .plain(.int64):
      IdentifierWords(field.name).words.last.map {
        ["otp", "totp", "code", "pincode", "cvv", "cvc"].contains($0)
      } ?? false
    default: false
    }
  }
}

/// Recognizes fields with data about a person's health or body, by their names, in English and in the most frequent words
/// of a few other languages.
private enum HealthNames {
  private static let anywhere = NameWords.lists["health"]
  private static let inHealthTypes = NameWords.lists["health in types about health"]
  private static let topics = NameWords.lists["types about health"]
  private static let measures = NameWords.lists["measures"]
  private static let settings = NameWords.lists["settings"]
  private static let ofBiometrics = NameWords.lists["biometrics"]
  private static let things = NameWords.lists["types about things"]

  private static let endings = NameEndingFilter(anywhere.union(measures).union(ofBiometrics).union(["spo2"]))

  static func isAboutHealth(_ type: RecordTypeDeclaration) -> Bool {
    IdentifierWords(type.name).contains(topics)
  }

  static func isOne(_ field: FieldDeclaration, of type: RecordTypeDeclaration, isAboutHealth: Bool) -> Bool {
    guard isAboutHealth || endings.mayEnd(field.name), !field.isSystem else { return false }
    let words = IdentifierWords(field.name).words
    guard let first = words.first, let last = words.last, !settings.contains(first) else { return false }
    if words.contains("biometric"), ofBiometrics.contains(last) { return true }
    if isAboutHealth, inHealthTypes.contains(last) { return true }
    // Also without what says how it was measured: `heartRateAvgBPM`.
    let named = words.dropLast(words.reversed().prefix { measures.contains($0) }.count)
    return (means(words[...]) || means(named)) && !IdentifierWords(type.name).contains(things)
  }

  private static func means(_ words: ArraySlice<String>) -> Bool {
    (1...3).contains { anywhere.contains(words.suffix($0).joined()) }
  }
}
