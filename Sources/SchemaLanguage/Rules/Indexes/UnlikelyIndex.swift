import Diagnostics

extension SchemaRule {
  static let unlikelyIndex = SchemaRule(
    Rule(
      "CK0205", "unlikely-index", .warning,
      summary: "A list field, or a reference field of the app, is SORTABLE",
      rationale: "Lists and references have no order, and no known exported schema has such an index.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            tags LIST<STRING> SORTABLE,
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            tags LIST<STRING> QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        """,
      source: Rule.reference("schema-language", "types-and-indexes")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for field in type.fields where field.indexes.contains(.sortable) && hasNoOrder(field) {
        let place = field.options(in: findings.source).first { $0.index == .sortable }?.range ?? field.range
        findings.report(
          "'\(field.name)' is SORTABLE, but values of its type cannot be sorted", at: place,
          help: "use QUERYABLE")
      }
    }
  }

  private static func hasNoOrder(_ field: FieldDeclaration) -> Bool {
    if case .list? = field.type { return true }
    return field.type == .reference && !field.isSystem
  }
}
