import Diagnostics

extension SchemaRule {
  static let namesDifferInCase = SchemaRule(
    Rule(
      "CK0402", "names-differ-in-case", .warning,
      summary: "Two names differ only in upper and lower case",
      rationale:
        "CloudKit treats them as two names, but people confuse them. Production keeps both for ever.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            siteURL STRING,
            siteUrl STRING,
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            siteURL STRING,
            GRANT CREATE TO "_icloud"
        );
        """,
      source: Rule.reference("schema-language", "names")),
    in: .lint
  ) { context, findings in
    compare(context.parsed.recordTypes, \.name, \.nameRange, "record type", &findings)
    compare(context.parsed.roles, \.name, \.nameRange, "role", &findings)
    for type in context.parsed.recordTypes {
      compare(type.fields, \.name, \.nameRange, "field", &findings)
    }
  }

  private static func compare<Declaration>(
    _ declarations: [Declaration], _ name: (Declaration) -> String, _ range: (Declaration) -> Range<Int>,
    _ what: String, _ findings: inout RuleFindings
  ) {
    guard mayDiffer(declarations, name) else { return }
    for (declaration, earlier) in declarations.repeated(by: { name($0).lowercased() })
    where name(earlier) != name(declaration) {
      findings.report(
        "\(what) '\(name(declaration))' differs from '\(name(earlier))' only in upper and lower case",
        at: range(declaration),
        notes: [("the other one", range(earlier))])
    }
  }

  /// A fast check that settles most types: false if no two names have equal checksums (FNV-1a) of their letters
  /// without case.
  private static func mayDiffer<Declaration>(
    _ declarations: [Declaration], _ name: (Declaration) -> String
  ) -> Bool {
    let sums = declarations.map { declaration in
      name(declaration).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1 | 0x20)) &* 0x100_0000_01b3
      }
    }.sorted()
    return zip(sums, sums.dropFirst()).contains { $0 == $1 }
  }
}
