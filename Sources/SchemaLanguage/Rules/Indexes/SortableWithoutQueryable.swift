import Diagnostics

extension SchemaRule {
  static let sortableWithoutQueryable = SchemaRule(
    Rule(
      "CK0204", "sortable-without-queryable", .warning,
      summary: "A query filters by a field that is SORTABLE but not QUERYABLE",
      rationale:
        "SORTABLE gives order. Apple's schema page also gives it to ranges, but the service's refusals ask "
        + "for QUERYABLE, and equality needs it in any case. Found with `--queries FILE`.",
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
      source: "web-services.md section 3.2"),
    in: .lint
  ) { context, findings in
    for need in context.queries?.needs ?? [] where context.isRangeOverSortable(need) {
      guard context.lacking(need) != nil else { continue }
      findings.report(
        "\(need.what) on '\(need.recordType).\(need.field)', which is SORTABLE but not QUERYABLE",
        in: need.place,
        help: "declare it as \(context.line(adding: .queryable, for: need))")
    }
  }
}
