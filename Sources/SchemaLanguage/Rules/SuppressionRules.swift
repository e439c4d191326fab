import Diagnostics

extension Suppressions {
  static let rules = [withoutReason, unknownCode, unused]

  static let withoutReason = rule(
    "CK0501", "suppression-without-reason", .warning,
    summary: "A `celestra:ignore` comment has no code or no reason",
    rationale:
      "The reason tells the next reader why the finding was accepted. A comment without one has no effect.",
    field: "title STRING", comment: "celestra:ignore CK0203",
    useInstead: "celestra:ignore CK0203 feeds are only ever looked up by name")

  static let unknownCode = rule(
    "CK0502", "unknown-suppression", .warning,
    summary: "A `celestra:ignore` comment names a rule that does not exist",
    rationale: "A mistyped code suppresses nothing.",
    comment: "celestra:ignore CK9999 feeds are only ever looked up by name")

  static let unused = rule(
    "CK0503", "unused-suppression", .note,
    summary: "A `celestra:ignore` comment suppresses nothing",
    rationale:
      "The finding that it was written for no longer occurs. If the comment stays, it can hide a new "
      + "finding.",
    comment: "celestra:ignore CK0203 feeds are only ever looked up by name")

  /// A rule about a comment above a record type, with an example that breaks it and the right comment, if any.
  private static func rule(
    _ code: String, _ name: String, _ severity: Diagnostic.Severity, summary: String, rationale: String,
    field: String = "\"___recordID\" REFERENCE QUERYABLE", comment: String, useInstead better: String? = nil
  ) -> Rule {
    func schema(_ comment: String?) -> String {
      """
      DEFINE SCHEMA
      \(comment.map { "// \($0)\n" } ?? "")RECORD TYPE Feed (
          \(field),
          GRANT CREATE TO "_icloud"
      );
      """
    }
    return Rule(
      code, name, severity, summary: summary, rationale: rationale, example: schema(comment),
      useInstead: schema(better), source: "this tool")
  }
}
