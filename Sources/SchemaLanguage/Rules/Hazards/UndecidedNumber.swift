import Diagnostics

extension SchemaRule {
  static let undecidedNumber = SchemaRule(
    Rule(
      "CK0401", "undecided-number", .warning,
      summary: "A field is a NUMBER without a preferred type",
      rationale:
        "Development creates such a field when an app saves a number in a field that the schema does not "
        + "have. Apple advises against writing NUMBER in a file. A preferred type that is deployed cannot "
        + "be changed.",
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
      source: Rule.reference("schema-language", "encrypted-and-number-fields")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for field in type.fields {
        guard let declared = field.type, case .number(preferred: nil) = declared.primitive else { continue }
        findings.report(
          "the field '\(field.name)' is a NUMBER without a preferred type", at: field.typeRange,
          help: "write INT64 or DOUBLE; for a field that exists, NUMBER PREFERRED AS one of them")
      }
    }
  }
}
