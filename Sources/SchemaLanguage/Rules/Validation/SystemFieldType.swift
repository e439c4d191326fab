import Diagnostics

extension SchemaRule {
  static let systemFieldType = SchemaRule(
    Rule(
      "CK0126", "system-field-type", .error,
      summary: "A system field is declared with the wrong type",
      rationale:
        "Every record has the six system fields; a schema may index them but not change their types.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( "___recordID" STRING QUERYABLE );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( "___recordID" REFERENCE QUERYABLE );
        """,
      source: Rule.reference("schema-language", "system-fields")),
    in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields where field.name.utf8.first == UInt8(ascii: "_") {
        guard let declared = field.type, let own = SystemField(storedName: field.name)?.dataType,
          own != declared
        else {
          continue
        }
        findings.report(
          "the system field '\(field.name)' has the type \(own), not \(declared)", at: field.typeRange,
          help: "the types of system fields cannot be changed", fix: (field.typeRange, own.description))
      }
    })
}
