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
    "data about a body that strangers can read is one finding",
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
      // Other spellings, units, and what somebody is recognized by.
      ("Person", "resting_heart_rate INT64", true), ("Person", "heartRateAvgBPM DOUBLE", true),
      ("Person", "bpSystolic INT64", true), ("Person", "VO2Max DOUBLE", true), ("Person", "HRV DOUBLE", true),
      ("Person", "spo2 DOUBLE", true), ("Person", "allergies LIST<STRING>", true),
      ("Person", "hivStatus STRING", true),
      ("Person", "bloodOxygenLevel DOUBLE", true), ("Person", "caloriesBurned INT64", true),
      ("Person", "glucose_mg_dl DOUBLE", true), ("Person", "glucoseMG DOUBLE", true),
      ("Person", "lastPeriodDate TIMESTAMP", true), ("Person", "bodyFatPercentage DOUBLE", true),
      ("Person", "mentalHealthNotes STRING", true), ("Person", "anxietyLevel INT64", true),
      ("Person", "diagnoses LIST<STRING>", true), ("Person", "Blutdruck STRING", true),
      ("Person", "frequence_cardiaque INT64", true), ("MedicationLog", "dosage STRING", true),
      ("TherapySession", "mood INT64", true), ("WorkoutSample", "bpm INT64", true),
      ("Person", "biometricTemplate BYTES", true), ("Person", "face_scan ASSET", true),
      ("Person", "fingerprintTemplate BYTES", true), ("Person", "irisPattern BYTES", true),
      ("Person", "dnaProfile STRING", true),
      // What is about something else.
      ("Feed", "healthScore DOUBLE", false), ("Feed", "healthStatus STRING", false),
      ("Post", "heartCount INT64", false),
      ("Song", "bpm INT64", false), ("Server", "lastHeartbeat TIMESTAMP", false),
      ("Recipe", "stepCount INT64", false),
      ("Tutorial", "stepCount INT64", false), ("Pet", "bodyWeight DOUBLE", false),
      ("Device", "sleepTimer INT64", false),
      ("Setting", "showHeartRate INT64", false), ("Setting", "biometricEnabled INT64", false),
      ("Setting", "faceIdEnabled INT64", false), ("Task", "dueDate TIMESTAMP", false),
      ("Order", "deliveryStatus STRING", false), ("Server", "serviceHealth STRING", false),
      ("Photo", "retinaScale INT64", false), ("Match", "resultList LIST<STRING>", false),
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
      // Other spellings and abbreviations.
      ("Account", "user_pwd STRING", true), ("Account", "passwordSalt BYTES", true),
      ("Account", "JWT STRING", true),
      ("Account", "twoFactorCode STRING", true), ("Account", "smsCode INT64", true),
      ("Account", "licenseKey STRING", true),
      ("Account", "recoveryPhrase STRING", true), ("Account", "securityAnswer STRING", true),
      ("Card", "cvv INT64", true), ("Card", "creditCardNumber STRING", true),
      ("House", "doorCode STRING", true),
      ("House", "alarm_code INT64", true), ("House", "wifiKey STRING", true),
      ("Server", "sshKey STRING", true),
      ("Utilisateur", "motDePasse STRING", true), ("Konto", "passwort STRING", true),
      ("Pair", "pinCode INT64", true),
      // Written as two words.
      ("Account", "passWord STRING", true), ("Account", "pass_word STRING", true),
      ("Account", "pass_code STRING", true), ("Account", "passPhrase STRING", true),
      ("Gift", "redemptionCode STRING", true), ("Account", "sessionCookie STRING", true),
      // Codes, keys, passes and tokens of another kind.
      ("Address", "zipCode STRING", false), ("Address", "pinCode STRING, city STRING", false),
      ("Feed", "languageCode STRING", false), ("Product", "barcode STRING", false),
      ("Theme", "colorCode STRING", false),
      ("Place", "countryCode STRING", false), ("Ticket", "passCount INT64", false),
      ("Text", "tokenCount INT64", false),
      ("Gate", "code STRING", false), ("Door", "code STRING", false), ("Response", "statusCode INT64", false),
      ("Song", "key STRING", false), ("Row", "sortKey STRING", false), ("Row", "primaryKey STRING", false),
      ("Card", "cardNumber STRING", false), ("Word", "mnemonic STRING", false),
      ("Trip", "boardingPass STRING", false),
      ("Room", "joinCode STRING", false), ("Talk", "sessionKey STRING", false),
      ("Ticket", "qrCode STRING", false),
      ("Meal", "salt INT64", false), ("Shop", "promoCode STRING", false),
      ("Image", "perceptualHash STRING", false),
    ])
  func codes(type: String, field: String, isFound: Bool) {
    expectNoDifference(codes(type, field), isFound ? ["CK0310"] : [])
  }

  @Test("the fields of a file that identify people are one finding, and each is accepted and new on its own")
  func identifiers() throws {
    func text(_ comment: String = "", extra: String = "") -> String {
      """
      DEFINE SCHEMA
      RECORD TYPE Game ( "___recordID" REFERENCE QUERYABLE,
        hostId STRING, \(comment)
        trophyId STRING, \(extra)
        GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
      RECORD TYPE Move ( "___recordID" REFERENCE QUERYABLE, playerID STRING,
        GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
      """
    }
    let all = SchemaLinter.diagnostics(parse(text(extra: "memberId STRING,")))
    expectNoDifference(all.codes, ["CK0306"])
    let finding = try #require(all.first)
    #expect(
      finding.message
        == "'Game.hostId', 'Game.memberId', 'Move.playerID' look like identifiers of people, and strangers can read them"
    )
    expectNoDifference(finding.pointedAt, "hostId")
    expectNoDifference(finding.notes.map(\.message), ["'Game.memberId' too", "'Move.playerID' too"])
    expectNoDifference(finding.notes.compactMap { $0.range?.start.line }, [4, 6])

    let one = SchemaLinter.diagnostics(parse(text("// celestra:ignore CK0306 a pseudonym")))
    expectNoDifference(
      one.map(\.message), ["'Move.playerID' looks like a person's identifier, and strangers can read it"])
    var options = LintOptions()
    options.older = (parse(text()), nil)
    let new = SchemaLinter.diagnostics(parse(text(extra: "memberId STRING,")), options)
    expectNoDifference(new.map(\.pointedAt), ["memberId"])
    options = LintOptions()
    options.configuration.severities.set("CK0306", NamePattern("Move"), .error)
    expectNoDifference(
      SchemaLinter.diagnostics(parse(text()), options).map { "\($0.severity) \($0.pointedAt)" },
      ["warning hostId", "error playerID"])
  }

  @Test("a field that refers to a thing identifies nobody, one that refers to a person does")
  func statedTargets() {
    func found(_ target: String) -> [String] {
      SchemaLinter.diagnostics(
        parse(
          """
          DEFINE SCHEMA
          RECORD TYPE Pick ( "___recordID" REFERENCE QUERYABLE,
            players LIST<REFERENCE>, // -> \(target)
            GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
          RECORD TYPE Team ( "___recordID" REFERENCE QUERYABLE, name STRING, GRANT CREATE TO "_icloud" );
          RECORD TYPE UserProfile ( "___recordID" REFERENCE QUERYABLE, name STRING, GRANT CREATE TO "_icloud" );
          """)
      ).codes
    }
    expectNoDifference(found("Team"), [])
    expectNoDifference(found("UserProfile"), ["CK0306"])
    expectNoDifference(Set(found("Nothing")), ["CK0306", "CK0602"])
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
    options.configuration.severities.set("CK0405", NamePattern("*"), .warning)
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
