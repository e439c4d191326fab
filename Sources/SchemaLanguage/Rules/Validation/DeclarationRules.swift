import Diagnostics

extension SchemaRule {
  static let duplicateRecordType = SchemaRule("CK0120", in: .declaration) { context, findings in
    for (type, first) in context.parsed.recordTypes.repeated(by: \.name) {
      findings.report(
        "record type '\(type.name)' is declared twice", at: type.nameRange,
        help: "merge the two declarations into one", notes: [("first declared here", first.nameRange)])
    }
  }

  static let duplicateField = SchemaRule(
    "CK0121", in: .declaration,
    eachRecordType: { type, findings in
      guard hasRepeatedName(type.fields) else { return }
      for (field, first) in type.fields.repeated(by: \.name) {
        findings.report(
          "field '\(field.name)' of '\(type.name)' is declared twice", at: field.nameRange,
          notes: [("first declared here", first.nameRange)])
      }
    })

  /// A fast check: exports list fields in byte order, and sorted names only need a comparison of neighbors.
  private static func hasRepeatedName(_ fields: [FieldDeclaration]) -> Bool {
    !fields.indices.dropFirst().allSatisfy { byteOrder(fields[$0 - 1].name, fields[$0].name) }
  }

  static let reservedName = SchemaRule(
    "CK0127", in: .declaration,
    eachRecordType: { type, findings in
      checkType(type, &findings)
      if !SystemNames.isManaged(type.name) { checkFields(of: type, &findings) }
    })

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
      } else if field.isQuoted, field.name.utf8.contains(UInt8(ascii: ".")) {
        findings.report("names with a dot are reserved for CloudKit", at: field.nameRange)
      }
    }
  }

  static let emptyRecordType = SchemaRule(
    "CK0128", in: .file,
    eachRecordType: { type, findings in
      guard type.fields.isEmpty, type.grants.isEmpty else { return }
      findings.report("record type '\(type.name)' is empty", at: type.nameRange)
    })
}
