import Diagnostics

extension SchemaRule {
  static let duplicateRecordType = SchemaRule(
    Rule(
      "CK0120", "duplicate-record-type", .error,
      summary: "A record type is declared twice",
      rationale:
        "The service refuses the whole file. The usual cause is a type that was appended to an exported "
        + "schema.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING );
        RECORD TYPE Feed ( title STRING );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed ( title STRING );
        """,
      source: Rule.reference("schema-language", "names")),
    in: .declaration
  ) { context, findings in
    var first = [String: Range<Int>](minimumCapacity: context.parsed.recordTypes.count)
    for type in context.parsed.recordTypes {
      if let earlier = first[type.name] {
        findings.report(
          "record type '\(type.name)' is declared twice", at: type.nameRange,
          help: "merge the two declarations into one", notes: [("first declared here", earlier)])
      } else {
        first[type.name] = type.nameRange
      }
    }
  }
}
