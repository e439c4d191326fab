import Diagnostics

extension SchemaRule {
  static let queryNeedsIndex = SchemaRule(
    Rule(
      "CK0201", "query-needs-index", .error,
      summary: "A query of the app filters or sorts by a field without the index it needs",
      rationale:
        "The service refuses such a query. In Development the Console may have added the index by hand, so "
        + "that it fails only in Production. Found with `--queries FILE`.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            title STRING,
            GRANT CREATE TO "_icloud"
        );
        // {"recordType": "Feed", "filters": [{"field": "title", "comparator": "EQUALS"}]}
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            title STRING QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        // {"recordType": "Feed", "filters": [{"field": "title", "comparator": "EQUALS"}]}
        """,
      source: "web-services.md section 3.2"),
    in: .lint
  ) { context, findings in
    for need in context.queries?.needs ?? [] {
      guard let lacking = context.lacking(need), !context.isRangeOverSortable(need) else { continue }
      findings.report(
        "\(need.what) needs \(lacking.rawValue) on '\(need.recordType).\(need.field)'", in: need.place,
        help: "declare it as \(context.line(adding: lacking, for: need))")
    }
  }
}

extension RuleContext {
  func type(_ name: String) -> RecordTypeDeclaration? { parsed.recordTypes.first { $0.name == name } }

  /// The index a query needs and the schema lacks; none when the type or field does not even exist.
  func lacking(_ need: QueryManifest.Need) -> Index? {
    guard let type = type(need.recordType) else { return nil }
    let isSystem = SystemNames.fields[need.field] != nil
    guard let field = type.field(need.field) else { return isSystem ? need.index : nil }
    return field.indexes.contains(need.index) ? nil : need.index
  }

  /// A range over a field that is SORTABLE only has a rule of its own, because the documents disagree.
  func isRangeOverSortable(_ need: QueryManifest.Need) -> Bool {
    need.index == .queryable && field(of: need)?.indexes.contains(.sortable) == true
  }

  func field(of need: QueryManifest.Need) -> FieldDeclaration? { type(need.recordType)?.field(need.field) }

  /// The field's line with the index added, as an export would print it.
  func line(adding index: Index, for need: QueryManifest.Need) -> String {
    let known = field(of: need)?.field ?? Field(need.field, SystemNames.fields[need.field] ?? .string)
    let whole = Field(known.name, known.type, known.indexes.union([index]))
    return CanonicalText.field(whole, width: 0) + ","
  }
}
