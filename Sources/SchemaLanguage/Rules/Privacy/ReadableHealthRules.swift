import Diagnostics

extension SchemaRule {
  static let readableHealth = SchemaRule("CK0312", in: .lint) { context, findings in
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
