import Diagnostics

extension SchemaRule {
  static let undecidedNumber = SchemaRule(
    Rule(
      "CK0401", "undecided-number", .warning,
      summary: "A field is a NUMBER without a preferred type",
      rationale:
        "Development makes such fields by itself when a record with a new numeric field is saved. Apple "
        + "advises against writing it, and once a preference is deployed it is there for ever.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            count NUMBER,
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            count INT64,
            GRANT CREATE TO "_icloud"
        );
        """,
      source: "Documentation/reference/schema-language.md#encrypted-and-number-fields"),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for field in type.fields {
        guard let declared = field.type, case .number(preferred: nil) = declared.primitive else { continue }
        findings.report(
          "'\(field.name)' has not decided between INT64 and DOUBLE", at: field.typeRange,
          help: "write INT64 or DOUBLE; for a field that exists, NUMBER PREFERRED AS one of them")
      }
    }
  }
}
