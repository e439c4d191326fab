import Diagnostics

extension SchemaRule {
  static let sortableWithoutQueryable = SchemaRule(
    Rule(
      "CK0204", "sortable-without-queryable", .warning,
      summary: "A query asks for a range of a field that is SORTABLE but not QUERYABLE",
      rationale:
        "SORTABLE gives order. Apple's schema page also gives it to ranges, but the service's refusals ask "
        + "for QUERYABLE. Found with `--queries FILE`.",
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
      source: "Documentation/reference/web-services.md#comparators-and-indexes"),
    in: .lint
  ) { context, findings in
    for need in context.queries?.needs ?? [] {
      guard let type = context.type(need.recordType), let declared = type.indexes(of: need.field),
        let wanted = need.accepted.first, !declared.contains(wanted),
        !declared.isDisjoint(with: EnumSet(need.accepted))
      else { continue }
      findings.report(
        "\(need.what) on '\(need.recordType).\(need.field)', which is SORTABLE but not QUERYABLE",
        in: need.place,
        help: "declare it as \(type.line(of: need.field, adding: wanted))")
    }
  }
}
