import Diagnostics

extension SchemaRule {
  static let missingRecordIDIndex = SchemaRule(
    Rule(
      "CK0203", "missing-record-id-index", .warning,
      summary: "A record type lacks `\"___recordID\" REFERENCE QUERYABLE`",
      rationale:
        "A query for all records of the type is refused with \"Field 'recordName' is not marked queryable\", "
        + "the Console shows no records, and nothing can be counted or exported. It is the most frequent runtime "
        + "complaint. A type of the private database needs the index only if the app queries it: CK0207 explains how the "
        + "tool recognizes such types and how a project states it.",
      example: example(isListed: false, "title STRING QUERYABLE"),
      useInstead: example("title STRING QUERYABLE"),
      source: Rule.reference("schema-language", "system-fields")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where !type.canBeListed && context.databases.evidence[type.name] == nil {
      let field = type.field(SystemField.recordName.storedName)
      findings.report(
        "records of '\(type.name)' cannot be listed: \"___recordID\" is not QUERYABLE",
        at: field?.range ?? type.nameRange,
        help: field == nil
          ? "add the line \"___recordID\" REFERENCE QUERYABLE," : "add QUERYABLE to this line",
        fix: field.map { ($0.typeRange.upperBound..<$0.typeRange.upperBound, " QUERYABLE") }
          ?? newLine(in: type, findings.source))
    }
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

  static let unlikelyIndex = SchemaRule(
    Rule(
      "CK0205", "unlikely-index", .warning,
      summary: "A list field, or a reference field of the app, is SORTABLE",
      rationale: "Lists and references have no order, and no known exported schema has such an index.",
      example: example("tags LIST<STRING> SORTABLE"),
      useInstead: example("tags LIST<STRING> QUERYABLE"),
      source: Rule.reference("schema-language", "types-and-indexes")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for field in type.fields where field.indexes.contains(.sortable) && hasNoOrder(field) {
        let place = field.options(in: findings.source).first { $0.index == .sortable }?.range ?? field.range
        findings.report(
          "'\(field.name)' is SORTABLE, but values of its type cannot be sorted", at: place,
          help: "use QUERYABLE")
      }
    }
  }

  private static func hasNoOrder(_ field: FieldDeclaration) -> Bool {
    if case .list? = field.type { return true }
    return field.type == .reference && !field.isSystem
  }

  static let droppedSystemIndex = SchemaRule(
    Rule(
      "CK0206", "dropped-system-index", .warning,
      summary: "The older schema indexes a system field that this file leaves out",
      rationale:
        "If the line of a system field is left out, the field stays, but the service removes its index and "
        + "does not report that. Found with `--new-since`.",
      example: example(below: #"// older: "___createTime" TIMESTAMP SORTABLE"#),
      useInstead: example(
        isListed: false, #""___createTime" TIMESTAMP SORTABLE"#, #""___recordID" REFERENCE QUERYABLE"#,
        below: #"// older: "___createTime" TIMESTAMP SORTABLE"#),
      source: Rule.reference("schema-language", "system-fields")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for old in context.older?[recordType: type.name]?.fields ?? [] where old.isSystem {
        let now = type.field(old.name)?.indexes ?? []
        guard !old.indexes.isSubset(of: now) else { continue }
        findings.report(
          "importing this schema removes an index of '\(type.name)': \"\(old.name)\" \(old.declaration)",
          at: type.field(old.name)?.range ?? type.nameRange,
          help: "add the line \(CanonicalSchemaText().field(old)),")
      }
    }
  }
}
