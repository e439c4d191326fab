import Diagnostics

extension SchemaRule {
  static let reservedName = SchemaRule(
    Rule(
      "CK0127", "reserved-name", .error,
      summary: "A name has a form that is reserved for CloudKit",
      rationale:
        "Names of system fields and roles begin with an underscore. Names of types that CloudKit manages "
        + "contain a dot.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( "_title" STRING );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING );
        """,
      source: Rule.reference("schema-language", "names")),
    in: .declaration,
    eachRecordType: { type, findings in
      checkType(type, &findings)
      if !SystemNames.isManaged(type.name) { checkFields(of: type, &findings) }
    })

  private static func checkType(_ type: RecordTypeDeclaration, _ findings: inout RuleFindings) {
    if type.name.utf8.first == UInt8(ascii: "_") {
      findings.report("a record type's name cannot begin with '_'", at: type.nameRange)
    } else if type.name.utf8.contains(UInt8(ascii: ".")), !SystemNames.isManaged(type.name) {
      findings.report("names with a dot are reserved for CloudKit", at: type.nameRange)
    }
  }

  private static func checkFields(of type: RecordTypeDeclaration, _ findings: inout RuleFindings) {
    for field in type.fields {
      if field.name.utf8.first == UInt8(ascii: "_") {
        guard !field.isSystem else { continue }
        let near = SystemField.nearest(to: field.name)?.storedName
        findings.report(
          "there is no system field '\(field.name)', and other names cannot begin with '_'",
          at: field.nameRange, help: near.map { "did you mean \"\($0)\"?" },
          fix: near.map { (field.nameRange, "\"\($0)\"") })
      } else if field.isQuoted, field.name.utf8.contains(UInt8(ascii: ".")) {
        findings.report("names with a dot are reserved for CloudKit", at: field.nameRange)
      }
    }
  }
}
