import Diagnostics

extension SchemaRule {
  static let repeatedOption = SchemaRule(
    Rule(
      "CK0125", "repeated-option", .warning,
      summary: "A field has the same option twice",
      rationale: "The repetition has no effect. Usually another option was meant.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING QUERYABLE QUERYABLE );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING QUERYABLE SORTABLE );
        """,
      source: Rule.reference("schema-language", "types-and-indexes")),
    in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields where field.repeatsOption {
        var seen: EnumSet<Index> = []
        for option in field.options(in: findings.source) where !seen.insert(option.index).inserted {
          findings.report(
            "'\(field.name)' is already \(option.index.rawValue)", at: option.range, fix: (option.range, ""))
          break
        }
      }
    })
}
