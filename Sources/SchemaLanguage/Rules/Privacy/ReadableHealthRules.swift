import Diagnostics

extension SchemaRule {
  static let readableHealth = SchemaRule(
    Rule(
      "CK0312", "readable-health-data", .warning,
      summary: "Strangers can read data about a person's body or health",
      rationale:
        "Each record names its creator, so heart rates, sleep, medication or a fingerprint in a world-readable record are "
        + "tied to one person. Apps that use HealthKit must not store health data in iCloud at all. One finding covers "
        + "a record type. The rule skips types that only a role of your own creates.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE DailyHealth (
            "___recordID" REFERENCE QUERYABLE,
            heartRate DOUBLE,
            sleepDuration INT64,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE DailyHealth (
            "___recordID" REFERENCE QUERYABLE,
            heartRate DOUBLE,
            sleepDuration INT64,
            GRANT CREATE TO "_icloud",
            GRANT READ, WRITE TO "_creator"
        );
        """,
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where type.isReadByStrangers && type.mayBeAPersons {
      let isAboutHealth = HealthNames.isAboutHealth(type)
      let fields = type.fields.filter { HealthNames.isOne($0, isAboutHealth: isAboutHealth) }
      guard let first = fields.first else { continue }
      let others = fields.count == 1 ? "" : " and \(counted(fields.count - 1, "other field"))"
      findings.report(
        "'\(type.name).\(first.name)'\(others) may be about a person's health or body, and strangers can read it",
        at: first.nameRange, help: "keep it in the private database, or grant READ to \"_creator\" only",
        notes: fields.dropFirst().prefix(4).map { ("'\($0.name)' too", $0.nameRange) })
    }
  }
}

/// Recognizes fields with data about a person's body, by their names.
private enum HealthNames {
  /// Words, or pairs of words, at the end of a name that mean it in any type.
  private static let anywhere: Set<String> = [
    "heartrate", "heartbeat", "heartratevariability", "hrv", "bloodpressure", "bloodtype", "bloodsugar",
    "bloodglucose", "bloodoxygen", "oxygensaturation", "spo", "glucose", "sleepduration", "sleephour",
    "sleepminute", "sleepquality", "sleepscore", "sleepstage", "hoursleep", "bmi", "bodyfat", "bodymass",
    "bodyweight", "bodytemperature", "stepcount", "respiratoryrate", "vomax", "ecg", "ekg", "menstruation",
    "menstrualcycle", "ovulation", "pregnancy", "diagnosis", "symptom", "medication", "disability",
    "healthcondition", "medicalcondition", "insulin", "cholesterol",
    "faceprint", "voiceprint", "faceembedding", "facetemplate", "irisscan", "retinascan", "biometric",
    "biometricdata", "dnasequence", "genome",
  ]

  /// Words that mean it only in a type about health: a product has a weight too.
  private static let inHealthTypes: Set<String> = [
    "weight", "height", "step", "calorie", "mood", "pulse", "temperature", "sleep", "waist", "dose", "dosage",
    "condition", "allergy", "fingerprint", "rate", "cycle", "pain",
  ]

  private static let topics: Set<String> = [
    "health", "medical", "wellness", "vital", "biometric", "patient", "symptom", "sleep", "workout",
    "fitness",
  ]

  private static let endings = NameEndingFilter(anywhere)

  static func isAboutHealth(_ type: RecordTypeDeclaration) -> Bool {
    IdentifierWords(type.name).contains(topics)
  }

  static func isOne(_ field: FieldDeclaration, isAboutHealth: Bool) -> Bool {
    guard isAboutHealth || endings.mayEnd(field.name), !field.isSystem else { return false }
    let name = IdentifierWords(field.name)
    if anywhere.contains(name.last) || anywhere.contains(name.lastTwo) { return true }
    if anywhere.contains(name.words.suffix(3).joined()) { return true }
    return isAboutHealth && inHealthTypes.contains(name.last)
  }
}
