import Diagnostics

extension SchemaRule {
  static let namesDifferInCase = SchemaRule(
    Rule(
      "CK0402", "names-differ-in-case", .warning,
      summary: "Two names differ only in upper and lower case",
      rationale:
        "They are two names to CloudKit, and one to a hurried reader. Production never forgets either.",
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
      source: "Documentation/reference/schema-language.md#names"),
    in: .lint
  ) { context, findings in
    compare(context.parsed.recordTypes.map { ($0.name, $0.nameRange) }, "record type", &findings)
    compare(context.parsed.roles.map { ($0.name, $0.nameRange) }, "role", &findings)
    for type in context.parsed.recordTypes {
      compare(type.fields.map { ($0.name, $0.nameRange) }, "field", &findings)
    }
  }

  private static func compare(
    _ names: [(name: String, range: Range<Int>)], _ what: String, _ findings: inout Findings
  ) {
    guard mayDiffer(names.map(\.name)) else { return }
    var first: [String: (name: String, range: Range<Int>)] = [:]
    for entry in names {
      let folded = entry.name.lowercased()
      guard let earlier = first[folded] else {
        first[folded] = entry
        continue
      }
      guard earlier.name != entry.name else { continue }
      findings.report(
        "\(what) '\(entry.name)' differs from '\(earlier.name)' only in case", at: entry.range,
        notes: [("the other one", earlier.range)])
    }
  }

  /// A fast check for small types: false if no two names have the same length and first letter, ignoring case.
  private static func mayDiffer(_ names: [String]) -> Bool {
    guard names.count <= 64 else { return true }
    for (place, name) in names.enumerated() {
      for other in names[..<place] where name.utf8.count == other.utf8.count {
        if zip(name.utf8, other.utf8).allSatisfy({ $0 == $1 || $0 ^ $1 == 0x20 }) { return true }
      }
    }
    return false
  }
}
