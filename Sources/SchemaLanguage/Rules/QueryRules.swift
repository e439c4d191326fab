import Diagnostics

extension SchemaRule {
  static let queryNeedsIndex = SchemaRule(
    Rule(
      "CK0201", "query-needs-index", .error,
      summary: "A query of the app filters or sorts by a field without the index it needs",
      rationale:
        "The service refuses such a query. If the index was added by hand in Development only, the query "
        + "fails only in Production. Found with `--queries FILE`.",
      example: example(
        "title STRING",
        below: #"// {"recordType": "Feed", "filters": [{"field": "title", "comparator": "EQUALS"}]}"#),
      useInstead: example(
        "title STRING QUERYABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "title", "comparator": "EQUALS"}]}"#),
      source: Rule.reference("web-services", "comparators-and-indexes")),
    in: .lint
  ) { context, findings in
    for need in context.queries?.needs ?? [] {
      guard let type = context.type(need.recordType), let wanted = need.accepted.first else { continue }
      let declared = type.indexes(of: need.field)
      guard let declared, declared.isDisjoint(with: EnumSet(need.accepted)) else { continue }
      findings.report(
        "\(need.what) needs a \(wanted.rawValue) index on '\(need.recordType).\(need.field)'", in: need.place,
        help: "declare it as \(type.line(of: need.field, adding: wanted))",
        declared: type.place(of: need.field))
    }
  }

  static let queryNamesNothing = SchemaRule(
    Rule(
      "CK0202", "query-names-nothing", .error,
      summary: "A query of the app names a record type or field that the schema does not have",
      rationale: "The service refuses it. Found with `--queries FILE`.",
      example: example(below: #"// {"recordType": "Feeds"}"#),
      useInstead: example(below: #"// {"recordType": "Feed"}"#),
      source: Rule.reference("web-services", "query-refusals")),
    in: .lint
  ) { context, findings in
    /// Where record types were reported: a query has one, and any number of filters.
    var reported: Set<Int> = []
    for need in context.queries?.needs ?? [] {
      guard let type = context.type(need.recordType) else {
        let isOfThisSchema = need.schema.map(context.parsed.isOf(schemaFile:)) ?? true
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
        help: near.map { "did you mean \($0)?" }, declared: type.nameRange)
    }
  }

  static let sortableWithoutQueryable = SchemaRule(
    Rule(
      "CK0204", "sortable-without-queryable", .warning,
      summary: "A query compares a field with <, <=, > or >=, but the field is SORTABLE and not QUERYABLE",
      rationale:
        "SORTABLE allows sorting. Apple's schema page says that it also allows comparisons, but the service "
        + "refuses them and asks for QUERYABLE. Found with `--queries FILE`.",
      example: example(
        "addedAt TIMESTAMP SORTABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "addedAt", "comparator": "GREATER_THAN"}]}"#),
      useInstead: example(
        "addedAt TIMESTAMP QUERYABLE SORTABLE",
        below: #"// {"recordType": "Feed", "filters": [{"field": "addedAt", "comparator": "GREATER_THAN"}]}"#),
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
        help: "declare it as \(type.line(of: need.field, adding: wanted))",
        declared: type.place(of: need.field))
    }
  }
}

extension RuleContext {
  func type(_ name: String) -> RecordTypeDeclaration? { parsed.recordTypes.first { $0.name == name } }
}

extension RecordTypeDeclaration {
  /// The declaration of a field, or the type's name for a field that it does not declare.
  fileprivate func place(of field: String) -> Range<Int> { self.field(field)?.range ?? nameRange }

  /// The indexes of a field; `nil` if it does not exist. System fields always exist.
  package func indexes(of field: String) -> EnumSet<Index>? {
    self.field(field)?.indexes ?? (SystemField(storedName: field) == nil ? nil : [])
  }

  /// The field's line with an index added, as an export would print it.
  package func line(of field: String, adding index: Index) -> String {
    let known = self.field(field)?.field ?? Field(field, SystemField(storedName: field)?.dataType ?? .string)
    return CanonicalSchemaText().field(Field(known.name, known.type, known.indexes.union([index]))) + ","
  }
}

extension QueryManifest {
  /// The record types that the queries for a schema name.
  func recordTypes(in parsed: ParsedSchema) -> Set<String> {
    Set(needs.lazy.filter { $0.schema.map(parsed.isOf(schemaFile:)) ?? true }.map(\.recordType))
  }
}

extension ParsedSchema {
  /// Whether the schema is the file of this name, as far as its own name says.
  fileprivate func isOf(schemaFile name: String) -> Bool {
    let own = source.name.split(separator: "/").last ?? ""
    return !own.hasSuffix(".ckdb") || own == name.split(separator: "/").last ?? ""
  }
}
