import Diagnostics

extension SchemaRule {
  static let undecidedNumber = SchemaRule("CK0401", ofTypesIn: .lint) { type, findings in
    for field in type.fields {
      guard let declared = field.type, case .number(preferred: nil) = declared.primitive else { continue }
      findings.report(
        "the field '\(field.name)' is a NUMBER without a preferred type", at: field.typeRange,
        help: "write INT64 or DOUBLE; for a field that exists, NUMBER PREFERRED AS one of them")
    }
  }

  static let namesDifferInCase = SchemaRule(
    "CK0402", ofTypesIn: .lint,
    after: { context, findings in
      compare(context.parsed.recordTypes, \.name, \.nameRange, "record type", &findings)
      compare(context.parsed.roles, \.name, \.nameRange, "role", &findings)
    }, check: { type, findings in compare(type.fields, \.name, \.nameRange, "field", &findings) })

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

  static let unusedRole = SchemaRule("CK0403", in: .lint) { context, findings in
    let granted = Set(context.parsed.recordTypes.flatMap { $0.grants.map(\.grant.role) })
    for role in context.parsed.roles where !granted.contains(role.name) {
      findings.report("the role '\(role.name)' is not used in any grant", at: role.nameRange)
    }
  }

  static let droppedManagedType = SchemaRule("CK0404", in: .lint) { context, findings in
    guard let older = context.older else { return }
    let declared = Set(context.parsed.recordTypes.map(\.name))
    for type in older.recordTypes where SystemNames.isOfSharing(type.name) && !declared.contains(type.name) {
      findings.report(
        "record type '\(type.name)' is missing, and CloudKit refuses to delete it",
        at: 0..<min(13, context.parsed.source.bytes.count),
        help: "schema apply adds it; for other tools, schema merge keeps it")
    }
  }

  static let missingDescription = SchemaRule("CK0405", in: .lint) { context, findings in
    for (place, type) in context.parsed.recordTypes.enumerated() where !SystemNames.isManaged(type.name) {
      guard let comments = context.comments, comments.words(.opening(place)).isEmpty else {
        continue
      }
      findings.report(
        "no comment describes the record type '\(type.name)'", at: type.nameRange,
        help: "write a comment above it: what one record is")
    }
  }
}
