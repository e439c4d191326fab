import Diagnostics

extension Suppressions {
  static let rules = [withoutReason, unknownCode, unused]

  static let withoutReason = Rule(
    "CK0501", "suppression-without-reason", .warning,
    summary: "A `celestra:ignore` comment says no code or no reason",
    rationale:
      "Whoever reads the schema next must learn why a finding was accepted. Such a comment has no effect.",
    example: """
      DEFINE SCHEMA
      // celestra:ignore CK0203
      RECORD TYPE Feed (
          title STRING,
          GRANT CREATE TO "_icloud"
      );
      """,
    useInstead: """
      DEFINE SCHEMA
      // celestra:ignore CK0203 feeds are only ever looked up by name
      RECORD TYPE Feed (
          title STRING,
          GRANT CREATE TO "_icloud"
      );
      """,
    source: "this tool")

  static let unknownCode = Rule(
    "CK0502", "unknown-suppression", .warning,
    summary: "A `celestra:ignore` comment names a rule that does not exist",
    rationale: "A mistyped code suppresses nothing.",
    example: """
      DEFINE SCHEMA
      // celestra:ignore CK9999 feeds are only ever looked up by name
      RECORD TYPE Feed (
          "___recordID" REFERENCE QUERYABLE,
          GRANT CREATE TO "_icloud"
      );
      """,
    useInstead: """
      DEFINE SCHEMA
      RECORD TYPE Feed (
          "___recordID" REFERENCE QUERYABLE,
          GRANT CREATE TO "_icloud"
      );
      """,
    source: "this tool")

  static let unused = Rule(
    "CK0503", "unused-suppression", .note,
    summary: "A `celestra:ignore` comment suppresses nothing",
    rationale: "The finding it was written for is gone; left in place it would hide the next one.",
    example: """
      DEFINE SCHEMA
      // celestra:ignore CK0203 feeds are only ever looked up by name
      RECORD TYPE Feed (
          "___recordID" REFERENCE QUERYABLE,
          GRANT CREATE TO "_icloud"
      );
      """,
    useInstead: """
      DEFINE SCHEMA
      RECORD TYPE Feed (
          "___recordID" REFERENCE QUERYABLE,
          GRANT CREATE TO "_icloud"
      );
      """,
    source: "this tool")
}
