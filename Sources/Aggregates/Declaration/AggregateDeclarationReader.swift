internal import CloudKitModel
package import Diagnostics
package import SchemaLanguage

extension AggregateRule: DeclarationRuleCode {}

/// Reads declarations from the JSON of `aggregates.json`, and collects the findings in it.
extension DeclarationReader<AggregateRule> {
  func declaration(_ node: JSONNode) -> AggregateDeclaration? {
    keys(of: node, allowed: ["name", "source", "operation", "targets", "maxDrop"])
    let name = string("name", of: node)
    let origin = required("source", of: node).flatMap(self.source)
    let operation = node["operation"].map(self.operation) ?? .count
    let targets = required("targets", of: node).flatMap(self.targets)
    let maxDrop = node["maxDrop"].map(percentage) ?? AggregateDeclaration.usualMaxDrop
    guard let name, let origin, let operation, let targets, let maxDrop else { return nil }
    return AggregateDeclaration(
      name: name, source: origin, operation: operation, targets: targets, maxDrop: maxDrop)
  }

  private func percentage(_ node: JSONNode) -> Double? {
    if let value = node.value.number, (0...100).contains(value) { return value }
    report(.wrongType, "a percentage must be a number from 0 to 100", at: node)
    return nil
  }

  private func source(_ node: JSONNode) -> AggregateDeclaration.Source? {
    keys(of: node, allowed: ["recordType", "groupField", "filters", "recordNames"])
    let type = string("recordType", of: node)
    let group = string("groupField", of: node)
    let filters = node["filters"].map { list($0).compactMap(filter) } ?? []
    let rule = node["recordNames"].flatMap { word($0, RecordNameRule.allCases) }
    guard let type, let group else { return nil }
    return .init(recordType: type, groupField: group, filters: filters, recordNames: rule)
  }

  /// All targets; `nil` if one cannot be read, because the others do not say what the aggregate writes.
  private func targets(_ node: JSONNode) -> [AggregateDeclaration.Target]? {
    let read = list(node).compactMap(target)
    return node.elements?.count == read.count ? read : nil
  }

  private func target(_ node: JSONNode) -> AggregateDeclaration.Target? {
    keys(of: node, allowed: ["recordType", "field", "groupField", "copy"])
    let type = string("recordType", of: node)
    let field = string("field", of: node)
    let group = node["groupField"].flatMap(text)
    let copy = node["copy"].flatMap(flag) ?? false
    guard let type, let field else { return nil }
    return .init(recordType: type, field: field, groupField: group, isCopy: copy)
  }

  private func operation(_ node: JSONNode) -> AggregateDeclaration.Operation? {
    if node.string == "count" { return .count }
    if let member = node.members?.first, node.members?.count == 1 {
      switch member.key {
      case "sum": return text(member.value).map(AggregateDeclaration.Operation.sum)
      case "max": return text(member.value).map(AggregateDeclaration.Operation.max)
      default: break
      }
    }
    report(
      .unknownWord, "unknown operation", at: node,
      help: "write \"count\", {\"sum\": \"field\"} or {\"max\": \"field\"}")
    return nil
  }

  private func filter(_ node: JSONNode) -> Filter? {
    keys(of: node, allowed: ["field", "comparator", "value"])
    let field = string("field", of: node)
    let comparator =
      node["comparator"].map { node in
        node.string.flatMap { Comparator(symbolOrName: $0) } ?? word(node, Comparator.allCases)
      } ?? .equals
    let value = required("value", of: node).flatMap(value)
    guard let field, let comparator, let value else { return nil }
    return Filter(FieldName(field), comparator, value)
  }

  private func value(_ node: JSONNode) -> FieldValue? {
    switch node.content {
    case .scalar(.integer(let value)): return .int64(value)
    case .scalar(.double(let value)): return .double(value)
    case .scalar(.string(let value)): return .string(value)
    case .scalar(.bool(let value)): return .flag(value)
    case .array(let elements):
      let values = elements.compactMap(value)
      if let type = values.first?.type.element, values.allSatisfy({ $0.type == .scalar(type) }) {
        return .list(of: type, values)
      }
    case .scalar, .object: break
    }
    report(.wrongType, "expected a number, a string, true, false, or a list of one kind", at: node)
    return nil
  }

  // MARK: Quality

  func quality(_ node: JSONNode) -> QualityProfile? {
    keys(of: node, allowed: ["profile", "weights"])
    let name = node["profile"].map { word($0, QualityProfile.Name.allCases) } ?? .signals
    guard let name else { return nil }
    var profile = QualityProfile(name)
    for member in node["weights"]?.members ?? [] {
      guard let part = QualityPart.Name(rawValue: member.key), profile.weights[part] != nil else {
        let known = profile.weights.keys.map(\.rawValue)
        unknown(member, "part of the profile '\(name.rawValue)'", among: known)
        continue
      }
      guard let weight = member.value.value.number, (0...1_000_000).contains(weight) else {
        report(.wrongType, "a weight must be a number from 0 to 1000000", at: member.value)
        continue
      }
      profile.weights[part] = weight
    }
    if profile.weights.values.reduce(0, +) <= 0 {
      report(.wrongType, "the weights add up to 0; at least one must be above 0", at: node)
    }
    return profile
  }

