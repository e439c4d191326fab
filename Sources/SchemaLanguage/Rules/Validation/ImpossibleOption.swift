import Diagnostics

extension SchemaRule {
  static let impossibleOption = SchemaRule(
    Rule(
      "CK0124", "impossible-option", .error,
      summary: "A field has an index that its type cannot take",
      rationale:
        "Encrypted fields cannot be indexed because the service cannot read them; assets are not searched; "
        + "only text has words to search for.",
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
      source: "schema-language.md section 1.4"),
    in: .declaration,
    eachRecordType: { type, findings in
      for field in type.fields where !field.indexes.isEmpty {
        guard let declared = field.type,
          field.indexes.contains(where: { impossibility(of: $0, on: declared) != nil })
        else { continue }
        for option in field.options(in: findings.source) {
          guard let why = impossibility(of: option.index, on: declared) else { continue }
          findings.report(
            "'\(field.name)' cannot be \(option.index.rawValue): \(why)", at: option.range,
            fix: (option.range, ""))
        }
      }
    })

  private static func impossibility(of index: Index, on type: DataType) -> String? {
    switch type.primitive {
    case .encrypted: return "an encrypted field cannot be indexed"
    case .asset: return "an asset cannot be indexed"
    case .plain(.string): return nil
    default: return index == .searchable ? "only STRING and LIST<STRING> hold words" : nil
    }
  }
}
