internal import CloudKitModel
package import Diagnostics
package import SchemaLanguage

extension AggregateDeclaration {
  /// The problems that prevent this aggregate from being computed with a schema: unknown types and fields, fields of
  /// the wrong type, and missing indexes with the line that adds each. Empty if there are none.
  ///
  /// - Parameter place: where the aggregate was declared, for the findings to point at.
  package func check(against schema: Schema, at place: SourceRange? = nil) -> [Diagnostic] {
    var check = SchemaUseCheck<AggregateRule>(schema: schema, subject: "aggregate '\(name)'", place: place)
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

extension AggregateRule: SchemaUseRuleCode {}

extension SchemaUseCheck<AggregateRule> {
  private static var names: Set<DataType> { [.string, .reference] }
  private static var numbers: Set<DataType> { [.int64, .double] }

  fileprivate mutating func source(
    _ source: AggregateDeclaration.Source, _ operation: AggregateDeclaration.Operation
  ) {
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

  fileprivate mutating func target(
    _ target: AggregateDeclaration.Target, _ operation: AggregateDeclaration.Operation
  ) {
    guard let type = recordType(target.recordType) else { return }
    require(.queryable, on: SystemField.recordName.storedName, of: type)
    if let group = target.groupField { _ = field(group, of: type, in: Self.names) }
    let types: Set<DataType> =
      if case .max = operation { [.int64, .double, .timestamp] } else { Self.numbers }
    _ = field(target.field, of: type, in: types)
  }
}
