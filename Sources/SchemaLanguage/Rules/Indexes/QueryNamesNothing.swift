import Diagnostics

extension SchemaRule {
  static let queryNamesNothing = SchemaRule(
    Rule(
      "CK0202", "query-names-nothing", .error,
      summary: "A query of the app names a record type or field that the schema does not have",
      rationale: "The service refuses it. Found with `--queries FILE`.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        // {"recordType": "Feeds"}
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        // {"recordType": "Feed"}
        """,
      source: Rule.reference("web-services", "query-refusals")),
    in: .lint
  ) { context, findings in
    /// Where record types were reported: a query has one, and any number of filters.
    var reported: Set<Int> = []
    for need in context.queries?.needs ?? [] {
      guard let type = context.type(need.recordType) else {
        let isOfThisSchema = need.schema.map { context.isOf(schemaFile: $0) } ?? true
        guard isOfThisSchema, reported.insert(need.typePlace.offsets.lowerBound).inserted else { continue }
        let near = SpellingSuggestion.nearest(
          to: need.recordType, among: context.parsed.recordTypes.map(\.name))
        findings.report(
          "there is no record type '\(need.recordType)'", in: need.typePlace,
          help: near.map { "did you mean \($0)?" })
        continue
      }
      guard type.field(need.field) == nil, SystemField(storedName: need.field) == nil else { continue }
      let near = SpellingSuggestion.nearest(to: need.field, among: type.fields.map(\.name))
      findings.report(
        "'\(need.recordType)' has no field '\(need.field)'", in: need.place,
        help: near.map { "did you mean \($0)?" })
    }
  }
}

extension RuleContext {
  /// Whether the schema is the file of this name, as far as its own name tells.
  fileprivate func isOf(schemaFile name: String) -> Bool {
    let own = parsed.source.name.split(separator: "/").last ?? ""
    return !own.hasSuffix(".ckdb") || own == name.split(separator: "/").last ?? ""
  }
}
