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
      source: Rule.reference("schema-language", "names")),
    in: .declaration,
    eachRecordType: { type, findings in
      guard hasRepeatedName(type.fields) else { return }
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
    })

  /// A fast check: exports list fields in byte order, and sorted names only need a comparison of neighbors.
  private static func hasRepeatedName(_ fields: [FieldDeclaration]) -> Bool {
    !fields.indices.dropFirst().allSatisfy { byteOrder(fields[$0 - 1].name, fields[$0].name) }
  }
}
