import Diagnostics

extension SchemaRule {
  static let impossibleOption = SchemaRule("CK0124", ofTypesIn: .declaration) { type, findings in
    for field in type.fields {
      guard let declared = field.type else { continue }
      let possible = declared.possibleIndexes
      guard !field.indexes.isSubset(of: possible) else { continue }
      for option in field.options(in: findings.source) where !possible.contains(option.index) {
        findings.report(
          "'\(field.name)' cannot be \(option.index.rawValue): \(reason(declared))", at: option.range,
          fix: (option.range, ""))
      }
    }
  }

  private static func reason(_ type: DataType) -> String {
    switch type.primitive {
    case .encrypted: "an encrypted field cannot be indexed"
    case .asset: "an asset cannot be indexed"
    default: "only STRING and LIST<STRING> contain words"
    }
  }

  static let repeatedOption = SchemaRule("CK0125", ofTypesIn: .declaration) { type, findings in
    for field in type.fields where field.repeatsOption {
      var seen: EnumSet<Index> = []
      for option in field.options(in: findings.source) where !seen.insert(option.index).inserted {
        findings.report(
          "'\(field.name)' is already \(option.index.rawValue)", at: option.range, fix: (option.range, ""))
        break
      }
    }
  }

  static let systemFieldType = SchemaRule("CK0126", ofTypesIn: .declaration) { type, findings in
    for field in type.fields where field.name.utf8.first == UInt8(ascii: "_") {
      guard let declared = field.type, let own = SystemField(storedName: field.name)?.dataType,
        own != declared
      else { continue }
      findings.report(
        "the system field '\(field.name)' has the type \(own), not \(declared)", at: field.typeRange,
        help: "the types of system fields cannot be changed", fix: (field.typeRange, own.description))
    }
  }
}

extension DataType {
  /// The indexes that a field of the type may have
  /// (Documentation/reference/schema-language.md#types-and-indexes).
  package var possibleIndexes: EnumSet<Index> {
    switch primitive {
    case .encrypted, .asset: []
    case .plain(.string): [.queryable, .searchable, .sortable]
    default: [.queryable, .sortable]
    }
  }

  /// Whether values of an app's field of the type have an order; those of system fields have one.
  package var hasOrder: Bool {
    if case .list = self { return false }
    return self != .reference && possibleIndexes.contains(.sortable)
  }

  /// What to do instead of a sort by values without an order.
  package static let adviceWithoutOrder = "sort by another field, or in the app"
}

extension SchemaRule {
  static let duplicateRecordType = SchemaRule("CK0120", in: .declaration) { context, findings in
    for (type, first) in context.parsed.recordTypes.repeated(by: \.name) {
      findings.report(
        "record type '\(type.name)' is declared twice", at: type.nameRange,
        help: "merge the two declarations into one", notes: [("first declared here", first.nameRange)])
    }
  }

  static let duplicateField = SchemaRule("CK0121", ofTypesIn: .declaration) { type, findings in
    guard hasRepeatedName(type.fields) else { return }
    for (field, first) in type.fields.repeated(by: \.name) {
      findings.report(
        "field '\(field.name)' of '\(type.name)' is declared twice", at: field.nameRange,
        notes: [("first declared here", first.nameRange)])
    }
  }

  /// A fast check: exports list fields in byte order, and sorted names only need a comparison of neighbors.
  private static func hasRepeatedName(_ fields: [FieldDeclaration]) -> Bool {
    !fields.indices.dropFirst().allSatisfy { fields[$0 - 1].name < fields[$0].name }
  }

  static let reservedName = SchemaRule("CK0127", ofTypesIn: .declaration) { type, findings in
    checkType(type, &findings)
    if !SystemNames.isOfSharing(type.name) { checkFields(of: type, &findings) }
  }

  private static func checkType(_ type: RecordTypeDeclaration, _ findings: inout RuleFindings) {
    if type.name.utf8.first == UInt8(ascii: "_") {
      findings.report("a record type's name cannot begin with '_'", at: type.nameRange)
    } else if type.name.utf8.contains(UInt8(ascii: ".")), !SystemNames.isManaged(type.name) {
      findings.report("names with a dot are reserved for CloudKit", at: type.nameRange)
    }
  }

  private static func checkFields(of type: RecordTypeDeclaration, _ findings: inout RuleFindings) {
    for field in type.fields {
      if field.name.utf8.first == UInt8(ascii: "_") {
        guard !field.isSystem else { continue }
        let near = SystemField.nearest(to: field.name)?.storedName
        findings.report(
          "there is no system field '\(field.name)', and other names cannot begin with '_'",
          at: field.nameRange, help: near.map { "did you mean \"\($0)\"?" },
          fix: near.map { (field.nameRange, "\"\($0)\"") })
      } else if field.name.utf8.contains(UInt8(ascii: ".")) {
        findings.report("names with a dot are reserved for CloudKit", at: field.nameRange)
      }
    }
  }

  static let emptyRecordType = SchemaRule("CK0128", ofTypesIn: .file) { type, findings in
    guard type.fields.isEmpty, type.grants.isEmpty else { return }
    findings.report("record type '\(type.name)' is empty", at: type.nameRange)
  }

  static let duplicateRole = SchemaRule("CK0122", in: .declaration) { context, findings in
    for (role, first) in context.parsed.roles.repeated(by: \.name) {
      findings.report(
        "role '\(role.name)' is created twice", at: role.nameRange,
        notes: [("first created here", first.nameRange)])
    }
  }

  static let undeclaredRole = SchemaRule("CK0123", in: .statements) { context, findings in
    let known = SystemNames.roles.union(context.parsed.roles.map(\.name)).union(
      context.otherRoles.map(\.name))
    for type in context.parsed.recordTypes {
      // An empty name is an error of the syntax already.
      for grant in type.grants where !known.contains(grant.grant.role) && !grant.grant.role.isEmpty {
        let near = SpellingSuggestion.nearest(to: grant.grant.role, among: known.sorted())
        findings.report(
          "there is no role '\(grant.grant.role)'", at: grant.roleRange,
          help: near.map { "did you mean \(Schema.spelled($0))?" }
            ?? (grant.grant.role.hasPrefix("_")
              ? #"the roles of the system are "_world", "_icloud" and "_creator""#
              : "create it first: \(Role(grant.grant.role).text)"),
          fix: near.map { (grant.roleRange, Schema.spelled($0)) })
      }
    }
  }

  static let systemRole = SchemaRule("CK0130", in: .declaration) { context, findings in
    for role in context.parsed.roles where role.name.utf8.first == UInt8(ascii: "_") {
      let exists = SystemNames.roles.contains(role.name)
      findings.report(
        exists
          ? "the role '\(role.name)' always exists and cannot be created"
          : "a role's name cannot begin with '_'",
        at: role.nameRange)
    }
  }

  static let repeatedGrant = SchemaRule("CK0129", ofTypesIn: .declaration) { type, findings in
    guard type.grants.count > 1 else { return }
    var granted: [String: EnumSet<Privilege>] = [:]
    for declaration in type.grants {
      let (role, privileges) = (declaration.grant.role, declaration.grant.privileges)
      if let again = granted[role]?.intersection(privileges).first(where: { _ in true }) {
        findings.report("\(again.rawValue) is already granted to '\(role)'", at: declaration.range)
      }
      granted[role, default: []].formUnion(privileges)
    }
  }
}
