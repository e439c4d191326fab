import Diagnostics

extension SchemaRule {
  static let undecidedNumber = SchemaRule(
    Rule(
      "CK0401", "undecided-number", .warning,
      summary: "A field is a NUMBER without a preferred type",
      rationale:
        "Development creates such a field when an app saves a number in a field that the schema does not "
        + "have. Apple advises against writing NUMBER in a file. A preferred type that is deployed cannot "
        + "be changed.",
      example: example("count NUMBER"),
      useInstead: example("count INT64"),
      source: Rule.reference("schema-language", "encrypted-and-number-fields")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for field in type.fields {
        guard let declared = field.type, case .number(preferred: nil) = declared.primitive else { continue }
        findings.report(
          "the field '\(field.name)' is a NUMBER without a preferred type", at: field.typeRange,
          help: "write INT64 or DOUBLE; for a field that exists, NUMBER PREFERRED AS one of them")
      }
    }
  }

  static let namesDifferInCase = SchemaRule(
    Rule(
      "CK0402", "names-differ-in-case", .warning,
      summary: "Two names differ only in upper and lower case",
      rationale:
        "CloudKit treats them as two names, but people confuse them. Production keeps both for ever.",
      example: example("siteURL STRING", "siteUrl STRING"),
      useInstead: example("siteURL STRING"),
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
        at: range(declaration), notes: [("the other one", range(earlier))])
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

  static let unusedRole = SchemaRule(
    Rule(
      "CK0403", "unused-role", .note,
      summary: "A role is created but granted nothing",
      rationale: "Assigning the role in the Console grants nothing.",
      example: example(above: "CREATE ROLE Moderator;"),
      useInstead: example(
        above: "CREATE ROLE Moderator;", grants: ["_icloud": "CREATE", "Moderator": "WRITE"]),
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .lint
  ) { context, findings in
    let granted = Set(context.parsed.recordTypes.flatMap { $0.grants.map(\.grant.role) })
    for role in context.parsed.roles where !granted.contains(role.name) {
      findings.report("the role '\(role.name)' is not used in any grant", at: role.nameRange)
    }
  }

  static let droppedManagedType = SchemaRule(
    Rule(
      "CK0404", "dropped-managed-type", .warning,
      summary: "The older schema has a type managed by CloudKit that this file leaves out",
      rationale:
        "An import replaces the whole schema, and the service refuses one that would delete `cloudkit.share`: "
        + "\"invalid attempt to delete cloudkit managed record type\". `schema apply` adds it by itself, other tools do "
        + "not. A file may leave out `Users`. Found with `--new-since`.",
      example: example(below: "// older: RECORD TYPE \"cloudkit.share\""),
      useInstead: example(
        type: "\"cloudkit.share\"", isListed: false, "\"cloudkit.title\" STRING",
        below: "// older: RECORD TYPE \"cloudkit.share\""),
      source: Rule.reference("schema-language", "allowed-changes")),
    in: .lint
  ) { context, findings in
    guard let older = context.older else { return }
    let declared = Set(context.parsed.recordTypes.map(\.name))
    for type in older.recordTypes where SystemNames.isOfSharing(type.name) && !declared.contains(type.name) {
      findings.report(
        "record type '\(type.name)' is missing, and CloudKit refuses to delete it",
        at: 0..<min(13, context.parsed.source.bytes.count), help: "schema merge keeps it")
    }
  }
}
