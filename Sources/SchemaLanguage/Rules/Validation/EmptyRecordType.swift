import Diagnostics

extension SchemaRule {
  static let emptyRecordType = SchemaRule(
    Rule(
      "CK0128", "empty-record-type", .warning,
      summary: "A record type has neither fields nor grants",
      rationale: "The grammar seems to allow this, but no report shows that the service accepts it.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING );
        """,
      source: Rule.reference("schema-language", "grammar")),
    in: .file,
    eachRecordType: { type, findings in
      guard type.fields.isEmpty, type.grants.isEmpty else { return }
      findings.report("record type '\(type.name)' is empty", at: type.nameRange)
    })
}
