import Diagnostics

extension SchemaRule {
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
