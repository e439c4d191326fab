internal import Diagnostics
package import SchemaLanguage

/// An index that a query needs and its record type does not declare.
package struct MissingIndex: Sendable, Hashable {
  package var recordType: String
  /// The field's stored name: `___recordID` for the record name.
  package var field: String
  package var index: Index
  /// The field's line as the `.ckdb` file should have it, indexes it has already included.
  package var line: String
}

/// Which index a range comparator needs. The service's documentation and its refusals disagree
/// (Documentation/reference/web-services.md#comparators-and-indexes, unknown).
package enum RangeIndexRule: String, Sendable, CaseIterable {
  case queryable
  case queryableOrSortable
}

/// A reason why the service would refuse a query.
package enum QueryProblem: Sendable, Hashable {
  case unknownRecordType(String)
  case unknownField(String, recordType: String)
  case missingIndex(MissingIndex)
  /// A sort that lacks an index which values of the field's type do not have.
  case noOrder(MissingIndex, fieldType: String)
  /// The field's type cannot be compared in this way at all.
  case comparator(Comparator, field: String, fieldType: String)
  case valueType(String, field: String, fieldType: String)
  case listExpected(field: String)
  /// `Users` can be looked up by name only.
  case usersType
}

extension Query {
  /// Every reason to refuse this query under a schema, in the order the service would meet them: filters first, then
  /// sorts. A query without filters needs `___recordID` QUERYABLE.
  package func problems(in schema: Schema, ranges: RangeIndexRule = .queryableOrSortable) -> [QueryProblem] {
    guard recordType != SystemNames.users else { return [.usersType] }
    guard let type = schema[recordType: recordType] else { return [.unknownRecordType(recordType)] }
    var problems: [QueryProblem] = []
    if filters.isEmpty { problems += type.lacks(.system(.recordName), NeededIndexes.ofQueryForAll) }
    for filter in filters { problems += filter.problems(in: type, ranges: ranges) }
    for sort in sorts {
      problems += type.declares(sort.field) ? type.lacks(sort.field) : [type.unknown(sort.field)]
    }
    return problems
  }

  /// The indexes to add to a schema before this query is accepted.
  package func missingIndexes(in schema: Schema, ranges: RangeIndexRule = .queryableOrSortable)
    -> [MissingIndex]
  {
    problems(in: schema, ranges: ranges).compactMap { problem -> MissingIndex? in
      if case .missingIndex(let missing) = problem { missing } else { nil }
    }.unique
  }
}

extension Filter {
  /// The filter of a file, where times, record names and bytes are text, with a value of its field's type. A value that the
  /// field cannot have stays, and ``Query/problems(in:ranges:)`` names it.
  ///
  /// - Parameter now: what `-30d` counts from.
  package func typed(by type: RecordType, now: Timestamp) -> Filter {
    guard type.declares(field) else { return self }
    let element = FieldType(type.dataType(of: field)).element
    let isText = (value.elements ?? [value]).contains { $0.type == .scalar(.string) }
    var filter = self
    if !isText || [.string, .timestamp, .reference, .bytes].contains(element),
      let typed = try? FieldNotation.filterValue(value.plainJSON, comparator, as: element, now: now)
    {
      filter.value = typed
    }
    return filter
  }

  fileprivate func problems(in type: RecordType, ranges: RangeIndexRule) -> [QueryProblem] {
    guard type.declares(field) else { return [type.unknown(field)] }
    let declared = type.dataType(of: field)
    let fieldType = FieldType(declared)
    guard comparator.applies(to: declared) else {
      return [.comparator(comparator, field: field.storedName, fieldType: declared.wireName)]
    }
    let needed = comparator.neededIndexes
    return valueProblems(fieldType)
      + type.lacks(field, ranges == .queryable ? Array(needed.prefix(1)) : needed)
  }

  private func valueProblems(_ fieldType: FieldType) -> [QueryProblem] {
    let expected: FieldType = comparator.takesList ? .list(fieldType.element) : .scalar(fieldType.element)
    if value.type == expected { return [] }
    if comparator.takesList {
      guard let elements = value.elements else { return [.listExpected(field: field.storedName)] }
      if elements.isEmpty { return [] }
    }
    return [.valueType(value.type.wireName, field: field.storedName, fieldType: fieldType.wireName)]
  }
}

