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

  /// The only line of an empty type; else one above the first member, with its indentation, and above the member's
  /// comments where it is certain that none is broken.
  private static func newLine(
    in type: RecordTypeDeclaration, _ source: SourceText
  ) -> (range: Range<Int>, text: String) {
    let members = type.fields.map(\.range) + type.grants.map(\.range)
    let column = "\"___recordID\" REFERENCE QUERYABLE"
    let lineEnd = source.endsLinesWithCRLF ? "\r\n" : "\n"
    guard let first = members.map(\.lowerBound).min() else {
      let start = type.opening.upperBound
      return (start..<start, "\(lineEnd)        \(column)")
    }
    let line = "\(column),"
    let indentation = source.text(in: source.lineStart(source.lineNumber(at: first))..<first)
    guard indentation.allSatisfy({ $0 == " " || $0 == "\t" }) else { return (first..<first, "\(line) ") }
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

  static let ofQueries = AppQueryProblem.Kind.allCases.map { kind in
    SchemaRule(kind.code, in: .lint) { context, findings in context.report(kind, &findings) }
  }
}

extension RuleContext {
  /// Reports the problems of one kind that the queries about the schema have.
  fileprivate func report(_ kind: AppQueryProblem.Kind, _ findings: inout RuleFindings) {
    for (query, problems) in queryProblems {
      let type = parsed.recordTypes.first { $0.name == query.recordType }
      let isMissing = type == nil && query.schema == nil && query.recordType != SystemNames.users
      let gap = isMissing ? otherSchemasGap : ""
      for problem in problems where problem.kind == kind {
        let field = type?.field(problem.field ?? "")
        var fix: (range: Range<Int>, text: String)?
        if let field, let line = problem.line {
          // The name, and the column of the type, stay.
          fix = (
            field.typeRange.lowerBound..<field.range.upperBound, String(line.drop { $0 != " " }.dropFirst())
          )
        }
        findings.report(
          query.subject + problem.message + gap, in: problem.place, help: problem.help, fix: fix,
          notes: (field?.range ?? type?.nameRange).map { [("declared here", $0)] } ?? [])
      }
    }
  }
}

extension LintOptions {
  /// The queries about a schema: those that name its file, and of those that name none the ones whose record type it
  /// has, or no other schema of the project has. A schema in no file has the queries of each file with one of its types.
  ///
  /// - Parameter name: the name of the schema's file.
  /// - Returns: also why another schema may have a type that is missing.
  func queries(about parsed: ParsedSchema, named name: String) -> (queries: [AppQuery], gap: String?) {
    let all = queries?.queries ?? []
    let types = Set(parsed.recordTypes.map(\.name))
    let hasType = { (query: AppQuery) in types.contains(query.recordType) }
    let file = place(name)
    let paths = Set((file == nil ? all.filter(hasType) : all).compactMap(\.schemaPath))
    let own = file == nil ? paths : paths.filter { place($0) == file }
    let isIncomplete = all.contains { $0.schema == nil && !hasType($0) }
    let others: OtherTypes = isIncomplete ? elsewhere() : ([], nil)
    let found = all.filter { query in
      if let path = query.schemaPath { return own.contains(path) }
      return hasType(query) || !others.names.contains(query.recordType)
    }
    return (found, others.gap)
  }
}
