import Diagnostics

extension SchemaRule {
  static let queryNeedsIndex = SchemaRule(
    Rule(
      "CK0201", "query-needs-index", .error,
      summary: "A query of the app filters or sorts by a field without the index it needs",
      rationale:
        "The service refuses such a query. If the index was added by hand in Development only, the query "
        + "fails only in Production. Found by `schema lint --queries`, `schema rehearse` and `schema check-app`.",
      example: example(
        "title STRING",
        below: #"// {"recordType": "Feed", "filters": [{"field": "title", "comparator": "EQUALS"}]}"#),
      useInstead: example(
        "title STRING QUERYABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "title", "comparator": "EQUALS"}]}"#),
      source: Rule.reference("web-services", "comparators-and-indexes")),
    in: .lint
  ) { context, findings in context.report(.missingIndex, &findings) }

  static let queryNamesNothing = SchemaRule(
    Rule(
      "CK0202", "query-names-nothing", .error,
      summary: "A query of the app names a record type or field that the schema does not have",
      rationale:
        "The service refuses it. Found by `schema lint --queries`, `schema rehearse` and `schema check-app`.",
      example: example(below: #"// {"recordType": "Feeds"}"#),
      useInstead: example(below: #"// {"recordType": "Feed"}"#),
      source: Rule.reference("web-services", "query-refusals")),
    in: .lint
  ) { context, findings in context.report(.unknownName, &findings) }

  static let sortableWithoutQueryable = SchemaRule(
    Rule(
      "CK0204", "sortable-without-queryable", .warning,
      summary: "A query compares a field with <, <=, > or >=, but the field is SORTABLE and not QUERYABLE",
      rationale:
        "SORTABLE allows sorting. Apple's schema page says that it also allows comparisons, but the service "
        + "refuses them and asks for QUERYABLE. Found by `schema lint --queries`, `schema rehearse` and `schema check-app`.",
      example: example(
        "addedAt TIMESTAMP SORTABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "addedAt", "comparator": "GREATER_THAN"}]}"#),
      useInstead: example(
        "addedAt TIMESTAMP QUERYABLE SORTABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "addedAt", "comparator": "GREATER_THAN"}]}"#),
      source: Rule.reference("web-services", "comparators-and-indexes")),
    in: .lint
  ) { context, findings in context.report(.rangeWithoutQueryable, &findings) }

  static let queryComparison = SchemaRule(
    Rule(
      "CK0208", "query-comparison", .error,
      summary: "A query of the app compares a field in a way, or with a value, that its type does not allow",
      rationale:
        "The service refuses it. LIST_CONTAINS is for lists; text is found by its value, its beginning or its words. "
        + "Found by `schema lint --queries`, `schema rehearse` and `schema check-app`.",
      example: example(
        "title STRING QUERYABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "title", "comparator": "LIST_CONTAINS"}]}"#),
      useInstead: example(
        "title STRING SEARCHABLE",
        below:
          #"// {"recordType": "Feed", "filters": [{"field": "title", "comparator": "CONTAINS_ALL_TOKENS"}]}"#),
      source: Rule.reference("web-services", "comparators-and-indexes")),
    in: .lint
  ) { context, findings in context.report(.comparison, &findings) }
}

extension RuleContext {
  func type(_ name: String) -> RecordTypeDeclaration? { parsed.recordTypes.first { $0.name == name } }

  /// Reports the problems of one kind that the app's queries have, but for queries of another schema.
  fileprivate func report(_ kind: AppQueryProblem.Kind, _ findings: inout RuleFindings) {
    for (query, problems) in queryProblems {
      let type = type(query.recordType)
      guard type != nil || query.schema.map(parsed.isOf(schemaFile:)) ?? true else { continue }
      for problem in problems where problem.kind == kind {
        let field = type?.field(problem.field ?? "")
        var fix: (range: Range<Int>, text: String)?
        if let field, let line = problem.line {
          // The name, and the column of the type, stay.
          fix = (
            field.typeRange.lowerBound..<field.range.upperBound, String(line.drop { $0 != " " }.dropFirst())
          )
        }
        findings.report(
          query.subject + problem.message, in: problem.place, help: problem.help,
          declared: field?.range ?? type?.nameRange, fix: fix)
      }
    }
  }
}

extension RecordTypeDeclaration {
  /// The indexes of a field; `nil` if it does not exist. System fields always exist.
  package func indexes(of field: String) -> EnumSet<Index>? {
    self.field(field)?.indexes ?? (SystemField(storedName: field) == nil ? nil : [])
  }

  /// The field's line with indexes added, as an export would print it.
  package func line(of field: String, adding indexes: EnumSet<Index>) -> String {
    let known = self.field(field)?.field ?? Field(field, SystemField(storedName: field)?.dataType ?? .string)
    return CanonicalSchemaText().field(Field(known.name, known.type, known.indexes.union(indexes)))
  }
}

extension QueryManifest {
  func recordTypes(in parsed: ParsedSchema) -> Set<String> {
    Set(queries.lazy.filter { $0.schema.map(parsed.isOf(schemaFile:)) ?? true }.map(\.recordType))
  }
}

extension ParsedSchema {
  /// Whether the schema is the file of this name, as far as its own name says.
  fileprivate func isOf(schemaFile name: String) -> Bool {
    let own = source.name.split(separator: "/").last ?? ""
    return !own.hasSuffix(".ckdb") || own == name.split(separator: "/").last ?? ""
  }
}
