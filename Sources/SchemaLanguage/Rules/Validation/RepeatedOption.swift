import Diagnostics

extension SchemaRule {
  static let repeatedOption = SchemaRule(
    Rule(
      "CK0125", "repeated-option", .warning,
      summary: "A field has the same option twice",
      rationale: "The second says nothing; it is usually another option that was meant.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING QUERYABLE QUERYABLE );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING QUERYABLE SORTABLE );
        """,
      source: "schema-language.md section 1.4"),
    in: .declaration
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for field in type.fields where field.options.count > field.indexes.count {
        for (place, option) in field.options.enumerated()
        where field.options.prefix(place).contains(where: { $0.index == option.index }) {
          findings.report(
            "'\(field.name)' is \(option.index.rawValue) already", at: option.range, fix: (option.range, ""))
          break
        }
      }
    }
  }
}
