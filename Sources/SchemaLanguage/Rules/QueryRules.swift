import Diagnostics

extension SchemaRule {
  static let ofQueries = AppQueryProblem.Kind.allCases.map { kind in
    SchemaRule(kind.code, in: .lint) { context, findings in context.report(kind, &findings) }
  }
}

extension RuleContext {
  func type(_ name: String) -> RecordTypeDeclaration? { parsed.recordTypes.first { $0.name == name } }

  /// Reports the problems of one kind that the app's queries have, but for queries of another schema.
  fileprivate func report(_ kind: AppQueryProblem.Kind, _ findings: inout RuleFindings) {
    for (query, problems) in queryProblems {
      let type = type(query.recordType)
      guard type != nil || query.schema.map(parsed.isOf(schemaFile:)) ?? true else { continue }
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
          query.subject + problem.message, in: problem.place, help: problem.help, fix: fix,
          notes: (field?.range ?? type?.nameRange).map { [("declared here", $0)] } ?? [])
      }
    }
  }
}

extension RecordTypeDeclaration {
  /// The indexes of a field; `nil` if it does not exist. System fields always exist.
  package func indexes(of field: String) -> EnumSet<Index>? {
    self.field(field)?.indexes ?? (SystemField(storedName: field) == nil ? nil : [])
  }

  /// The field's line with indexes added, as an export would print it.
  package func line(of field: String, adding indexes: EnumSet<Index>) -> String {
    let known = self.field(field)?.field ?? Field(field, SystemField(storedName: field)?.dataType ?? .string)
    return Field(known.name, known.type, known.indexes.union(indexes)).text()
  }
}

extension QueryManifest {
  func recordTypes(in parsed: ParsedSchema) -> Set<String> {
    Set(queries.lazy.filter { $0.schema.map(parsed.isOf(schemaFile:)) ?? true }.map(\.recordType))
  }
}

extension ParsedSchema {
  /// Whether the schema is the file of this name, as far as its own name says.
  fileprivate func isOf(schemaFile name: String) -> Bool {
    let own = source.name.split(separator: "/").last ?? ""
    return !own.hasSuffix(".ckdb") || own == name.split(separator: "/").last ?? ""
  }
}
