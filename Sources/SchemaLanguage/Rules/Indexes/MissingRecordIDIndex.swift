import Diagnostics

extension SchemaRule {
  static let missingRecordIDIndex = SchemaRule(
    Rule(
      "CK0203", "missing-record-id-index", .warning,
      summary: "A record type lacks `\"___recordID\" REFERENCE QUERYABLE`",
      rationale:
        "A query for all records of the type is refused with \"Field 'recordName' is not marked queryable\", "
        + "the Console shows no records, and nothing can be counted or exported. It is the most frequent runtime "
        + "complaint.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            title STRING,
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            title STRING,
            GRANT CREATE TO "_icloud"
        );
        """,
      source: Rule.reference("schema-language", "system-fields")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes {
      let field = type.field(SystemField.recordName.storedName)
      if field?.indexes.contains(.queryable) == true { continue }
      findings.report(
        "records of '\(type.name)' cannot be listed: \"___recordID\" is not QUERYABLE",
        at: field?.range ?? type.nameRange,
        help: field == nil
          ? "add the line \"___recordID\" REFERENCE QUERYABLE," : "add QUERYABLE to this line",
        fix: field.map { ($0.typeRange.upperBound..<$0.typeRange.upperBound, " QUERYABLE") }
          ?? newLine(in: type))
    }
  }

  /// A new line before the first member, with its indentation.
  private static func newLine(in type: RecordTypeDeclaration) -> (range: Range<Int>, text: String)? {
    let members = type.fields.map(\.range) + type.grants.map(\.range)
    guard let first = members.map(\.lowerBound).min() else { return nil }
    return (first..<first, "\"___recordID\" REFERENCE QUERYABLE,\n        ")
  }
}
