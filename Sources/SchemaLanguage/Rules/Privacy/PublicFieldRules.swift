import Diagnostics

extension SchemaRule {
  static let encryptedInPublic = SchemaRule("CK0307", in: .lint) { context, findings in
    for type in context.publicTypes {
      for field in type.fields where field.type?.isEncrypted == true {
        findings.report(
          "the field '\(field.name)' is ENCRYPTED, which the public database does not support",
          at: field.typeRange,
          help:
            "keep it encrypted, in a type of the private database; if this type is private, say so with a "
            + "comment above it: // celestra:private")
      }
    }
  }

  static let privateFlagInPublic = SchemaRule("CK0308", in: .lint) { context, findings in
    for type in context.publicTypes where type.isReadByStrangers {
      for field in type.fields where endings.mayEnd(field.name) && names.contains(field.name.lowercased()) {
        findings.report(
          "'\(type.name).\(field.name)' does not keep a record private: strangers can read it",
          at: field.nameRange,
          help: "keep private records in the private or a shared database")
      }
    }
  }

  private static let names: Set<String> = ["isprivate", "private", "issecret", "isconfidential"]
  private static let endings = NameEndingFilter(names)
}