extension RecordType {
  fileprivate func declares(_ field: FieldName) -> Bool {
    if case .user(let name) = field { self[field: name] != nil } else { true }
  }

  fileprivate func unknown(_ field: FieldName) -> QueryProblem {
    .unknownField(field.storedName, recordType: name)
  }

  package func dataType(of field: FieldName) -> DataType {
    switch field {
    case .system(let system): system.dataType
    case .user(let name): self[field: name]?.type ?? .string
    }
  }

  /// - Parameter accepted: any one of these serves; the first is what to ask for.
  fileprivate func lacks(_ field: FieldName, _ accepted: [Index]) -> [QueryProblem] {
    let stored = field.storedName
    let declared = self[field: stored]?.indexes ?? []
    guard declared.isDisjoint(with: EnumSet(accepted)), let wanted = accepted.first else { return [] }
    let line = self.line(of: stored, adding: [wanted])
    return [.missingIndex(MissingIndex(recordType: name, field: stored, index: wanted, line: line))]
  }

  fileprivate func lacks(_ field: FieldName) -> [QueryProblem] {
    lacks(field, NeededIndexes.ofSort).map { problem in
      guard case .missingIndex(let missing) = problem, case .user = field, !dataType(of: field).hasOrder
      else { return problem }
      return .noOrder(missing, fieldType: dataType(of: field).wireName)
    }
  }
}

extension DataType {
  /// As refusals name it: `STRING`, `ENCRYPTED_STRING`, `STRING_LIST`.
  package var wireName: String {
    (isEncrypted ? "ENCRYPTED_" : "") + FieldType(self).wireName
  }
}

extension QueryProblem {
  /// The service's refusal (Documentation/reference/web-services.md#query-refusals), always of the whole query.
  package var serverError: ServerError {
    if case .unknownRecordType = self { return ServerError(.notFound, reason, explanation) }
    return ServerError(.badRequest, reason, explanation)
  }

  private var reason: String {
    switch self {
    case .unknownRecordType(let type): "could not find record_type with name '\(type)'"
    case .unknownField(let field, let type): "Did not find field: '\(field)' in type: '\(type)'"
    case .missingIndex(let missing), .noOrder(let missing, _): missing.reason
    case .comparator(let comparator, let field, let type):
      "Field '\(field)' has a value type of \(type) and cannot be queried using filter type \(comparator.rawValue)"
    case .valueType(let value, let field, let type):
      "Field '\(field)' has a value type of \(type) and cannot be queried using filter value type \(value)"
    case .listExpected: "BadRequestException: Unexpected input"
    case .usersType: "Type is not marked indexable: Users"
    }
  }

  package var explanation: String {
    switch self {
    case .missingIndex(let missing):
      "\(missing.recordType) needs the line `\(missing.line)` in the schema"
    case .noOrder(let missing, let type):
      "\(missing.field) is \(Self.withArticle(type)), whose values have no order: \(DataType.adviceWithoutOrder)"
    case .unknownRecordType(let type): "the schema has no record type \(type)"
    case .unknownField(let field, let type): "record type \(type) has no field \(field)"
    case .comparator(let comparator, let field, let type):
      "\(comparator.rawValue) does not work on \(field), \(Self.withArticle(type))"
    case .valueType(let value, let field, let type):
      "\(field) is \(Self.withArticle(type)), the filter's value \(Self.withArticle(value))"
    case .listExpected(let field): "the filter on \(field) needs a list as its value"
    case .usersType: "Users can be looked up by record name, never queried"
    }
  }

  /// `an INT64`, `a STRING`
  private static func withArticle(_ type: String) -> String {
    "\("AEIOU".contains(type.prefix(1)) ? "an" : "a") \(type)"
  }
}

extension MissingIndex {
  /// As the service words it; the record name is called by its public name.
  package var reason: String {
    let name = SystemField(storedName: field) == .recordName ? "recordName" : field
    return "Field '\(name)' is not marked \(index.rawValue.lowercased())"
  }
}
