internal import CloudKitModel
package import Diagnostics
package import SchemaLanguage

extension AggregateDeclaration {
  /// The problems that prevent this aggregate from being computed with a schema: unknown types and fields, fields of
  /// the wrong type, and missing indexes with the line that adds each. Empty if there are none.
  ///
  /// - Parameter place: where the aggregate was declared, for the findings to point at.
  package func check(against schema: Schema, at place: SourceRange? = nil) -> [Diagnostic] {
    var check = AggregateCheck(schema: schema, aggregate: name, place: place)
    check.source(source, operation)
    for target in targets { check.target(target, operation) }
    if !targets.contains(where: { !$0.isCopy }) {
      check.report(
        .unusableField,
        "has only targets that copy the result of another one; add a target that the sources name")
    }
    return check.findings
  }
}

/// Checks one declaration against a schema and collects the findings.
private struct AggregateCheck {
  let schema: Schema
  let aggregate: String
  let place: SourceRange?
  private(set) var findings: [Diagnostic] = []

  private static let names: Set<DataType> = [.string, .reference]
  private static let numbers: Set<DataType> = [.int64, .double]

  mutating func source(_ source: AggregateDeclaration.Source, _ operation: AggregateDeclaration.Operation) {
    guard let type = recordType(source.recordType) else { return }
    require(.queryable, on: SystemField.recordName.storedName, of: type)
    if field(source.groupField, of: type, in: Self.names) {
      require(.queryable, on: source.groupField, of: type)
    }
    for filter in source.filters {
      if case .user(let name) = filter.field, !field(name, of: type) { continue }
      require(.queryable, on: filter.field.storedName, of: type)
    }
    switch operation {
    case .count: break
    case .sum(let name): _ = field(name, of: type, in: Self.numbers)
    case .max(let name): _ = field(name, of: type, in: Self.numbers.union([.timestamp]))
    }
  }

  mutating func target(_ target: AggregateDeclaration.Target, _ operation: AggregateDeclaration.Operation) {
    guard let type = recordType(target.recordType) else { return }
    require(.queryable, on: SystemField.recordName.storedName, of: type)
    if let group = target.groupField { _ = field(group, of: type, in: Self.names) }
    let types: Set<DataType> =
      if case .max = operation { [.int64, .double, .timestamp] } else { Self.numbers }
    _ = field(target.field, of: type, in: types)
  }

  private mutating func recordType(_ name: String) -> RecordType? {
    if let type = schema[recordType: name] { return type }
    report(
      .unknownRecordType, "names the record type '\(name)', which the schema does not have",
      help: suggestion(for: name, among: schema.recordTypes.map(\.name)))
    return nil
  }

  private mutating func field(_ name: String, of type: RecordType, in allowed: Set<DataType>? = nil) -> Bool {
    guard let field = type[field: name] else {
      report(
        .unknownField, "names the field '\(name)', which \(type.name) does not have",
        help: suggestion(for: name, among: type.fields.map(\.name)))
      return false
    }
    if let allowed, !allowed.contains(field.type) {
      let wanted = allowed.map(\.description).sorted().joined(separator: " or ")
      report(.unusableField, "needs \(type.name).\(name) to be \(wanted), and it is \(field.type)")
      return false
    }
    return true
  }

  private mutating func require(_ index: Index, on name: String, of type: RecordType) {
    let field = type[field: name]
    if field?.indexes.contains(index) == true { return }
    let system = SystemField(storedName: name)
    guard let dataType = field?.type ?? system?.dataType else { return }
    let stored = system == nil ? name : "\"\(name)\""
    let indexes = (field?.indexes ?? []).union([index]).map(\.rawValue).sorted().joined(separator: " ")
    report(
      .missingIndex, "needs \(type.name).\(name) to be \(index.rawValue)",
      help: "in RECORD TYPE \(type.name) write: \(stored) \(dataType) \(indexes),")
  }

  private func suggestion(for name: String, among candidates: [String]) -> String? {
    SpellingSuggestion.nearest(to: name, among: candidates).map { "did you mean '\($0)'?" }
  }

  mutating func report(_ rule: AggregateRule, _ message: String, help: String? = nil) {
    findings.append(Diagnostic(rule, "aggregate '\(aggregate)' \(message)", at: place, help: help))
  }
}
