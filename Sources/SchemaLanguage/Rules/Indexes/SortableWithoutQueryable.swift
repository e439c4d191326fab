import Diagnostics

extension SchemaRule {
  static let sortableWithoutQueryable = SchemaRule(
    Rule(
      "CK0204", "sortable-without-queryable", .warning,
      summary: "A query compares a field with <, <=, > or >=, but the field is SORTABLE and not QUERYABLE",
      rationale:
        "SORTABLE allows sorting. Apple's schema page says that it also allows comparisons, but the service "
        + "refuses them and asks for QUERYABLE. Found with `--queries FILE`.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            addedAt TIMESTAMP SORTABLE,
            GRANT CREATE TO "_icloud"
        );
        // {"recordType": "Feed", "filters": [{"field": "addedAt", "comparator": "GREATER_THAN"}]}
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            addedAt TIMESTAMP QUERYABLE SORTABLE,
            GRANT CREATE TO "_icloud"
        );
        // {"recordType": "Feed", "filters": [{"field": "addedAt", "comparator": "GREATER_THAN"}]}
        """,
      source: Rule.reference("web-services", "comparators-and-indexes")),
    in: .lint
  ) { context, findings in
    for need in context.queries?.needs ?? [] {
      guard let type = context.type(need.recordType), let declared = type.indexes(of: need.field),
        let wanted = need.accepted.first, !declared.contains(wanted),
        !declared.isDisjoint(with: EnumSet(need.accepted))
      else { continue }
      findings.report(
        "\(need.what) on '\(need.recordType).\(need.field)' may be refused: the field is SORTABLE but not QUERYABLE",
        in: need.place,
        help: "declare it as \(type.line(of: need.field, adding: wanted))")
    }
  }
}
