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
      example: example(
        type: "DailyHealth", "heartRate DOUBLE", "sleepDuration INT64",
        grants: ["_icloud": "CREATE", "_world": "READ"]),
      useInstead: example(
        type: "DailyHealth", "heartRate DOUBLE", "sleepDuration INT64",
        grants: ["_icloud": "CREATE", "_creator": "READ, WRITE"]),
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where type.isReadByStrangers && type.mayBeAPersons {
      let isAboutHealth = HealthNames.isAboutHealth(type)
      let fields = type.fields.filter { HealthNames.isOne($0, of: type, isAboutHealth: isAboutHealth) }
      guard let first = fields.first else { continue }
      let others = fields.count == 1 ? "" : " and \(counted(fields.count - 1, "other field"))"
      findings.report(
        "'\(type.name).\(first.name)'\(others) may be about a person's health or body, and strangers can read it",
        at: first.nameRange, help: "keep it in the private database, or grant READ to \"_creator\" only",
        notes: fields.dropFirst().prefix(4).map { ("'\($0.name)' too", $0.nameRange) })
    }
  }
}
