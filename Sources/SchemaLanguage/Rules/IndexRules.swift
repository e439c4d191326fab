import Diagnostics

extension SchemaRule {
  static let missingRecordIDIndex = SchemaRule("CK0203", ofPublicTypesIn: .lint) { type, findings in
    guard !type.canBeListed, findings.context.databases.evidence[type.name] == nil else { return }
    let field = type.field(SystemField.recordName.storedName)
    findings.report(
      "records of '\(type.name)' cannot be listed: \"___recordID\" is not QUERYABLE",
      at: field?.range ?? type.nameRange,
      help: field == nil
        ? "add the line \"___recordID\" REFERENCE QUERYABLE," : "add QUERYABLE to this line",
      // None where CK0307 is open: the type is likely private.
      fix: type.hasEncryptedField
        ? nil
        : field.map { ($0.typeRange.upperBound..<$0.typeRange.upperBound, " QUERYABLE") }
          ?? newLine(in: type, findings.source))
  }

  /// A line above the first member, with its indentation, and above the member's comments where it is certain that none
  /// is broken.
  private static func newLine(
    in type: RecordTypeDeclaration, _ source: SourceText
  ) -> (range: Range<Int>, text: String)? {
    let members = type.fields.map(\.range) + type.grants.map(\.range)
    guard let first = members.map(\.lowerBound).min() else { return nil }
    let line = "\"___recordID\" REFERENCE QUERYABLE,"
    let indentation = source.text(in: source.lineStart(source.lineNumber(at: first))..<first)
    guard indentation.allSatisfy({ $0 == " " || $0 == "\t" }) else { return (first..<first, "\(line) ") }
    let lineEnd = source.endsLinesWithCRLF ? "\r\n" : "\n"
    let between = type.nameRange.upperBound..<first
    let end = source.bytes[between].firstIndex(where: \.endsLine) ?? first
    let opening = source.text(in: between.lowerBound..<end).filter { $0 != " " && $0 != "\t" }
    return opening == "("
      ? (end..<end, "\(lineEnd)\(indentation)\(line)") : (first..<first, "\(line)\(lineEnd)\(indentation)")
  }

  static let unlikelyIndex = SchemaRule("CK0205", ofTypesIn: .lint) { type, findings in
    for field in type.fields where field.indexes.contains(.sortable) && hasNoOrder(field) {
      let place = field.options(in: findings.source).first { $0.index == .sortable }?.range ?? field.range
      findings.report(
        "'\(field.name)' is SORTABLE, but values of its type cannot be sorted", at: place,
        help: "use QUERYABLE")
    }
  }

  private static func hasNoOrder(_ field: FieldDeclaration) -> Bool {
    guard let type = field.type, !field.isSystem else { return false }
    return !type.hasOrder && type.possibleIndexes.contains(.sortable)
  }

  static let droppedSystemIndex = SchemaRule("CK0206", in: .lint) { context, findings in
    for type in context.parsed.recordTypes {
      for old in context.older?[recordType: type.name]?.fields ?? [] where old.isSystem {
        let now = type.field(old.name)?.indexes ?? []
        guard !old.indexes.isSubset(of: now) else { continue }
        findings.report(
          "importing this schema removes an index of '\(type.name)': \"\(old.name)\" \(old.declaration)",
          at: type.field(old.name)?.range ?? type.nameRange,
          help: "add the line \(old.text()),")
      }
    }
  }
}
