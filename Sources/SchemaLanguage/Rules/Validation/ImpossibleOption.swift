import Diagnostics

extension SchemaRule {
  static let impossibleOption = SchemaRule(
    Rule(
      "CK0124", "impossible-option", .error,
      summary: "A field has an index that its type does not support",
      rationale:
        "Encrypted fields cannot be indexed, because the service cannot read them. Assets cannot be indexed. Only "
        + "text can be SEARCHABLE.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Note (
            body ENCRYPTED STRING SEARCHABLE,
            count INT64 SEARCHABLE
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Note (
            body ENCRYPTED STRING,
            count INT64 QUERYABLE
        );
        """,
      source: Rule.reference("schema-language", "types-and-indexes")),
    in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields {
        guard let declared = field.type else { continue }
        let (possible, why) = possibleIndexes(on: declared)
        guard !field.indexes.isSubset(of: possible) else { continue }
        for option in field.options(in: findings.source) where !possible.contains(option.index) {
          findings.report(
            "'\(field.name)' cannot be \(option.index.rawValue): \(why)", at: option.range,
            fix: (option.range, ""))
        }
      }
    })

  /// The indexes that a type allows, and why it does not allow others.
  private static func possibleIndexes(on type: DataType) -> (EnumSet<Index>, why: String) {
    switch type.primitive {
    case .encrypted: ([], "an encrypted field cannot be indexed")
    case .asset: ([], "an asset cannot be indexed")
    case .plain(.string): ([.queryable, .searchable, .sortable], "")
    default: ([.queryable, .sortable], "only STRING and LIST<STRING> contain words")
    }
  }
}
