import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Readable health data and credentials") struct ReadableDataTests {
  private func codes(_ type: String, _ fields: String, read: String = "\"_world\"") -> [String] {
    SchemaLinter.diagnostics(
      parse(
        "DEFINE SCHEMA RECORD TYPE \(type) ( \"___recordID\" REFERENCE QUERYABLE, \(fields), "
          + "GRANT CREATE TO \"_icloud\", GRANT READ TO \(read) );")
    ).codes
  }

  @Test(
    "data about a body that strangers can read is one finding a type",
    arguments: [
      ("DailyHealth", "heartRate DOUBLE, sleepDuration INT64", true),
      ("Entry", "restingHeartRate DOUBLE", true),
      ("Night", "sleep_hours DOUBLE", true), ("Profile", "bloodType STRING", true),
      ("Day", "stepCount INT64", true),
      ("Login", "faceEmbedding BYTES", true), ("Intake", "medications LIST<STRING>", true),
      ("WellnessLog", "weight DOUBLE", true), ("Product", "weight DOUBLE", false),
      ("Recipe", "calories INT64", false),
      ("File", "fingerprint STRING", false), ("Poll", "rate DOUBLE", false),
      ("HealthTip", "title STRING", false),
    ])
  func health(type: String, fields: String, isFound: Bool) {
    expectNoDifference(codes(type, fields), isFound ? ["CK0312"] : [])
    expectNoDifference(codes(type, fields, read: "\"_creator\""), [])
  }

  @Test("types that only a role of the team creates are not a person's")
  func role() {
    let text =
      "DEFINE SCHEMA CREATE ROLE Team; RECORD TYPE Average ( \"___recordID\" REFERENCE QUERYABLE, heartRate DOUBLE, "
      + "GRANT CREATE TO Team, GRANT READ TO \"_world\" );"
    expectNoDifference(SchemaLinter.diagnostics(parse(text)).codes, [])
  }

  @Test(
    "codes and PINs are credentials, and other codes are not",
    arguments: [
      ("Pair", "pin STRING", true), ("Pair", "otp STRING", true), ("Pair", "otp INT64", true),
      ("Pair", "code STRING", true),
      ("Account", "recoveryCodes LIST<STRING>", true), ("Account", "oneTimeCode INT64", true),
      ("Account", "pinHash BYTES", true), ("Device", "pairing_code STRING", true),
      ("Door", "userPin STRING", true),
      ("Country", "code STRING", false), ("Map", "mapPin STRING", false), ("Note", "pin INT64", false),
      ("Item", "productCode STRING", false), ("File", "contentHash STRING", false),
      ("Flag", "hasPin STRING", false),
    ])
  func codes(type: String, field: String, isFound: Bool) {
    expectNoDifference(codes(type, field), isFound ? ["CK0310"] : [])
  }

  @Test("a type without a description is found when the rule is asked for")
  func descriptions() throws {
    let text = """
      DEFINE SCHEMA
      // A feed.
      RECORD TYPE Feed ( "___recordID" REFERENCE QUERYABLE, a STRING, GRANT CREATE TO "_icloud" );
      // celestra:public
      RECORD TYPE Tag ( "___recordID" REFERENCE QUERYABLE, a STRING, GRANT CREATE TO "_icloud" );
      RECORD TYPE Users ( roles LIST<INT64> );
      """
    var options = LintOptions()
    expectNoDifference(SchemaLinter.diagnostics(parse(text), options).codes, [])
    options.configuration.severities.set("CK0405", NamePattern("*"), .severity(.warning))
    expectNoDifference(
      SchemaLinter.diagnostics(parse(text), options).map { "\($0.severity) \($0.pointedAt)" }, ["warning Tag"]
    )
    options = LintOptions()
    options.selection = try RuleSelection(select: ["CK0405"], ignore: [])
    expectNoDifference(SchemaLinter.diagnostics(parse(text), options).codes, ["CK0405"])
    // A reason for a rule that is off is not an unused comment.
    let ignored = text.replacing("// celestra:public", with: "// celestra:ignore CK0405 obvious")
    expectNoDifference(SchemaLinter.diagnostics(parse(ignored)).codes, [])
  }
}