  private func word<Word: RawRepresentable<String>>(_ node: JSONNode, _ words: [Word]) -> Word? {
    guard let text = text(node) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let known = words.map(\.rawValue)
    let help = SpellingSuggestion.help(text, among: known, quote: "'")
    report(.unknownWord, "'\(text)' is not one of \(known.joined(separator: ", "))", at: node, help: help)
    return nil
  }
}

/// The codes of findings in aggregates. AG01xx: the file that declares them. AG02xx: the file and the schema together.
/// AG03xx: what `recount audit` finds in subscriptions.
package enum AggregateRule: String, RuleCode {
  case invalidJSON = "AG0101"
  case unknownKey = "AG0102"
  case missing = "AG0103"
  case wrongType = "AG0104"
  case unknownWord = "AG0105"
  case duplicate = "AG0106"
  case reservedName = "AG0107"
  case unknownRecordType = "AG0201"
  case unknownField = "AG0202"
  case unusableField = "AG0203"
  case missingIndex = "AG0204"
  case madeUp = "AG0301"
  case newAccounts = "AG0302"
  case burst = "AG0303"
  case jump = "AG0304"
  case creatorsOverLimit = "AG0305"

  package static let page = RulePage(.aggregate, PackageResources.AggregateRules_md)
}

extension AggregateDeclaration {
  /// The problems that prevent this aggregate from being computed with a schema: unknown types and fields, fields of
  /// the wrong type, and missing indexes with the line that adds each. Empty if there are none.
  package func check(against schema: Schema, at place: SourceRange? = nil) -> [Diagnostic] {
    var check = SchemaUseCheck<AggregateRule>(schema: schema, subject: "aggregate '\(name)'", place: place)
    check.source(typed(by: schema, now: Timestamp(milliseconds: 0)).source, operation)
    for target in targets { check.target(target, of: source, operation) }
    if !targets.contains(where: { !$0.isCopy }) {
      check.report(
        .unusableField,
        targets.isEmpty ? "has no target" : "has only targets that copy the result of another one",
        help: "add a target that the sources name")
    }
    return check.findings
  }
}

extension AggregateRule: SchemaUseRuleCode {}

extension SchemaUseCheck<AggregateRule> {
  private static var names: Set<DataType> { [.string, .reference] }
  private static var numbers: Set<DataType> { [.int64, .double] }
  private static var ordered: Set<DataType> { [.int64, .double, .timestamp] }

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
      for problem in Query(type.name, filters: [filter]).problems(in: schema) {
        let refusal = "has a filter that the service refuses: \(problem.explanation)"
        switch problem {
        case .comparator: report(.unusableField, refusal, help: "use another comparator, or another field")
        case .listExpected: report(.unusableField, refusal, help: "write the value as a list: [1, 2]")
        case .valueType:
          let element = FieldType(type.dataType(of: filter.field)).element
          report(.unusableField, refusal, help: element.filterValueAdvice)
        default: break
        }
      }
    }
    switch operation {
    case .count: break
    case .sum(let name): _ = field(name, of: type, in: Self.numbers)
    case .max(let name): _ = field(name, of: type, in: Self.ordered)
    }
  }

  fileprivate mutating func target(
    _ target: AggregateDeclaration.Target, of source: AggregateDeclaration.Source,
    _ operation: AggregateDeclaration.Operation
  ) {
    guard let type = recordType(target.recordType) else { return }
    require(.queryable, on: SystemField.recordName.storedName, of: type)
    if let group = target.groupField { _ = field(group, of: type, in: Self.names) }
    _ = field(target.field, of: type, in: results(of: source, operation))
  }

  /// The types that can hold the result; of a maximum whose field has none of its types, all that a maximum can have.
  private func results(
    of source: AggregateDeclaration.Source, _ operation: AggregateDeclaration.Operation
  ) -> Set<DataType> {
    guard case .max(let name) = operation else { return Self.numbers }
    guard let type = schema[recordType: source.recordType]?[field: name]?.type, Self.ordered.contains(type)
    else { return Self.ordered }
    return type == .timestamp ? [.timestamp] : Self.numbers
  }
}

extension ScalarType {
  /// How `aggregates.json` has a value of the type in a filter.
  fileprivate var filterValueAdvice: String {
    switch self {
    case .string: "write a text"
    case .int64: "write a whole number, true or false"
    case .double: "write a number"
    case .timestamp:
      "write a time as \"2026-01-31\", \"2026-01-31T12:00:00Z\" or \"-30d\", or in milliseconds since 1970"
    case .reference: "write the name of a record"
    case .bytes: "write the bytes in Base64"
    case .location, .asset: "filter by another field: an aggregate compares no \(rawValue)"
    }
  }
}
