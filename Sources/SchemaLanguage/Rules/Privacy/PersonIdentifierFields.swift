extension Schema {
  /// The STRING and REFERENCE fields of a record type whose names say that they identify a person, such as `userId`: those
  /// that the rule CK0306 reports. Lists are left out.
  package func personIdentifierFields(of type: RecordType) -> [Field] {
    let nouns = PersonalDataNames.nouns(of: recordTypes.map(\.name))
    return type.fields.filter { field in
      let isReference = field.type == .scalar(.reference)
      guard isReference || field.type == .scalar(.plain(.string)), !field.isSystem else { return false }
      return PersonalDataNames.isIdentifier(field.name, isReference: isReference, nouns: nouns)
    }
  }
}

extension FieldDeclaration {
  /// As ``PersonalDataNames/isIdentifier(_:isReference:nouns:)``, for a field of a text.
  func isPersonIdentifier(_ nouns: Set<String>) -> Bool {
    !isSystem
      && PersonalDataNames.isIdentifier(name, isReference: type?.primitive == .reference, nouns: nouns)
  }
}
