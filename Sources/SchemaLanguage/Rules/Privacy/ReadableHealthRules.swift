import Diagnostics

extension SchemaRule {
  static let readableHealth = SchemaRule("CK0312", ofPublicTypesIn: .lint) { type, findings in
    guard type.isReadByStrangers, type.mayBeAPersons else { return }
    let isAboutHealth = HealthNames.isAboutHealth(type)
    for field in type.fields where HealthNames.isOne(field, of: type, isAboutHealth: isAboutHealth) {
      findings.report(
        "'\(type.name).\(field.name)' may be about a person's health or body, and strangers can read it",
        at: field.nameRange, help: "keep it in the private database, or grant READ to \"_creator\" only")
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
