import Diagnostics

extension SchemaRule {
  static let queryNeedsIndex = SchemaRule(
    Rule(
      "CK0201", "query-needs-index", .error,
      summary: "A query of the app filters or sorts by a field without the index it needs",
      rationale:
        "The service refuses such a query. If the index was added by hand in Development only, the query "
        + "fails only in Production. Found with `--queries FILE`.",
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
      source: Rule.reference("web-services", "comparators-and-indexes")),
    in: .lint
  ) { context, findings in
    for need in context.queries?.needs ?? [] {
      guard let type = context.type(need.recordType), let wanted = need.accepted.first else { continue }
      let declared = type.indexes(of: need.field)
      guard let declared, declared.isDisjoint(with: EnumSet(need.accepted)) else { continue }
      findings.report(
        "\(need.what) needs a \(wanted.rawValue) index on '\(need.recordType).\(need.field)'", in: need.place,
        help: "declare it as \(type.line(of: need.field, adding: wanted))")
    }
  }
}

extension RuleContext {
  func type(_ name: String) -> RecordTypeDeclaration? { parsed.recordTypes.first { $0.name == name } }
}

extension RecordTypeDeclaration {
  /// The indexes of a field; `nil` if it does not exist. System fields always exist.
  func indexes(of field: String) -> EnumSet<Index>? {
    self.field(field)?.indexes ?? (SystemField(storedName: field) == nil ? nil : [])
  }

  /// The field's line with an index added, as an export would print it.
  func line(of field: String, adding index: Index) -> String {
    let known = self.field(field)?.field ?? Field(field, SystemField(storedName: field)?.dataType ?? .string)
    return CanonicalSchemaText().field(Field(known.name, known.type, known.indexes.union([index]))) + ","
  }
}
