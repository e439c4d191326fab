internal import CloudKitModel

/// `field OP value`, as `records query --filter` and cktool's `--filters` take it.
///
/// The value's type is the field's own where the schema is at hand; else it is guessed as Apple's tool does: whole
/// number, number, else text (schema-language.md section 2.1).
struct FilterExpression {
  let field: String
  let comparator: Comparator
  var value: String
  /// A type that the expression itself states; it goes before the field's own.
  var explicitType: FieldType?

  private static let symbols: [(String, Comparator)] = [
    ("==", .equals), ("=", .equals), ("!=", .notEquals), ("<=", .lessThanOrEquals),
    (">=", .greaterThanOrEquals),
    ("<", .lessThan), (">", .greaterThan), ("LIST_NOT_CONTAINS_ANY", .notListContainsAny),
  ]

  /// Those that compare with several values (web-services.md section 3.2).
  private static let listed: Set<Comparator> = [
    .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll,
  ]

  init(_ text: String) throws {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
    guard parts.count == 3 else {
      throw CommandFailure.usage("'\(text)' is not a filter", hint: "Write it as 'field == value'.")
    }
    field = parts[0]
    let word = parts[1]
    let known = FilterExpression.symbols.first { $0.0 == word }?.1 ?? Comparator(rawValue: word.uppercased())
    guard let known else {
      let names = (FilterExpression.symbols.map(\.0) + Comparator.allCases.map(\.rawValue)).joined(
        separator: " ")
      throw CommandFailure.usage("'\(word)' is not a comparison", hint: "Use one of \(names).")
    }
    comparator = known
    value = parts[2]
  }

  func filter(declaredType: FieldType?) throws -> Filter {
    let declaredType = explicitType ?? declaredType
    if FilterExpression.listed.contains(comparator) {
      let elements = try value.split(separator: ",").map { element in
        try scalar(String(element.drop { $0 == " " }), declaredType)
      }
      return Filter(
        FieldName(field), comparator, .list(of: elements.first?.type.element ?? .string, elements))
    }
    return Filter(FieldName(field), comparator, try scalar(value, declaredType))
  }

  /// A value in double quotes is the text between them.
  private func scalar(_ text: String, _ declaredType: FieldType?) throws -> FieldValue {
    let isQuoted = text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    let type = FieldName(field).systemType ?? declaredType?.element ?? (isQuoted ? .string : nil)
    let text = isQuoted ? String(text.dropFirst().dropLast()) : text
    let value: FieldValue? =
      switch type {
      case .string?: .string(text)
      case .int64?: Int64(text).map(FieldValue.int64)
      case .double?: Double(text).map(FieldValue.double)
      case .timestamp?: Timestamp(text: text).map(FieldValue.timestamp)
      case .reference?: .reference(Reference(text))
      case nil: Int64(text).map(FieldValue.int64) ?? Double(text).map(FieldValue.double) ?? .string(text)
      case .bytes?, .location?, .asset?: nil
      }
    guard let value else {
      throw CommandFailure.usage(
        "'\(text)' is not a value for \(field), which is \(type?.rawValue ?? "unknown")")
    }
    return value
  }
}

extension FieldName {
  fileprivate var systemType: ScalarType? { if case .system(let field) = self { field.type } else { nil } }
}
