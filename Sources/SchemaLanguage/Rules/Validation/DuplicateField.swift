import Diagnostics

extension SchemaRule {
  static let duplicateField = SchemaRule(
    Rule(
      "CK0121", "duplicate-field", .error,
      summary: "A record type declares a field twice",
      rationale: "A field has one type and one set of indexes; the service refuses the file.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            title STRING,
            title STRING QUERYABLE
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            title STRING QUERYABLE
        );
        """,
      source: "schema-language.md section 1.2"),
    in: .declaration
  ) { context, findings in
    for type in context.parsed.recordTypes where hasRepeatedName(type.fields) {
      var first: [String: Range<Int>] = [:]
      for field in type.fields {
        if let earlier = first[field.name] {
          findings.report(
            "field '\(field.name)' of '\(type.name)' is declared twice", at: field.nameRange,
            notes: [("first declared here", earlier)])
        } else {
          first[field.name] = field.nameRange
        }
      }
    }
  }

  /// Exports list fields in byte order, which tells without hashing that no name repeats.
  private static func hasRepeatedName(_ fields: [FieldDeclaration]) -> Bool {
    !zip(fields, fields.dropFirst()).allSatisfy { byteOrder($0.name, $1.name) }
  }
}
